// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npu/trace/process_groups.h"
#include "npu/trace/trace_check.h"
#include "npu/trace/trace_files.h"
#include "npu/tracegen/collective_trace.h"
#include "npu/tracegen/transformer_trace.h"
#include "tests/npu/trace/trace_test_util.h"
#include "tests/support/source.h"
#include "tests/support/temp_dir.h"

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
  const TraceFolder folder;
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
  // The step has two ranks in each direction, so that four groups of tensor parallelism have the first numbers and four
  // of data parallelism the next ones.
  EXPECT_EQ(weft::test::read_text(folder.file("deep/er/group_phases.json")),
            "{\"mp\":[\"1\",\"2\",\"3\",\"4\"],\"dp\":[\"5\",\"6\",\"7\",\"8\"]}\n");
}

TEST(WriteTrace, generated_traces_are_sound_across_ranks) {
  for (const std::uint64_t zero : {0u, 2u}) {
    const TraceFolder folder;
    TransformerSpec spec = small_step();
    spec.zero = zero;
    std::ostringstream out;
    write_trace(TransformerTrace(spec), folder.file("step"), out);
    EXPECT_EQ(trace_check(folder.file("step"), folder.file("comm_group.json"), out), 0u) << out.str();
    write_trace(CollectiveTrace({CollectiveKind::kAllToAll, 3, 64, 2}), folder.file("a2a"), out);
    EXPECT_EQ(trace_check(folder.file("a2a"), "", out), 0u) << out.str();
  }
}

// The check is worth something only if it can fail: here one rank's file is that of another step.
TEST(WriteTrace, a_mixed_up_rank_is_found_by_the_check_bad) {
  const TraceFolder folder;
  std::ostringstream out;
  TransformerSpec spec = small_step();
  write_trace(TransformerTrace(spec), folder.file("step"), out);
  spec.d_model = 64;
  write_trace(TransformerTrace(spec), folder.file("other"), out);
  std::filesystem::copy_file(folder.file("other.3.et"), folder.file("step.3.et"),
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_GT(trace_check(folder.file("step"), folder.file("comm_group.json"), out), 0u);
}

TEST(WriteTrace, the_demo_trace_is_what_its_command_makes) {
  const TraceFolder folder;
  const std::string demo = weft::test::source("configs/traces/demo/");
  TransformerSpec spec;
  spec.layers = 4;
  spec.d_model = 192;
  spec.d_ff = 768;
  spec.seq = 128;
  spec.batch = 10;
  spec.heads = 6;
  spec.vocab = 1024;
  spec.dp = 5;
  spec.tp = spec.pp = spec.microbatches = 2;
  std::ostringstream out;
  write_trace(TransformerTrace(spec), folder.file("demo"), out);
  const auto bytes_of = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  std::uintmax_t total = 0;
  for (int rank = 0; rank < 20; ++rank) {
    const std::string name = "demo." + std::to_string(rank) + ".et";
    EXPECT_FALSE(bytes_of(demo + name).empty()) << name;
    EXPECT_TRUE(bytes_of(demo + name) == bytes_of(folder.file(name))) << name;
    total += std::filesystem::file_size(demo + name);
  }
  EXPECT_EQ(bytes_of(demo + "comm_group.json"), bytes_of(folder.file("comm_group.json")));
  EXPECT_LT(total, 300'000u);
  EXPECT_EQ(trace_check(demo + "demo", demo + "comm_group.json", out), 0u) << out.str();
}

TEST(WriteTrace, a_trace_without_groups_writes_no_group_file) {
  const TraceFolder folder;
  std::ostringstream out;
  write_trace(CollectiveTrace({CollectiveKind::kAllReduce, 3, 64, 2}), folder.file("ar"), out);
  EXPECT_EQ(find_trace_files(folder.file("ar")).size(), 3u);
  EXPECT_FALSE(std::filesystem::exists(folder.file("comm_group.json")));
}

TEST(WriteTrace, folder_that_cannot_be_made_bad) {
  const TraceFolder folder;
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
