#include "fovea/cli/train_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "fovea/base/file.h"
#include "tests/temporary_directory.h"

namespace fovea::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kLines =
    R"({"kind":"train","update":10,"cost":5.5}
{"kind":"train","update":20,"cost":null}
not JSON
{"kind":"valid","update":20,"metrics":{"cross-entropy":4.5,"bleu":1.5},"best":true}
[1]
{"kind":"train","update":30,"cost":4.5}
{"kind":"valid","update":30,"metrics":{"cross-entropy":4.0,"bleu":1.0},"best":false}
{"kind":"valid","metrics":7}
{"unfinis)";

TEST(TrainingCurve, HasCostsInOneChartAndEachMetricInItsOwn) {
  const look::Plot plot = training_curve(kLines, "run");
  EXPECT_EQ(plot.title, "run");
  ASSERT_EQ(plot.charts.size(), 2u);
  ASSERT_EQ(plot.charts[0].series.size(), 2u);
  const look::Series& training = plot.charts[0].series[0];
  EXPECT_EQ(training.name, "training");
  EXPECT_THAT(training.x, ElementsAre(10, 20, 30));
  EXPECT_TRUE(std::isnan(training.y[1]));
  EXPECT_THAT(plot.charts[0].series[1].y, ElementsAre(4.5, 4));
  EXPECT_EQ(plot.charts[1].y.name, "bleu");
  EXPECT_THAT(plot.charts[1].series[0].y, ElementsAre(1.5, 1));
  ASSERT_EQ(plot.charts[1].marks.size(), 1u);
  EXPECT_EQ(plot.charts[1].marks[0].x, 20);
  EXPECT_THAT(look::to_svg(plot), HasSubstr("<svg"));
}

TEST(TrainingCurve, OfNothingIsNothing) { EXPECT_TRUE(training_curve("", "run").charts.empty()); }

TEST(TrainingCurve, IsWrittenInPlaceOfTheOldOneAndLeavesNothingElse) {
  const TemporaryDirectory dir;
  const CurveWriter curve(dir.path());
  ::testing::internal::CaptureStderr();
  curve.draw();  // there is no log yet
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("metrics.jsonl: No such file"));
  std::ofstream(dir / "metrics.jsonl") << kLines;
  std::ofstream(dir / "curve.svg.new") << "what a kill left";
  curve.draw();
  curve.draw();
  EXPECT_THAT(read_file(dir / "curve.svg"), HasSubstr("</svg>"));
  EXPECT_FALSE(std::filesystem::exists(dir / "curve.svg.new"));
}

}  // namespace
}  // namespace fovea::cli
