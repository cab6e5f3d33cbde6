#include "fovea/cli/sentences.h"

#include "fovea/base/utf8.h"
#include "fovea/cli/options.h"
#include "fovea/cli/output.h"

namespace fovea::cli {

Sentences::Sentences(const std::vector<std::string>& arguments, std::string_view verb) {
  expect_usage(arguments.size() == 1,
               "{} arguments where one sentence is expected: put it in quotes, or give several sentences as "
               "lines: printf 'one\\ntwo\\n' | fovea {} -m DIR -",
               arguments.size(), verb);
  only_ = arguments.front();
  if (only_ == "-") input_.emplace("-", verb);
  expect_usage(find_invalid_utf8(only_) == std::string_view::npos, "the sentence is not UTF-8");
}

bool Sentences::next(std::string& sentence) {
  if (number_ > 0) flush_output();
  if (input_ ? !input_->next(sentence) : number_ > 0) return false;
  if (!input_) sentence = only_;
  ++number_;
  return true;
}

}  // namespace fovea::cli
