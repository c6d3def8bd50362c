// SPDX-License-Identifier: Apache-2.0
// `weft trace info` and `show`: on a small trace made here, and against the figures that come with the samples.
#include "npu/trace/trace_info.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "npu/trace/chakra_writer.h"
#include "npu/trace/trace_files.h"
#include "npu/trace/trace_show.h"
#include "tests/npu/trace/trace_test_util.h"
#include "tests/npu/trace/wire_builder.h"

namespace weft::npu {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Rank 0: 3 nodes, rank 1: 2 nodes; one edge to an absent id, one id used twice.
std::string small_trace(const TraceFolder& folder) {
  using namespace wire;
  folder.write(
      "t.0.et",
      metadata() +
          record(node(1, "gemm \"a\"", kCompNode) + field_varint(7, 40) + attr("num_ops", field_varint(9, 2000000))) +
          record(node(2, "ar", kCollNode) + field_varint(5, 1) + field_varint(4, 1) +
                 attr("comm_type", field_varint(9, 0)) + attr("comm_size", field_varint(9, 1048576)) +
                 attr("pg_name", field_bytes(29, "3"))) +
          record(node(4, "s", kSendNode) + field_varint(4, 99) + field_varint(4, 2) +
                 attr("comm_dst", field_varint(7, 1)) + attr("comm_size", field_varint(9, 1536))));
  folder.write("t.1.et", metadata() +
                             record(node(5, "r", kRecvNode) + attr("comm_src", field_varint(7, 0)) +
                                    attr("comm_size", field_varint(9, 1536))) +
                             record(node(5, "launch", kCollNode)));
  return folder.file("t");
}

std::string info_of(const std::string& prefix, bool json = false) {
  std::ostringstream out;
  trace_info(prefix, out, json);
  return out.str();
}

std::string dot_of(const std::string& prefix, std::uint32_t rank) {
  std::ostringstream out;
  trace_show(prefix, RankId{rank}, out);
  return out.str();
}

TEST(TraceInfo, counts_a_small_trace) {
  const TraceFolder folder;
  const Json json = Json::parse(info_of(small_trace(folder), true));
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["version"], "0.0.4");
  EXPECT_EQ(json["nodes"], 5);
  EXPECT_EQ(json["nodes_per_rank"], (Json{{"min", 2}, {"max", 3}}));
  EXPECT_EQ(json["nodes_by_type"], (Json{{"COMP", 1}, {"COMM_COLL", 2}, {"COMM_SEND", 1}, {"COMM_RECV", 1}}));
  EXPECT_EQ(json["collectives"], (Json{{"ALL_REDUCE", {{"nodes", 2}, {"bytes", 1048576}}}}));
  EXPECT_EQ(json["collectives_without_kind"], 1);
  EXPECT_EQ(json["messages"]["COMM_SEND"], (Json{{"nodes", 1}, {"bytes", 1536}}));
  EXPECT_EQ(json["edges"], (Json{{"data", 1}, {"control", 3}, {"to_absent_nodes", 1}}));
  EXPECT_EQ(json["duplicate_ids"], 1);
  EXPECT_EQ(json["duration_us"], 40);
  EXPECT_EQ(json["num_ops"], 2e6);
  EXPECT_EQ(json["nodes_by_group"], (Json{{"3", 1}}));
}

TEST(TraceInfo, prints_text_for_people) {
  const TraceFolder folder;
  const std::string text = info_of(small_trace(folder));
  EXPECT_THAT(text, HasSubstr("nodes        5 (2..3 a rank)\n"));
  EXPECT_THAT(text, HasSubstr("  ALL_REDUCE                2  1048576 B (1 MiB)\n"));
  EXPECT_THAT(text, HasSubstr("  COMM_SEND                 1  1536 B (1.5 KiB)\n"));
  EXPECT_THAT(text, HasSubstr("edges        data 1, control 3; to absent nodes: 1; duplicate ids: 1\n"));
  EXPECT_THAT(text, HasSubstr("(1 of them name no comm_type and count as ALL_REDUCE)"));
}

