#include "kernels/measure/parameters_text.h"

#include "gtest/gtest.h"

namespace kernels {
namespace {

TEST(ParametersTextTest, IsItsOwnInverse) {
  for (const char* text : {"-", "non_temporal_threshold=0",
                           "rep_movsb_threshold=2112,rep_movsb_stop_threshold="
                           "18446744073709551615",
                           "string_control=1"}) {
    EXPECT_EQ(FormatParameters(*ParseParameters(text)), text);
  }
}

TEST(ParametersTextTest, RefusesWhatIsNoParameter) {
  for (const char* text :
       {"", "speed=1", "non_temporal_threshold",
        "non_temporal_threshold=", "non_temporal_threshold=-1",
        "string_control=1,", "non_temporal_threshold=18446744073709551616"}) {
    EXPECT_FALSE(ParseParameters(text).ok()) << text;
  }
}

}  // namespace
}  // namespace kernels
