#include "fovea/cli/arguments.h"

#include <CLI/CLI.hpp>
#include <deque>
#include <limits>
#include <optional>

#include "fovea/base/error.h"
#include "fovea/base/nearest.h"
#include "fovea/base/quote.h"

namespace fovea::cli {
namespace {

// CLI11 takes "[a]" for a list, and would pass on "a": a mark at its end, which is taken off again, keeps it whole.
constexpr char kMark = '\x1f';

std::vector<std::string> marked_from_the_last(int argc, char** argv) {
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {
    std::string& text = arguments.emplace_back(argv[i]);
    if (text.ends_with(']') && (text.starts_with('[') || text.find("=[") != std::string::npos)) text += kMark;
  }
  return arguments;
}

std::string unmark(std::string& text) {
  if (text.ends_with(kMark)) text.pop_back();
  return "";
}

// The option that is nearest to one that there is none of, where there is such.
[[noreturn]] void complain_of_extras(const CLI::App& app, const CLI::ExtrasError& error) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& extra : app.remaining())
    if (const std::string name = extra.substr(0, extra.find('=')); name.starts_with("-"))
      throw UsageError(fmt::format("there is no option {}{}", quote(name), did_you_mean(name, known)));
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) throw UsageError(error.what());
  const auto has = [&](const char* name) { return app.get_option_no_throw(name) != nullptr; };
  throw UsageError(fmt::format("{} is not expected here{}", quote(extras.front()),
                               has("--prompt")  ? ": a text to go on from is given by --prompt"
                               : has("--input") ? ": lines come from standard input, or from --input FILE"
                                                : ""));
}

// Options as people read them: "-o,--out FILE=-  what it is". What an option needs or excludes is for messages, and of several long names
// the first is the one to use.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    if (positional) return CLI::Formatter::make_option_name(option, positional);
    std::string text;
    for (const std::string& name : option->get_snames()) text += (text.empty() ? "-" : ",-") + name;
    if (!option->get_lnames().empty()) text += (text.empty() ? "--" : ",--") + option->get_lnames().front();
    return text;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (!option->get_option_text().empty()) return " " + option->get_option_text();
    if (option->get_type_size() == 0) return "";
    std::string type = option->get_type_name();
    if (type == "INT" || type == "UINT") type = "N";
    if (type == "FLOAT") type = "X";
    std::string text = type.empty() ? "" : " " + type;
    if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
    if (option->get_required()) text += " REQUIRED";
    return text;
  }
};

CLI::Option& real(void* option) { return *static_cast<CLI::Option*>(option); }

}  // namespace

struct Arguments::Parser {
  Parser(const std::string& description, const std::string& name) : app(description, name) {
    app.formatter(std::make_shared<HelpFormatter>());
    app.set_help_flag("-h,--help", "this text");
  }

  CLI::App app;
  std::deque<Option> options;  // whose addresses stay

  Option* keep(Option option) { return &options.emplace_back(option); }
};

Option* Option::required() {
  real(option_).required();
  return this;
}

Option* Option::type_name(const std::string& name) {
  real(option_).type_name(name);
  return this;
}

Option* Option::option_text(const std::string& text) {
  real(option_).option_text(text);
  return this;
}

Option* Option::group(const std::string& name) {
  real(option_).group(name);
  return this;
}

Option* Option::capture_default_str() {
  real(option_).capture_default_str();
  return this;
}

Option* Option::range(double least, double most) {
  real(option_).check(CLI::Range(least, most).description(""));
  return this;
}

Option* Option::range(int64_t least, int64_t most) {
  real(option_).check(CLI::Range(least, most).description(""));
  return this;
}

Option* Option::non_negative() {
  real(option_).check(CLI::Validator(CLI::NonNegativeNumber).description(""));
  return this;
}

Option* Option::one_of(const std::vector<std::string>& names) {
  real(option_).check(CLI::IsMember(names).description(""));
  return this;
}

Option* Option::needs(Option* other) {
  real(option_).needs(&real(other->option_));
  return this;
}

Option* Option::needs(const std::string& other) {
  real(option_).needs(other);
  return this;
}

Option* Option::excludes(Option* other) {
  real(option_).excludes(&real(other->option_));
  return this;
}

Option* Option::expected(int count) {
  real(option_).expected(count);
  return this;
}

Option* Option::expected(int least, int most) {
  real(option_).expected(least, most);
  return this;
}

Option* Option::take_all() {
  real(option_).multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  return this;
}

Option* Option::take_last() {
  real(option_).multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return this;
}

Option* Option::delimiter(char c) {
  real(option_).delimiter(c);
  return this;
}

int64_t Option::count() const { return static_cast<int64_t>(real(option_).count()); }

Arguments::Arguments(const std::string& description, const std::string& name)
    : parser_(std::make_unique<Parser>(description, name)) {}
Arguments::~Arguments() = default;

template <typename T>
Option* Arguments::add_option(const std::string& names, T& variable, const std::string& help) {
  return parser_->keep(Option(parser_->app.add_option(names, variable, help)));
}

Option* Arguments::add_flag(const std::string& names, bool& variable, const std::string& help) {
  return parser_->keep(Option(parser_->app.add_flag(names, variable, help)));
}

Option* Arguments::add_flag_function(const std::string& names, std::function<void()> use,
                                     const std::string& help) {
  return parser_->keep(Option(parser_->app.add_flag_callback(names, std::move(use), help)));
}

template <typename T>
Option* Arguments::add_option_function(const std::string& names, std::function<void(const T&)> use,
                                       const std::string& help) {
  return parser_->keep(Option(parser_->app.add_option_function<T>(names, use, help)));
}

Option* Arguments::add_words_option(const std::string& names,
                                    std::function<void(const std::vector<std::string>&)> use,
                                    const std::string& help) {
  const auto callback = [use = std::move(use)](const CLI::results_t& results) {
    use(results);
    return true;
  };
  return parser_->keep(Option(parser_->app.add_option(names, callback, help)));
}

void Arguments::take_last() {
  parser_->app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}
void Arguments::footer(const std::string& text) { parser_->app.footer(text); }
int64_t Arguments::count(const std::string& name) const {
  return static_cast<int64_t>(parser_->app.count(name));
}

bool Arguments::parse(int argc, char** argv, std::string& help) {
  CLI::App& app = parser_->app;
  const CLI::Validator without_mark(unmark, "");
  for (CLI::Option* option : app.get_options()) option->transform(without_mark);
  try {
    app.parse(marked_from_the_last(argc, argv));
  } catch (const CLI::CallForHelp&) {
    help = app.help();
    return false;
  } catch (const CLI::ExtrasError& error) {
    complain_of_extras(app, error);
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  return true;
}

template Option* Arguments::add_option(const std::string&, std::string&, const std::string&);
template Option* Arguments::add_option(const std::string&, int&, const std::string&);
template Option* Arguments::add_option(const std::string&, int64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, uint64_t&, const std::string&);
template Option* Arguments::add_option(const std::string&, float&, const std::string&);
template Option* Arguments::add_option(const std::string&, double&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::optional<std::string>&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::optional<int64_t>&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::vector<std::string>&, const std::string&);
template Option* Arguments::add_option(const std::string&, std::vector<int64_t>&, const std::string&);
template Option* Arguments::add_option_function(const std::string&, std::function<void(const int&)>,
                                                const std::string&);
template Option* Arguments::add_option_function(const std::string&, std::function<void(const std::string&)>,
                                                const std::string&);

}  // namespace fovea::cli
