// SPDX-License-Identifier: Apache-2.0
// ASTRA-sim's remote-memory file and formula: its kinds, known answers, and what is refused.
#include "mem/pool/remote_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "tests/support/temp_dir.h"

namespace weft::mem {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

RemoteMemory parse(const std::string& text) { return parse_remote_memory(text, "memory.json"); }

const char* const kPoolExample = R"({"memory-type": "MEMORY_POOL", "remote-mem-latency": 100, "remote-mem-bw": 1})";

std::vector<std::uint64_t> all_load(const RemoteMemory& memory, std::uint64_t npus, std::uint64_t bytes) {
  RemoteMemoryFormula formula(memory, npus);
  std::vector<std::uint64_t> ends;
  for (std::uint64_t npu = 0; npu < npus; ++npu) ends.push_back(formula.access(npu, bytes, 0));
  return ends;
}

TEST(RemoteMemory, files_of_all_kinds_are_read) {
  EXPECT_EQ(parse("{\n  \"memory-type\": \"NO_MEMORY_EXPANSION\"\n}").kind, RemoteMemoryKind::kNone);
  const RemoteMemory pool = parse(kPoolExample);
  EXPECT_EQ(pool.kind, RemoteMemoryKind::kPool);
  EXPECT_EQ(pool.latency_ns, 100U);
  EXPECT_EQ(pool.gigabytes_per_second, 1U);
  const RemoteMemory nodes = parse(
      "{\n\t\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\",\n\t\"remote-mem-latency\": 0,\n\t\"remote-mem-bw\": "
      "128.0,\n\t\"num-nodes\": 8,\n\t\"num-npus-per-node\": 4\n}\n");
  EXPECT_EQ(nodes.kind, RemoteMemoryKind::kPerNode);
  EXPECT_EQ(nodes.gigabytes_per_second, 128U);
  EXPECT_EQ(nodes.nodes, 8U);
  EXPECT_EQ(nodes.npus_per_node, 4U);
  // An older file, with local memory; the latency is 0 if it is not given.
  const RemoteMemory npu = parse(
      R"({"memory-type": "PER_NPU_MEMORY_EXPANSION", "local-mem-latency": 0, "local-mem-bw": 4096, "remote-mem-bw": 512})");
  EXPECT_EQ(npu.kind, RemoteMemoryKind::kPerNpu);
  EXPECT_EQ(npu.latency_ns, 0U);
}

TEST(RemoteMemory, is_read_from_a_file) {
  const weft::test::TempDir dir;
  const std::string path = (dir / "pool.json").string();
  std::ofstream(path) << kPoolExample;
  EXPECT_EQ(read_remote_memory(path).latency_ns, 100U);
}

TEST(RemoteMemory, one_load_of_four_ranks) {
  RemoteMemory memory = parse(kPoolExample);
  EXPECT_THAT(all_load(memory, 4, 1024), ElementsAre(1124, 2248, 3372, 4496));
  memory.kind = RemoteMemoryKind::kPerNpu;
  EXPECT_THAT(all_load(memory, 4, 1024), ElementsAre(1124, 1124, 1124, 1124));
  memory.kind = RemoteMemoryKind::kPerNode;
  memory.nodes = memory.npus_per_node = 2;
  EXPECT_THAT(all_load(memory, 4, 1024), ElementsAre(1124, 2248, 1124, 2248));
}

TEST(RemoteMemory, shared_memories_wait_and_rest) {
  RemoteMemoryFormula pool(parse(kPoolExample), 4);
  EXPECT_EQ(pool.access(2, 400, 1000), 1500U);
  EXPECT_EQ(pool.access(0, 100, 1200), 1700U);
  EXPECT_EQ(pool.access(1, 100, 5000), 5200U);
}

TEST(RemoteMemory, transfers_are_rounded_down_to_nanoseconds) {
  RemoteMemory memory = parse(kPoolExample);
  memory.gigabytes_per_second = 512;
  const RemoteMemoryFormula formula(memory, 1);
  EXPECT_EQ(formula.duration_ns(511), 100U);
  EXPECT_EQ(formula.duration_ns(512), 101U);
  EXPECT_EQ(formula.duration_ns(1'000'000), 100 + 1953U);  // 1953.125
}

void expect_refused(const std::string& text, const testing::Matcher<std::string>& matcher) {
  try {
    parse(text);
    FAIL() << "accepted: " << text;
  } catch (const InputError& error) {
    EXPECT_THAT(std::string(error.what()), matcher) << text;
  }
}

TEST(RemoteMemory, files_that_cannot_be_bad) {
  expect_refused("{\"memory-type\": ", HasSubstr("memory.json: not valid JSON"));
  expect_refused("[1]", HasSubstr("memory.json: is array, expected an object"));
  expect_refused("{\"memory-type\": \"MEMORY_POL\"}",
                 HasSubstr("memory.json:1:17: memory-type: unknown kind 'MEMORY_POL'; known: NO_MEMORY_EXPANSION"));
  expect_refused("{\n\"memory-type\": \"NO_MEMORY_EXPANSION\",\n \"remote-mem-latncy\": 3}",
                 HasSubstr("memory.json:3:2: unknown key 'remote-mem-latncy'; known: memory-type"));
  expect_refused("{\"remote-mem-bw\": 1}", HasSubstr("memory-type is missing; legal: NO_MEMORY_EXPANSION, PER_NPU"));
  expect_refused("{\"memory-type\": \"MEMORY_POOL\"}", HasSubstr("remote-mem-bw is missing; legal: 1 to 1000000000"));
  for (const char* value : {"0", "-1", "0.5", "\"1\"", "[1]", "1e12"}) {
    expect_refused(std::string("{\"memory-type\": \"MEMORY_POOL\",\n\"remote-mem-bw\": ") + value + "}",
                   AllOf(HasSubstr("memory.json:2:18: remote-mem-bw: "), HasSubstr("a whole number, 1 to 1000000000")));
  }
  expect_refused("{\"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": null}",
                 HasSubstr("remote-mem-bw: nothing cannot be used"));
  expect_refused("{\"memory-type\": \"PER_NODE_MEMORY_EXPANSION\", \"remote-mem-bw\": 1, \"num-nodes\": 0}",
                 AllOf(HasSubstr("num-nodes: '0' cannot be used"), HasSubstr("num-npus-per-node is missing")));
  expect_refused("{\"memory-type\": \"MEMORY_POOL\", \"memory-type\": \"MEMORY_POOL\", \"remote-mem-bw\": 1}",
                 HasSubstr("memory-type"));
  EXPECT_THROW(read_remote_memory("/does/not/exist.json"), InputError);
}

