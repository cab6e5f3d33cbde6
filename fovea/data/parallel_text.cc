#include "fovea/data/parallel_text.h"

#include <algorithm>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/quote.h"
#include "fovea/data/alignment.h"
#include "fovea/data/blanks.h"

namespace fovea::data {

ParallelText::ParallelText(const ParallelFiles& files, std::string_view who)
    : who_(who), source_(files.source, who) {
  const auto stdins = (files.source == "-") + (files.target == "-") + (files.alignment == "-");
  check(stdins <= 1, who_, "standard input can be one of the files, not {}", stdins);
  check(!files.target.empty() || files.alignment.empty(), who_,
        "{} has the alignment in its third column: a file of its own goes with two sides", files.source);
  if (!files.target.empty()) target_.emplace(files.target, who);
  if (!files.alignment.empty()) alignment_.emplace(files.alignment, who);
}

bool ParallelText::next(Pair& pair) {
  pair.links.clear();
  return target_ ? next_of_files(pair) : next_of_columns(pair);
}

bool ParallelText::next_of_files(Pair& pair) {
  const bool source = source_.next(pair.source), target = target_->next(pair.target);
  if (source && !target) fail_unequal(who_, source_, *target_);
  if (target && !source) fail_unequal(who_, *target_, source_);
  if (!alignment_) return source;
  const bool aligned = alignment_->next(line_);
  if (source && !aligned) fail_unequal(who_, source_, *alignment_);
  if (aligned && !source) fail_unequal(who_, *alignment_, source_);
  if (aligned) parse_alignment(line_, *alignment_, pair);
  return source;
}

bool ParallelText::next_of_columns(Pair& pair) {
  if (!source_.next(line_)) return false;
  const size_t first = line_.find('\t');
  const size_t second = first == std::string::npos ? first : line_.find('\t', first + 1);
  const auto tabs = std::count(line_.begin(), line_.end(), '\t');
  check(tabs == 1 || tabs == 2, who_,
        "{}: line {} has {} columns: expected source TAB target, or source TAB target TAB alignment, where one "
        "file is given; of two, the first has the sources and the second the targets",
        source_.name(), grouped(source_.lines()), tabs + 1);
  pair.source = line_.substr(0, first);
  pair.target = line_.substr(first + 1, tabs == 1 ? std::string::npos : second - first - 1);
  if (tabs == 2) parse_alignment(std::string_view(line_).substr(second + 1), source_, pair);
  return true;
}

void ParallelText::parse_alignment(std::string_view text, const TextFile& file, Pair& pair) const {
  auto links = parse_links(text);
  check(links.has_value(), who_, "{}: line {} has {}: expected an alignment such as 0-0 1-2", file.name(),
        grouped(file.lines()), quote(text));
  pair.links = std::move(*links);
  if (const Link* link = find_misfit(pair))
    fail(who_, "{}: line {} links word {} to word {}, counted from 0, but the lines have {} and {} words",
         file.name(), grouped(file.lines()), link->source, link->target, count_words(pair.source),
         count_words(pair.target));
}

std::vector<Pair> read_pairs(const ParallelFiles& files, std::string_view who) {
  ParallelText text(files, who);
  std::vector<Pair> pairs;
  for (Pair pair; text.next(pair);) pairs.push_back(pair);
  return pairs;
}

}  // namespace fovea::data
