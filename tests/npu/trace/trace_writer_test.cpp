// SPDX-License-Identifier: Apache-2.0
// What is written is read again; and the bytes are those of the format, not only a private agreement.
#include "npu/trace/chakra_writer.h"

#include <gmock/gmock.h>
//
#include <rapidcheck/gtest.h>

#include "tests/npu/trace/trace_test_util.h"
#include "tests/npu/trace/wire_builder.h"

namespace weft::npu {
namespace {

using testing::HasSubstr;

TraceNode arbitrary_node() {
  TraceNode node;
  node.id = *rc::gen::arbitrary<std::uint64_t>();
  node.name = *rc::gen::container<std::string>(rc::gen::inRange(' ', '~'));
  node.type = static_cast<TraceNodeType>(*rc::gen::inRange(0, 7));
  const auto deps = *rc::gen::arbitrary<std::set<std::uint64_t>>();
  node.deps.assign(deps.begin(), deps.end());
  node.duration_us = *rc::gen::arbitrary<std::uint64_t>();
  node.is_cpu_op = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) node.num_ops = *rc::gen::arbitrary<std::uint64_t>();
  if (*rc::gen::arbitrary<bool>()) node.tensor_bytes = *rc::gen::arbitrary<std::uint64_t>();
  const bool collective = node.type == TraceNodeType::kCollective;
  if (is_memory(node.type) && *rc::gen::arbitrary<bool>()) node.group = std::to_string(*rc::gen::inRange(0, 1000));
  if (!collective && node.type != TraceNodeType::kSend && node.type != TraceNodeType::kRecv) return node;
  node.comm_bytes = *rc::gen::arbitrary<std::uint64_t>();
  node.priority = *rc::gen::element<std::uint32_t>(0, 1, 2, 4294967295u);
  if (*rc::gen::arbitrary<bool>()) node.group = std::to_string(*rc::gen::inRange(0, 1000));
  if (collective) {
    node.assumed_kind = *rc::gen::arbitrary<bool>();
    node.collective =
        node.assumed_kind ? CollectiveKind::kAllReduce : static_cast<CollectiveKind>(*rc::gen::inRange(0, 9));
    node.involved_dims = *rc::gen::arbitrary<std::vector<bool>>();
    return node;
  }
  if (*rc::gen::arbitrary<bool>()) node.src = RankId{*rc::gen::arbitrary<std::uint32_t>()};
  if (*rc::gen::arbitrary<bool>()) node.dst = RankId{*rc::gen::arbitrary<std::uint32_t>()};
  node.tag = *rc::gen::arbitrary<std::uint64_t>();
  return node;
}

RC_GTEST_PROP(ChakraWriterLaw, written_nodes_are_read_again, ()) {
  const auto count = *rc::gen::inRange(0, 8);
  std::vector<TraceNode> nodes;
  std::string bytes = wire::metadata();
  for (int i = 0; i < count; ++i) {
    nodes.push_back(arbitrary_node());
    bytes += wire::record(encode_node(nodes.back()));
  }
  const auto records = read_all(bytes);
  RC_ASSERT(records.size() == nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) RC_ASSERT(records[i].node == nodes[i]);
}

TEST(ChakraWriter, writes_the_bytes_of_the_worked_example) {
  TraceNode node;
  node.id = 3;
  node.name = "all_reduce_8npus_1MB";
  node.type = TraceNodeType::kCollective;
  node.collective = CollectiveKind::kAllReduce;
  node.comm_bytes = 1048576;
  EXPECT_EQ(encode_node(node), wire::node(3, "all_reduce_8npus_1MB", wire::kCollNode) +
                                   wire::attr("is_cpu_op", wire::field_varint(27, 0)) +
                                   wire::attr("comm_type", wire::field_varint(9, 0)) +
                                   wire::attr("comm_size", wire::field_varint(9, 1048576)));
}

TEST(ChakraWriter, loads_and_stores_carry_size_and_group) {
  TraceNode node;
  node.id = 5;
  node.name = "w";
  node.type = TraceNodeType::kMemLoad;
  node.tensor_bytes = 4096;
  node.group = "7";
  const auto bytes = [](int type, bool group) {
    return wire::node(5, "w", type) + wire::attr("is_cpu_op", wire::field_varint(27, 0)) +
           wire::attr("tensor_size", wire::field_varint(13, 4096)) +
           (group ? wire::attr("pg_name", wire::field_bytes(29, "7")) : "");
  };
  EXPECT_EQ(encode_node(node), bytes(wire::kMemLoadNode, true));
  node.type = TraceNodeType::kMemStore;
  EXPECT_EQ(encode_node(node), bytes(wire::kMemStoreNode, true));
  node.type = TraceNodeType::kCompute;  // a group means nothing there
  EXPECT_EQ(encode_node(node), bytes(wire::kCompNode, false));
}

TEST(ChakraWriter, files_plain_and_compressed_hold_metadata_and_nodes) {
  const TraceFolder folder;
  TraceMetadata metadata;
  metadata.attributes = {{"generator", "weft"}};
  TraceNode node;
  node.id = 77;
  node.name = std::string(1000, 'x');
  node.type = TraceNodeType::kCompute;
  for (const char* name : {"t.0.et", "t.1.et.gz"}) {
    ChakraWriter writer(folder.file(name), metadata);
    for (int i = 0; i < 50; ++i) writer.write(node);
    EXPECT_EQ(writer.nodes_written(), 50u);
    writer.close();
    ChakraReader reader(folder.file(name));
    EXPECT_EQ(reader.metadata().version, "0.0.4");
    ASSERT_EQ(reader.metadata().attributes.size(), 1u);
    EXPECT_EQ(reader.metadata().attributes[0].second, "weft");
    const auto records = read_all(reader);
    ASSERT_EQ(records.size(), 50u);
    EXPECT_TRUE(records[49].node == node);
  }
  EXPECT_GT(std::filesystem::file_size(folder.file("t.0.et")), 50000u);
  EXPECT_LT(std::filesystem::file_size(folder.file("t.1.et.gz")), 5000u);
}

TEST(ChakraWriter, says_that_a_file_cannot_be_written_bad) {
  EXPECT_THAT(error_of([] { ChakraWriter writer("/no/such/folder/t.0.et"); }),
              HasSubstr("/no/such/folder/t.0.et: cannot be written"));
}

TEST(ChakraWriter, a_full_disk_is_an_error_bad) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  EXPECT_THROW(
      {
        ChakraWriter writer("/dev/full");
        writer.close();
      },
      std::runtime_error);
}

}  // namespace
}  // namespace weft::npu
