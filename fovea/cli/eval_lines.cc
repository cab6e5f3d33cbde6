#include "fovea/cli/eval_lines.h"

#include <utility>

#include "fovea/base/error.h"
#include "fovea/base/grouped.h"
#include "fovea/base/quote.h"
#include "fovea/data/alignment.h"
#include "fovea/data/blanks.h"

namespace fovea::cli {
namespace {

constexpr std::string_view kWho = "eval";
// A piece has enough lines for all threads, and not much more than so many bytes.
constexpr size_t kLines = 4096, kBytes = size_t{8} << 20;

}  // namespace

EvalLines::EvalLines(const EvalFiles& files) {
  open(files.hypothesis, Role::kHypothesis);
  for (const std::string& reference : files.references) open(reference, Role::kReference);
  open(files.links, Role::kLinks);
  open(files.gold, Role::kGold);
  open(files.log_probs, Role::kLogProb);
  open(files.source, Role::kSource);
}

void EvalLines::open(const std::string& path, Role role) {
  if (path.empty()) return;
  files_.push_back(std::make_unique<data::TextFile>(path, kWho));
  roles_.push_back(role);
}

std::span<const metrics::Segment> EvalLines::next() {
  lines_.assign(kLines, {});
  segments_.assign(kLines, {});
  size_t count = 0, bytes = 0;
  while (count < kLines && bytes < kBytes && read(lines_[count], segments_[count])) {
    const Line& line = lines_[count++];
    bytes += line.hypothesis.size() + sizeof(Link) * (line.links.size() + line.gold.size());
    for (const std::string& reference : line.references) bytes += reference.size();
  }
  return std::span(segments_).first(count);
}

// Line i of every file; false where all are at their end.
bool EvalLines::read(Line& line, metrics::Segment& segment) {
  bool any = false;
  for (size_t f = 0; f < files_.size(); ++f) {
    data::TextFile& file = *files_[f];
    const bool more = file.next(text_);
    // The first file sets the number of lines.
    if (f > 0 && file.lines() > files_[0]->lines()) data::fail_unequal(kWho, file, *files_[0]);
    if (f > 0 && file.lines() < files_[0]->lines()) data::fail_unequal(kWho, *files_[0], file);
    if (!more) continue;
    any = true;
    const auto expect = [&](bool ok, std::string_view what) {
      check(ok, kWho, "{}: line {} has {}: expected {}", file.name(), grouped(file.lines()), quote(text_),
            what);
    };
    switch (roles_[f]) {
      case Role::kHypothesis:
        line.hypothesis = text_;
        segment.hypothesis = line.hypothesis;
        break;
      case Role::kReference:
        line.references.push_back(text_);
        break;
      case Role::kLinks:
      case Role::kGold: {
        // fovea translate and fovea score put alignments behind the last ||| of a line.
        const size_t bars = text_.rfind("|||");
        auto links =
            data::parse_links(std::string_view(text_).substr(bars == std::string::npos ? 0 : bars + 3));
        expect(links.has_value(), "an alignment such as 0-0 1-2, with 1?2 or 1p2 for a possible link");
        (roles_[f] == Role::kLinks ? line.links : line.gold) = std::move(*links);
        break;
      }
      case Role::kLogProb: {
        const auto counts = metrics::parse_log_prob(text_);
        expect(counts.has_value(), "LOG_PROB<tab>TOKENS such as -12.3456<tab>9, as fovea score prints it");
        segment.log_prob = *counts;
        break;
      }
      case Role::kSource:
        segment.source_words = data::count_words(text_);
        break;
    }
  }
  line.reference_views.assign(line.references.begin(), line.references.end());
  segment.references = line.reference_views;
  segment.links = line.links;
  segment.gold = line.gold;
  return any;
}

}  // namespace fovea::cli