TEST(RemoteMemory, npus_that_do_not_fit_bad) {
  RemoteMemory memory = parse(kPoolExample);
  memory.kind = RemoteMemoryKind::kPerNode;
  memory.nodes = 2;
  memory.npus_per_node = 4;
  EXPECT_NO_THROW(RemoteMemoryFormula(memory, 8));
  EXPECT_THROW(RemoteMemoryFormula(memory, 9), InputError);
  memory.kind = RemoteMemoryKind::kNone;
  EXPECT_THROW(RemoteMemoryFormula(memory, 8).access(0, 64, 0), InputError);
}

// 2^64 - 1 bytes at 1 GB/s are 1.8 x 10^19 ns, more than can be waited for; two of 9 x 10^18 ns after each other run
// over.
TEST(RemoteMemory, accesses_that_last_too_long_bad) {
  const RemoteMemory memory = parse(kPoolExample);
  EXPECT_THROW(RemoteMemoryFormula(memory, 4).duration_ns(~std::uint64_t{0}), InputError);
  RemoteMemoryFormula formula(memory, 4);
  const std::uint64_t bytes = 8'999'999'999'999'999'000U;
  EXPECT_GT(formula.access(0, bytes, 0), 8'999'999'999'999'990'000U);
  EXPECT_GT(formula.access(0, bytes, 0), 17'999'999'999'999'980'000U);
  EXPECT_THROW(formula.access(0, bytes, 0), InputError);
}

}  // namespace
}  // namespace weft::mem
