// The options of a verb and the variables that they fill: a thin cover of CLI11, whose header is slow to compile and is
// included by arguments.cc alone.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fovea::cli {

// Wrong usage. The command prints it in one line that ends with a hint at --help, and exits with 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One option; lives as long as its Arguments. Each function returns the option itself, for the next one.
class Option {
 public:
  Option* required();
  Option* type_name(const std::string& name);    // what --help shows after the option's name
  Option* option_text(const std::string& text);  // the same, and nothing else (such as "REQUIRED")
  Option* group(const std::string& name);        // the heading of --help that it stands under
  Option* capture_default_str();                 // --help shows the value that the variable has now
  Option* range(double least, double most);
  Option* range(int64_t least, int64_t most);
  Option* range(std::integral auto least, std::integral auto most) {
    return range(static_cast<int64_t>(least), static_cast<int64_t>(most));
  }
  Option* non_negative();
  Option* one_of(const std::vector<std::string>& names);
  Option* needs(Option* other);
  Option* needs(const std::string& other);
  Option* excludes(Option* other);
  Option* expected(int count);
  Option* expected(int least, int most);
  Option* take_all();   // an option that is repeated adds to what it has
  Option* take_last();  // the last one counts
  Option* delimiter(char c);

  int64_t count() const;  // how often it was given

 private:
  friend class Arguments;
  explicit Option(void* option) : option_(option) {}
  void* option_;  // CLI::Option
};

class Arguments {
 public:
  Arguments(const std::string& description, const std::string& name);
  ~Arguments();
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  // `names` as "-m,--model", or a word without dashes for a positional argument. T is one of those at the end of arguments.cc.
  template <typename T>
  Option* add_option(const std::string& names, T& variable, const std::string& help);
  Option* add_flag(const std::string& names, bool& variable, const std::string& help);
  // T is int or std::string.
  template <typename T>
  Option* add_option_function(const std::string& names, std::function<void(const T&)> use,
                              const std::string& help);
  // `use` gets all that was given, as words.
  Option* add_words_option(const std::string& names, std::function<void(const std::vector<std::string>&)> use,
                           const std::string& help);

  // Options that are added from now on take the last of several values.
  void take_last();
  // Stands at the end of --help.
  void footer(const std::string& text);
  // How often an option was given.
  int64_t count(const std::string& name) const;

  // False where the user asked for --help, which is then in `help`. Throws UsageError.
  bool parse(int argc, char** argv, std::string& help);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace fovea::cli
