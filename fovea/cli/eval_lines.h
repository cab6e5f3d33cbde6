// The files of fovea eval, read line by line together.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fovea/data/text_file.h"
#include "fovea/metrics/table.h"

namespace fovea::cli {

// Empty where there is none.
struct EvalFiles {
  std::string hypothesis;
  std::vector<std::string> references;
  std::string links, gold;
  std::string log_probs;
  std::string source;
};

// Segments in pieces whose size does not depend on the files. Throws where the files do not match line by line, and
// where a line is not what its file is for.
class EvalLines {
 public:
  explicit EvalLines(const EvalFiles& files);

  // The next lines; none at the end. Valid until the next call.
  std::span<const metrics::Segment> next();

  // The name of the file that was opened first.
  const std::string& first_name() const { return files_.front()->name(); }

 private:
  enum class Role { kHypothesis, kReference, kLinks, kGold, kLogProb, kSource };
  struct Line {
    std::string hypothesis;
    std::vector<std::string> references;
    std::vector<std::string_view> reference_views;
    std::vector<Link> links, gold;
  };

  void open(const std::string& path, Role role);
  bool read(Line& line, metrics::Segment& segment);

  std::vector<std::unique_ptr<data::TextFile>> files_;
  std::vector<Role> roles_;
  std::string text_;
  std::vector<Line> lines_;
  std::vector<metrics::Segment> segments_;
};

}  // namespace fovea::cli