// A load for the rank alone, one that is copied to a group, and a store that is summed over all ranks.
std::string memory_trace(const TraceFolder& folder) {
  using namespace wire;
  folder.write("m.0.et", metadata() +
                             record(node(1, "mine", kMemLoadNode) + attr("tensor_size", field_varint(13, 100))) +
                             record(node(2, "w", kMemLoadNode) + attr("tensor_size", field_varint(13, 2048)) +
                                    attr("pg_name", field_bytes(29, "4"))) +
                             record(node(3, "g", kMemStoreNode) + attr("tensor_size", field_varint(9, 512)) +
                                    attr("pg_name", field_varint(7, 0))));
  return folder.file("m");
}

TEST(TraceInfo, counts_loads_and_stores) {
  const TraceFolder folder;
  const Json json = Json::parse(info_of(memory_trace(folder), true));
  EXPECT_EQ(json["memory"],
            (Json{{"MEM_LOAD", {{"nodes", 2}, {"bytes", 2148}}}, {"MEM_STORE", {{"nodes", 1}, {"bytes", 512}}}}));
  EXPECT_EQ(json["memory_in_groups"], 2);
  EXPECT_EQ(json["nodes_by_group"], (Json{{"4", 1}}));
  const std::string text = info_of(folder.file("m"));
  EXPECT_THAT(text, HasSubstr("memory       nodes and bytes over all ranks\n  MEM_LOAD                  2  2148 B"));
  EXPECT_THAT(text, HasSubstr("(2 of them are one load or one sum of a group)"));
}

TEST(TraceShow, loads_and_stores_say_for_whom) {
  const TraceFolder folder;
  const std::string dot = dot_of(memory_trace(folder), 0);
  EXPECT_THAT(dot, HasSubstr("1 MEM_LOAD\\nmine\\n100 B\","));
  EXPECT_THAT(dot, HasSubstr("2 MEM_LOAD\\nw\\n2048 B (2 KiB), copied to group 4\","));
  EXPECT_THAT(dot, HasSubstr("3 MEM_STORE\\ng\\n512 B, summed over all ranks\","));
}

TEST(TraceInfo, shows_groups_of_metadata_nodes) {
  const TraceFolder folder;
  using namespace wire;
  folder.write("t.0.et",
               metadata() + record(node(1, "## process_group:init ##", kMetadataNode) +
                                   field_bytes(8, field_bytes(1, R"(['[{"pg_name": "7", "ranks": [0]}]'])"))));
  EXPECT_EQ(Json::parse(info_of(folder.file("t"), true))["groups"], (Json{{"7", {0}}}));
}

TEST(TraceFiles, finds_all_ranks_in_any_form) {
  const TraceFolder folder;
  folder.write("t.0.et", "");
  folder.write("t.1.et.gz", "");
  folder.write("t.2.json", "");
  folder.write("tt.3.et", "");
  EXPECT_THAT(find_trace_files(folder.file("t")),
              ElementsAre(folder.file("t.0.et"), folder.file("t.1.et.gz"), folder.file("t.2.json")));
}

TEST(TraceFiles, says_what_is_there_instead_bad) {
  const TraceFolder folder;
  const auto error = [&](const std::string& name) { return error_of([&] { find_trace_files(folder.file(name)); }); };
  EXPECT_THAT(error("t"), HasSubstr("t.0.et: no such trace file"));
  EXPECT_THAT(error("t"), HasSubstr("there are no trace files in"));
  EXPECT_THAT(error("none/t"), HasSubstr("there is no folder"));
  folder.write("all_reduce.0.et", "");
  folder.write("broadcast.0.et", "");
  EXPECT_THAT(error("all_redcue"), HasSubstr("the nearest prefix there is " + folder.file("all_reduce")));
  EXPECT_THAT(error("all_reduce.0.et"), HasSubstr("give the prefix alone: " + folder.file("all_reduce")));
  folder.write("broadcast.2.et", "");
  EXPECT_THAT(error("broadcast"), HasSubstr("broadcast.1.et: missing, but rank 2 of the same trace is there"));
}

