// SPDX-License-Identifier: Apache-2.0
// The Chakra ET reader against bytes written by hand from the tables of the format.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <zlib.h>

#include <limits>

#include "npu/trace/chakra_json_reader.h"
#include "tests/npu/trace/trace_test_util.h"
#include "tests/npu/trace/wire_builder.h"

namespace weft::npu {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Rank 3 of an 8-rank all-reduce of 1 MiB, byte for byte as a public generator wrote it.
const char kWorkedExample[] =
    "\x07\x0a\x05\x30\x2e\x30\x2e\x34"
    "\x4a\x08\x03\x12\x14"
    "all_reduce_8npus_1MB"
    "\x18\x07\x52\x0e\x0a\x09"
    "is_cpu_op\xd8\x01\x00\x52\x0d\x0a\x09"
    "comm_type\x48\x00\x52\x0f\x0a\x09"
    "comm_size\x48\x80\x80\x40";
const std::string kExample(kWorkedExample, sizeof kWorkedExample - 1);
constexpr std::size_t kExampleMetadataBytes = 8;

std::string gzip(const std::string& bytes) {
  z_stream zlib{};
  deflateInit2(&zlib, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&zlib, bytes.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

std::string with_metadata(const std::string& node) { return wire::metadata() + wire::record(node); }

std::string error_reading(const std::string& bytes) {
  return error_of([&] { read_all(bytes); });
}

TEST(ChakraReader, reads_the_worked_example) {
  ASSERT_EQ(kExample.size(), 83u);
  auto reader = reader_of(kExample);
  EXPECT_EQ(reader->metadata().version, "0.0.4");
  const auto record = reader->next();
  ASSERT_TRUE(record);
  const TraceNode& node = record->node;
  EXPECT_EQ(record->offset, kExampleMetadataBytes);
  EXPECT_EQ(node.id, 3u);
  EXPECT_EQ(node.name, "all_reduce_8npus_1MB");
  EXPECT_EQ(node.type, TraceNodeType::kCollective);
  EXPECT_EQ(node.collective, CollectiveKind::kAllReduce);
  EXPECT_FALSE(node.assumed_kind);
  EXPECT_EQ(node.comm_bytes, 1048576u);
  EXPECT_FALSE(node.is_cpu_op);
  EXPECT_EQ(node.group, "");
  EXPECT_FALSE(reader->next());
}

TEST(ChakraReader, every_cut_of_a_file_is_an_error_except_at_record_borders_bad) {
  for (std::size_t length = 0; length < kExample.size(); ++length) {
    const std::string error = error_reading(kExample.substr(0, length));
    if (length == kExampleMetadataBytes) {
      EXPECT_EQ(error, "no error");
    } else {
      EXPECT_THAT(error, HasSubstr(length < kExampleMetadataBytes ? "test.et: byte 0:" : "test.et: byte 8:"))
          << "cut at " << length;
    }
  }
}

TEST(ChakraReader, accepts_packed_and_unpacked_dependencies) {
  const std::string packed = wire::node(9, "n", wire::kCompNode) +
                             wire::field_bytes(4, wire::varint(5) + wire::varint(300)) +
                             wire::field_bytes(5, wire::varint(7) + wire::varint(5));
  const std::string unpacked = wire::node(9, "n", wire::kCompNode) + wire::field_varint(4, 5) +
                               wire::field_varint(5, 7) + wire::field_varint(4, 300) + wire::field_varint(5, 5);
  for (const std::string& bytes : {packed, unpacked}) {
    const auto records = read_all(with_metadata(bytes));
    ASSERT_EQ(records.size(), 1u);
    EXPECT_THAT(records[0].control_deps, ElementsAre(5, 300));
    EXPECT_THAT(records[0].data_deps, ElementsAre(7, 5));
    EXPECT_THAT(records[0].node.deps, ElementsAre(5, 7, 300));
  }
}

TEST(ChakraReader, accepts_every_integer_form) {
  const std::string forms[] = {
      wire::field_varint(7, 300),
      wire::field_varint(9, 300),
      wire::field_varint(11, 300),
      wire::field_varint(13, 300),
      wire::field_varint(15, 600),
      wire::field_varint(17, 600),
      wire::field_fixed(19, wire::raw(std::uint32_t{300})),
      wire::field_fixed(21, wire::raw(std::uint64_t{300})),
      wire::field_fixed(23, wire::raw(std::int32_t{300})),
      wire::field_fixed(25, wire::raw(std::int64_t{300})),
      wire::field_fixed(3, wire::raw(300.0)),
      wire::field_fixed(5, wire::raw(300.0f)),
  };
  for (const std::string& form : forms) {
    const auto records = read_all(with_metadata(wire::node(1, "n", wire::kCollNode) + wire::attr("comm_size", form)));
    EXPECT_EQ(records.at(0).node.comm_bytes, 300u) << "value field " << (static_cast<int>(form[0]) >> 3);
  }
  EXPECT_EQ(read_all(with_metadata(wire::node(1, "n", wire::kCompNode) +
                                   wire::attr("num_ops", wire::field_varint(13, ~std::uint64_t{0}))))
                .at(0)
                .node.num_ops,
            ~std::uint64_t{0});
}

TEST(ChakraReader, reads_flags_in_bool_and_integer_form) {
  const auto flag = [](const std::string& form) {
    return read_all(with_metadata(wire::node(1, "n", wire::kCompNode) + wire::attr("is_cpu_op", form)))
        .at(0)
        .node.is_cpu_op;
  };
  EXPECT_TRUE(flag(wire::field_varint(27, 1)));
  EXPECT_FALSE(flag(wire::field_varint(27, 0)));
  EXPECT_TRUE(flag(wire::field_varint(7, 1)));
  EXPECT_FALSE(flag(wire::field_varint(7, 0)));
  EXPECT_FALSE(flag(""));
}

TEST(ChakraReader, reads_all_attributes_of_point_to_point_nodes) {
  // comm_type on a send is the node type in some files and must not be taken for a collective.
  const auto records = read_all(with_metadata(
      wire::node(4, "s", wire::kSendNode) + wire::attr("comm_size", wire::field_varint(9, 131072)) +
      wire::attr("comm_type", wire::field_varint(9, 5)) + wire::attr("comm_dst", wire::field_varint(7, 6)) +
      wire::attr("comm_tag", wire::field_varint(11, 17)) + wire::attr("pg_name", wire::field_bytes(29, "12"))));
  const TraceNode& node = records.at(0).node;
  EXPECT_EQ(node.type, TraceNodeType::kSend);
  EXPECT_FALSE(node.collective);
  EXPECT_EQ(node.dst, RankId{6});
  EXPECT_FALSE(node.src);
  EXPECT_EQ(node.tag, 17u);
  EXPECT_EQ(node.comm_bytes, 131072u);
  EXPECT_EQ(node.group, "12");
}

TEST(ChakraReader, reads_involved_dim_packed_and_unpacked) {
  const std::string packed = wire::field_bytes(28, wire::field_bytes(1, std::string("\x01\x00\x01", 3)));
  const std::string unpacked =
      wire::field_bytes(28, wire::field_varint(1, 1) + wire::field_varint(1, 0) + wire::field_varint(1, 1));
  for (const std::string& form : {packed, unpacked}) {
    const auto records =
        read_all(with_metadata(wire::node(1, "n", wire::kCollNode) + wire::attr("involved_dim", form)));
    EXPECT_THAT(records.at(0).node.involved_dims, ElementsAre(true, false, true));
  }
}

TEST(ChakraReader, takes_attributes_without_value_as_absent_and_the_first_of_a_name) {
  const auto records = read_all(with_metadata(
      wire::node(1, "n", wire::kCollNode) + wire::attr("inputs", "") +
      wire::attr("comm_size", wire::field_varint(9, 10)) + wire::attr("comm_size", wire::field_varint(9, 20)) +
      wire::attr("pg_name", "") + wire::attr("comm_type", wire::field_varint(13, 8))));
  const TraceNode& node = records.at(0).node;
  EXPECT_EQ(node.comm_bytes, 10u);
  EXPECT_EQ(node.group, "");
  EXPECT_EQ(node.collective, CollectiveKind::kReduceScatter);
}

TEST(ChakraReader, names_groups_by_text_number_or_old_name) {
  const auto group = [](const std::string& attribute) {
    return read_all(with_metadata(wire::node(1, "n", wire::kCollNode) + attribute)).at(0).node.group;
  };
  EXPECT_EQ(group(wire::attr("pg_name", wire::field_bytes(29, "7"))), "7");
  EXPECT_EQ(group(wire::attr("pg_name", wire::field_bytes(31, "8"))), "8");
  EXPECT_EQ(group(wire::attr("pg_name", wire::field_varint(9, 9))), "9");
  EXPECT_EQ(group(wire::attr("comm_group", wire::field_varint(7, 3))), "3");
}

TEST(ChakraReader, reads_size_and_group_of_loads_and_stores) {
  for (const int type : {wire::kMemLoadNode, wire::kMemStoreNode, wire::kCompNode}) {
    const TraceNode node =
        read_all(with_metadata(wire::node(1, "n", type) + wire::attr("tensor_size", wire::field_varint(13, 4096)) +
                               wire::attr("pg_name", wire::field_bytes(29, "7"))))
            .at(0)
            .node;
    EXPECT_EQ(node.tensor_bytes, 4096u);
    EXPECT_EQ(node.group, type == wire::kCompNode ? "" : "7");
  }
}

TEST(ChakraReader, marks_collectives_without_kind) {
  const auto records = read_all(with_metadata(wire::node(1, "launch", wire::kCollNode)));
  EXPECT_EQ(records.at(0).node.collective, CollectiveKind::kAllReduce);
  EXPECT_TRUE(records.at(0).node.assumed_kind);
  EXPECT_EQ(records.at(0).node.comm_bytes, 0u);
}

TEST(ChakraReader, refuses_attributes_of_wrong_form_or_range_bad) {
  const auto error = [](const std::string& attribute) {
    return error_reading(with_metadata(wire::node(42, "n", wire::kCollNode) + attribute));
  };
  EXPECT_THAT(
      error(wire::attr("comm_size", wire::field_varint(9, static_cast<std::uint64_t>(-1)))),
      HasSubstr("byte 8: node 42: attribute comm_size (int64_val -1) cannot be used, expected an integer from"));
  EXPECT_THAT(error(wire::attr("comm_size", wire::field_bytes(29, "big"))), HasSubstr("(string_val \"big\")"));
  EXPECT_THAT(error(wire::attr("comm_size", wire::field_fixed(3, wire::raw(1.5)))), HasSubstr("(double_val 1.5)"));
  EXPECT_THAT(error(wire::attr("comm_type", wire::field_varint(9, 10))), HasSubstr("0 (ALL_REDUCE) to 9 (BARRIER)"));
  EXPECT_THAT(error(wire::attr("comm_priority", wire::field_varint(13, std::uint64_t{1} << 32))),
              HasSubstr("an integer from 0 to 4294967295"));
  EXPECT_THAT(error(wire::attr("involved_dim", wire::field_varint(9, 1))), HasSubstr("expected a list of flags"));
  EXPECT_THAT(error(wire::attr("pg_name", wire::field_varint(9, static_cast<std::uint64_t>(-2)))),
              HasSubstr("expected text or an integer from 0"));
}

TEST(ChakraReader, refuses_unknown_node_types_bad) {
  for (const int type : {0, 8}) {
    EXPECT_THAT(error_reading(with_metadata(wire::node(5, "n", type))),
                HasSubstr("byte 8: node 5 has type " + std::to_string(type)));
  }
}

TEST(ChakraReader, names_older_schemas_bad) {
  // 0.0.1: flat node, no metadata; field 3 node_type, 13 comm_type, 18 comm_size.
  const std::string v1 = wire::field_varint(1, 0) + wire::field_bytes(2, "n") + wire::field_varint(3, 6) +
                         wire::field_varint(13, 1) + wire::field_varint(18, 1024);
  EXPECT_THAT(error_reading(wire::record(v1)), HasSubstr("byte 0: record 0 is a Node, expected a GlobalMetadata: "
                                                         "Chakra schema 0.0.1, only 0.0.4 and later can be read"));
  // 0.0.2: attributes in field 11.
  const std::string v2 = wire::field_varint(1, 0) + wire::field_bytes(2, "n") + wire::field_varint(3, 3) +
                         wire::field_bytes(11, wire::field_bytes(1, "comm_size"));
  EXPECT_THAT(error_reading(wire::record(v2)), HasSubstr("schema 0.0.2 or 0.0.3"));
  // Late 0.0.3 has a GlobalMetadata in front.
  EXPECT_THAT(error_reading(wire::record("") + wire::record(v2)),
              HasSubstr("byte 1: record 1 is a Node of Chakra schema 0.0.2 or 0.0.3"));
  EXPECT_THAT(error_reading(wire::record(wire::field_varint(1, 3))), HasSubstr("Chakra schema before 0.0.4"));
}

TEST(ChakraReader, says_where_a_record_is_damaged_bad) {
  const std::string head = wire::node(5, "n", wire::kCompNode);  // 2 + 3 + 2 bytes
  const std::string field = "test.et: byte 16: record 1";        // 8 of metadata, 1 of length, 7 of head
  EXPECT_THAT(error_reading(with_metadata(head + wire::field_bytes(10, "\xff"))),
              HasSubstr(field + ", field 10 of a Node: not an AttributeProto"));
  EXPECT_THAT(error_reading(with_metadata(head + wire::field_bytes(5, "\x80"))), HasSubstr("data_deps is not a list"));
  EXPECT_THAT(error_reading(with_metadata(head + std::string("\x0b", 1))), HasSubstr("field 1 has wire type 3"));
  EXPECT_THAT(error_reading(with_metadata(head + std::string("\x3a\x05", 2))),
              HasSubstr("byte 18: record 1, expected a Node: a field of 5 bytes runs over the end"));
  EXPECT_THAT(error_reading(with_metadata(wire::node(5, "\xc3\x28", wire::kCompNode))),
              HasSubstr("byte 11: record 1, field 2 of a Node: the name is not UTF-8"));
}

TEST(ChakraReader, refuses_foreign_files_bad) {
  EXPECT_THAT(error_reading(""), HasSubstr("test.et: byte 0: the file is empty"));
  EXPECT_THAT(error_reading("{\"workload_graph\": []}"), HasSubstr("not a Chakra ET file"));
  EXPECT_THAT(error_reading("\x7f"
                            "ELF\x02\x01\x01" +
                            std::string(200, '\0')),
              HasSubstr("not a Chakra ET file"));
  EXPECT_THAT(error_reading(std::string(64, '\xff')), HasSubstr("byte 0: the length of record 0 is longer than 5"));
  EXPECT_THAT(error_reading(wire::varint(std::uint64_t{1} << 30) + "x"), HasSubstr("would have 1073741824 bytes"));
}

TEST(ChakraReader, reads_gzip_by_its_magic) {
  const auto records = read_all(gzip(kExample));
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].node.id, 3u);
  // Two members one behind the other are one file.
  EXPECT_EQ(read_all(gzip(kExample.substr(0, 30)) + gzip(kExample.substr(30))).size(), 1u);
}

TEST(ChakraReader, refuses_damaged_gzip_bad) {
  const std::string packed = gzip(kExample);
  EXPECT_THAT(error_reading(packed.substr(0, packed.size() - 9)), HasSubstr("truncated file"));
  std::string wrong_sum = packed;
  wrong_sum[packed.size() - 8] = static_cast<char>(wrong_sum[packed.size() - 8] ^ 1);
  EXPECT_THAT(error_reading(wrong_sum), HasSubstr("of the gzip data is damaged: incorrect data check"));
  EXPECT_THAT(error_reading(gzip(kExample.substr(0, 40))), HasSubstr("byte 8 of the decompressed data: record 1"));
}

TEST(ChakraReader, reads_files_larger_than_its_blocks) {
  std::string bytes = wire::metadata();
  constexpr int kNodes = 20000;
  for (int i = 0; i < kNodes; ++i) {
    bytes += wire::record(wire::node(static_cast<std::uint64_t>(i), "node", wire::kCompNode) +
                          wire::field_varint(7, static_cast<std::uint64_t>(i) * 3));
  }
  for (const std::string& form : {bytes, gzip(bytes)}) {
    const auto records = read_all(form);
    ASSERT_EQ(records.size(), std::size_t{kNodes});
    EXPECT_EQ(records.back().node.duration_us, (kNodes - 1) * 3u);
  }
}

TEST(ChakraReader, says_that_a_file_cannot_be_opened_bad) {
  const TraceFolder folder;
  EXPECT_THAT(error_of([&] { ChakraReader reader(folder.file("none.et")); }), HasSubstr("cannot be opened"));
  EXPECT_THAT(error_of([&] { ChakraReader reader(folder.file("")); }), HasSubstr("is a directory"));
}

TEST(ChakraReader, reads_process_groups_of_pytorch_metadata) {
  const std::string json =
      R"([{"pg_name": "0", "ranks": []}, {"pg_name": "1", "ranks": [0, 2]}, {"pg_name": "2", "ranks": [1, 3]}])";
  auto reader = reader_of(with_metadata(wire::node(1, "## process_group:init ##", wire::kMetadataNode) +
                                        wire::field_bytes(8, wire::field_bytes(1, "['" + json + "']"))));
  EXPECT_TRUE(reader->groups().empty());
  read_all(*reader);
  ASSERT_EQ(reader->groups().size(), 3u);
  EXPECT_THAT(reader->groups().members("2", 4), ElementsAre(RankId{1}, RankId{3}));
  EXPECT_EQ(reader->groups().members("0", 4).size(), 4u);
}

TEST(ChakraReader, refuses_damaged_process_groups_bad) {
  const auto error = [](const std::string& values) {
    return error_reading(with_metadata(wire::node(1, "## process_group:init ##", wire::kMetadataNode) +
                                       wire::field_bytes(8, wire::field_bytes(1, values))));
  };
  EXPECT_THAT(error("['[{']"), HasSubstr("byte 8: not valid JSON"));
  EXPECT_THAT(error("['[{\"pg_name\": \"1\"}]']"), HasSubstr("needs pg_name and ranks"));
  EXPECT_THAT(error("x"), HasSubstr("process groups expected"));
}

TEST(ChakraJsonReader, reads_nodes_of_all_kinds) {
  const TraceFolder folder;
  const std::string path = folder.write("t.0.json", R"({"workload_graph": [
    {"Id": 216, "Name": "gemm", "NodeType": 4, "ctrlDeps": [3], "data_deps": [], "runtime": 318, "is_cpu_op": true},
    {"Id": 7, "Name": "ar", "NodeType": 7, "ctrlDeps": [], "data_deps": [216, 3], "comm_type": 2, "comm_size": 4096},
    {"Id": 8, "Name": "s", "NodeType": 5, "comm_dst": 3, "comm_tag": 5, "comm_size": 64},
    {"Id": 9, "Name": "w", "NodeType": 2, "tensor_size": 512, "pg_name": "4"},
    {"Id": 10, "Name": "g", "NodeType": 3, "tensor_size": 256}]})");
  const auto reader = open_trace(path);
  const auto records = read_all(*reader);
  ASSERT_EQ(records.size(), 5u);
  EXPECT_EQ(records[0].node.duration_us, 318u);
  EXPECT_TRUE(records[0].node.is_cpu_op);
  EXPECT_THAT(records[0].control_deps, ElementsAre(3));
  EXPECT_THAT(records[1].node.deps, ElementsAre(3, 216));
  EXPECT_EQ(records[1].node.collective, CollectiveKind::kAllGather);
  EXPECT_EQ(records[1].node.comm_bytes, 4096u);
  EXPECT_EQ(records[2].node.dst, RankId{3});
  EXPECT_EQ(records[2].node.tag, 5u);
  EXPECT_EQ(records[3].node.type, TraceNodeType::kMemLoad);
  EXPECT_EQ(records[3].node.tensor_bytes, 512u);
  EXPECT_EQ(records[3].node.group, "4");
  EXPECT_EQ(records[4].node.type, TraceNodeType::kMemStore);
  EXPECT_EQ(records[4].node.tensor_bytes, 256u);
  EXPECT_EQ(records[4].node.group, "");
}

