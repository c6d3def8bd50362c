// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npu/trace/process_groups.h"
#include "npu/trace/trace_files.h"
#include "npu/tracegen/collective_trace.h"
#include "npu/tracegen/transformer_trace.h"
#include "tests/npu/trace/trace_test_util.h"

namespace weft::npu {
namespace {

using ::testing::HasSubstr;

TransformerSpec small_step() {
  TransformerSpec spec;
  spec.layers = 2;
  spec.d_model = 32;
  spec.d_ff = 64;
  spec.seq = 16;
  spec.batch = 4;
  spec.heads = 4;
  spec.vocab = 64;
  spec.dp = spec.tp = spec.pp = spec.microbatches = 2;
  return spec;
}

TEST(WriteTrace, files_hold_what_the_generator_made) {
  const TempFolder folder;
  const TransformerTrace trace(small_step());
  std::ostringstream out;
  write_trace(trace, folder.file("deep/er/step"), out);
  const std::vector<std::string> files = find_trace_files(folder.file("deep/er/step"));
  ASSERT_EQ(files.size(), 8u);
  std::size_t count = 0;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    const auto reader = open_trace(files[rank]);
    const std::vector<TraceNode> nodes = trace.nodes(RankId{rank});
    for (const TraceNode& node : nodes) {
      const auto record = reader->next();
      ASSERT_TRUE(record);
      EXPECT_TRUE(record->node == node) << node.name;
    }
    EXPECT_FALSE(reader->next());
    count += nodes.size();
  }
  const ProcessGroups groups = ProcessGroups::from_json_file(folder.file("deep/er/comm_group.json"));
  EXPECT_EQ(groups.all(), trace.groups());
  EXPECT_THAT(out.str(), HasSubstr("8 ranks, " + std::to_string(count) + " nodes"));
  EXPECT_THAT(out.str(), HasSubstr("8 groups"));
}

TEST(WriteTrace, a_trace_without_groups_writes_no_group_file) {
  const TempFolder folder;
  std::ostringstream out;
  write_trace(CollectiveTrace({CollectiveKind::kAllReduce, 3, 64, 2}), folder.file("ar"), out);
  EXPECT_EQ(find_trace_files(folder.file("ar")).size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(folder.file("comm_group.json")));
}

TEST(WriteTrace, folder_that_cannot_be_made_bad) {
  const TempFolder folder;
  const std::string file = folder.write("file", "x");
  std::ostringstream out;
  try {
    write_trace(CollectiveTrace({}), file + "/inside/ar", out);
    FAIL() << "wrote into a file";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(file + "/inside: the folder cannot be made: "));
  }
}

}  // namespace
}  // namespace weft::npu