TEST(TraceFiles, takes_groups_from_the_file_or_from_the_metadata_of_all_ranks) {
  const TraceFolder folder;
  using namespace wire;
  for (const char* rank : {"0", "1"}) {
    const std::string groups = std::string(R"(['[{"pg_name": "1)") + rank + R"(", "ranks": [)" + rank + R"(]}]'])";
    folder.write(std::string("t.") + rank + ".et",
                 metadata() + record(node(1, "## process_group:init ##", kMetadataNode) +
                                     field_bytes(8, field_bytes(1, groups))));
  }
  const auto files = find_trace_files(folder.file("t"));
  const ProcessGroups from_trace = load_process_groups(files, "");
  EXPECT_EQ(from_trace.size(), 2u);
  EXPECT_THAT(from_trace.members("11", 2), ElementsAre(RankId{1}));
  const ProcessGroups from_file = load_process_groups(files, folder.write("g.json", R"({"5": [1, 0]})"));
  EXPECT_EQ(from_file.size(), 1u);
  EXPECT_TRUE(from_file.contains("5"));
}

TEST(TraceShow, prints_nodes_and_edges_as_dot) {
  const TraceFolder folder;
  const std::string dot = dot_of(small_trace(folder), 0);
  EXPECT_THAT(dot, HasSubstr("digraph \""));
  EXPECT_THAT(dot, HasSubstr(R"(n1 [label="1 COMP\ngemm \"a\"\n40 us", shape=box)"));
  EXPECT_THAT(dot, HasSubstr(R"(n2 [label="2 COMM_COLL\nar\nALL_REDUCE 1048576 B (1 MiB), group 3")"));
  EXPECT_THAT(dot, HasSubstr("  n1 -> n2;\n"));
  EXPECT_THAT(dot, HasSubstr("  n1 -> n2 [style=dashed];\n"));
  EXPECT_THAT(dot, HasSubstr(R"(n99 [label="99\nabsent")"));
  EXPECT_THAT(dot, Not(HasSubstr(R"(n2 [label="2\nabsent")")));
  EXPECT_EQ(dot.substr(dot.size() - 2), "}\n");
}

TEST(TraceShow, a_forward_reference_is_not_absent) {
  const TraceFolder folder;
  using namespace wire;
  folder.write("t.0.et",
               metadata() + record(node(1, "a", kCompNode) + field_varint(5, 2)) + record(node(2, "b", kCompNode)));
  const std::string dot = dot_of(folder.file("t"), 0);
  EXPECT_THAT(dot, HasSubstr("  n2 -> n1;\n"));
  EXPECT_THAT(dot, Not(HasSubstr("label=\"2\\nabsent\"")));
}

TEST(TraceShow, refuses_a_rank_that_is_not_there_bad) {
  const TraceFolder folder;
  const std::string prefix = small_trace(folder);
  EXPECT_THAT(error_of([&] { dot_of(prefix, 2); }), HasSubstr("there is no rank 2, the trace has ranks 0 to 1"));
}

// The figures that the samples' README files give, which were counted by an independent decoder.
struct Figures {
  std::string prefix;
  std::string text;
};

std::vector<Figures> sample_figures() {
  std::vector<Figures> all;
  for (const auto& folder : std::filesystem::directory_iterator(sample_traces())) {
    std::ifstream readme(folder.path() / "README.md");
    if (!readme) continue;
    std::string line;
    std::string prefix = (folder.path() / "chakra").string();  // a README without headings has one trace of this name
    while (std::getline(readme, line)) {
      static const std::regex kHeading(R"(## (.*)\.\{rank\}\.et)");
      std::smatch match;
      if (std::regex_match(line, match, kHeading)) prefix = (folder.path() / match[1].str()).string();
      if (line.rfind("- ranks (files)", 0) == 0) all.push_back({prefix, ""});
      if (line.rfind("- ", 0) == 0 && !all.empty()) all.back().text += line + "\n";
    }
  }
  return all;
}

// "COMP 144, COMM_COLL 88" after `title`; empty if there is no such line.
std::map<std::string, std::uint64_t> named_numbers(const std::string& text, const std::string& title) {
  std::map<std::string, std::uint64_t> numbers;
  const std::size_t begin = text.find("- " + title);
  if (begin == std::string::npos) return numbers;
  const std::string line = text.substr(begin, text.find('\n', begin) - begin);
  const std::string list = line.substr(line.find(": "));
  static const std::regex kItem("([A-Z_]+) ([0-9]+)");
  for (std::sregex_iterator item(list.begin(), list.end(), kItem), end; item != end; ++item) {
    numbers[(*item)[1]] = std::stoull((*item)[2]);
  }
  return numbers;
}

std::uint64_t number_after(const std::string& text, const std::string& key) {
  const std::size_t at = text.find(key);
  if (at == std::string::npos) throw std::runtime_error("no figure \"" + key + "\"");
  return std::stoull(text.substr(at + key.size()));
}

template <typename Map>
void add_figures(const Map& counts, std::map<std::string, std::uint64_t>& nodes,
                 std::map<std::string, std::uint64_t>& bytes) {
  for (const auto& [name, entry] : counts.items()) {
    nodes[name] = entry["nodes"];
    bytes[name] = entry["bytes"];
  }
}

TEST(TraceInfo, agrees_with_the_figures_of_all_samples) {
  SKIP_WITHOUT_TRACES();
  const auto figures = sample_figures();
  EXPECT_GE(figures.size(), 35u);
  for (const Figures& sample : figures) {
    SCOPED_TRACE(sample.prefix);
    const Json json = Json::parse(info_of(sample.prefix, true));
    EXPECT_EQ(json["ranks"], number_after(sample.text, "ranks (files): "));
    EXPECT_EQ(json["nodes"], number_after(sample.text, "; nodes: "));
    EXPECT_EQ(json["nodes_per_rank"]["max"], number_after(sample.text, ".."));
    std::map<std::string, std::uint64_t> message_nodes;
    std::map<std::string, std::uint64_t> collective_nodes;
    std::map<std::string, std::uint64_t> bytes;
    add_figures(json["collectives"], collective_nodes, bytes);
    add_figures(json["messages"], message_nodes, bytes);
    EXPECT_EQ((json["nodes_by_type"].get<std::map<std::string, std::uint64_t>>()),
              named_numbers(sample.text, "nodes by type"));
    EXPECT_EQ(collective_nodes, named_numbers(sample.text, "collectives"));
    EXPECT_EQ(bytes, named_numbers(sample.text, "bytes (sum"));
    EXPECT_EQ(json["edges"]["data"], number_after(sample.text, "dependency edges: data "));
    EXPECT_EQ(json["edges"]["control"], number_after(sample.text, ", control "));
    EXPECT_EQ(json["edges"]["to_absent_nodes"], number_after(sample.text, "references to absent nodes: "));
    EXPECT_EQ(json["duplicate_ids"], number_after(sample.text, "duplicate ids: "));
    EXPECT_EQ(json["duration_us"], number_after(sample.text, "sum of `duration_micros`: "));
  }
}

// Three times 2^63 - 1 bytes, and as many microseconds.
TEST(TraceInfo, sums_of_more_than_64_bits_are_refused_bad) {
  using namespace wire;
  const std::uint64_t most = (std::uint64_t{1} << 63) - 1;
  const TraceFolder folder;
  std::string loads = metadata();
  std::string computations = metadata();
  for (std::uint64_t id = 1; id <= 3; ++id) {
    loads += record(node(id, "a", kMemLoadNode) + attr("tensor_size", field_varint(9, most)));
    computations += record(node(id, "a", kCompNode) + field_varint(7, most));
  }
  folder.write("bytes.0.et", loads);
  folder.write("time.0.et", computations);
  for (const auto& [name, sum] :
       {std::pair("bytes", "sum of tensor_size over the nodes"), {"time", "sum of recorded durations"}}) {
    try {
      summarize_trace(folder.file(name));
      FAIL() << name;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), folder.file(name) + ".0.et: node 3: " + sum +
                                  ": 18446744073709551614 + 9223372036854775807 needs more than 64 bits");
    }
  }
}

}  // namespace
}  // namespace weft::npu