TEST(ChakraJsonReader, says_what_is_wrong_bad) {
  const TraceFolder folder;
  const auto error = [&](const std::string& text) {
    return error_of([&] { open_trace(folder.write("t.0.json", text)); });
  };
  EXPECT_THAT(error("{"), HasSubstr("not valid JSON"));
  EXPECT_THAT(error("[]"), HasSubstr("expected a JSON object with a list \"workload_graph\""));
  EXPECT_THAT(error(R"({"workload_graph": [{"NodeType": 4}]})"), HasSubstr("workload_graph[0]: key Id is missing"));
  EXPECT_THAT(error(R"({"workload_graph": [{"Id": 1, "NodeType": 9}]})"), HasSubstr("key NodeType is 9, expected 1"));
  EXPECT_THAT(error(R"({"workload_graph": [{"Id": 1, "NodeType": 4, "data_deps": [-1]}]})"),
              HasSubstr("key data_deps is [-1], expected a list of node ids"));
}

long most_kilobytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

TEST(ChakraJson, a_file_that_is_too_large_is_not_read_bad) {
  const TraceFolder folder;
  const std::string path = folder.write("t.0.json", "{");
  std::filesystem::resize_file(path, (std::uintmax_t{1} << 30) + 1);  // takes no room on the disk
  const long before = most_kilobytes();
  EXPECT_THAT(error_of([&] { open_trace(path); }), testing::HasSubstr("t.0.json: has more than 1073741824 bytes, the"));
  EXPECT_LT(most_kilobytes() - before, 100'000);
}

}  // namespace
}  // namespace weft::npu
