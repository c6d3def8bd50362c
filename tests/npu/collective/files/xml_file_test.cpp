// SPDX-License-Identifier: Apache-2.0
// Programs as XML of MSCCL: the import, what is refused, and such files in the cache of programs and played by engines.
#include <gtest/gtest.h>

#include <cstdlib>

#include "npu/collective/checker/checker.h"
#include "npu/collective/files/xml.h"
#include "npu/collective/form/values.h"
#include "tests/npu/collective/engine/engine_bench.h"
#include "tests/npu/collective/files/program_texts.h"

namespace weft::npu {
namespace {

using testing::EngineBench;
using testing::message_of;
using testing::replaced;
using testing::written;

// all_reduce of two ranks in two blocks: block 0 sends the rank's own fragment half, block 1 adds what comes and, after
// a nop that waits for block 0, passes the sum on.
constexpr const char* kTwoBlocks = R"(<?xml version="1.0"?>
<!-- reduce at rank 0, then back -->
<algo name="two" ngpus="2" coll="allreduce" inplace="1" nchunksperloop="1">
  <gpu id="0" i_chunks="1" o_chunks="0" s_chunks="1">
    <tb id="0" send="-1" recv="1" chan="0">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="1" recv="-1" chan="1">
      <step s="0" type="nop" srcbuf="i" srcoff="-1" dstbuf="o" dstoff="-1" cnt="0" depid="0" deps="0" hasdep="0"/>
      <step s="1" type="re" srcbuf="s" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
      <step s="2" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
    </tb>
  </gpu>
  <gpu id="1" i_chunks="1" o_chunks="0" s_chunks="0">
    <tb id="0" send="0" recv="-1" chan="0">
      <step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="s" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="1"/>
    </tb>
    <tb id="1" send="-1" recv="0" chan="1">
      <step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="0" deps="0" hasdep="0"/>
    </tb>
  </gpu>
</algo>
)";

TEST(MscclFile, blocks_nops_and_dependencies_become_one_sequence) {
  const auto program = parse_program(kTwoBlocks, "two.xml");
  const CheckReport report = check_program(*program);
  EXPECT_TRUE(report.ok()) << (report.errors.empty() ? "" : report.errors.front());
  ASSERT_EQ(program->length(0), 3u);
  EXPECT_EQ(to_text(program->at(0, 1)), "reduce scratch[0] into input[0]");
  EXPECT_EQ(program->at(0, 1).deps, std::vector<std::uint32_t>{0});
  EXPECT_EQ(program->at(0, 2).deps, std::vector<std::uint32_t>{1});
  EXPECT_EQ(program->at(1, 1).deps, std::vector<std::uint32_t>{0});
}

TEST(MscclFile, a_missing_dependency_is_found) {
  // Without the nop the sum may be formed before the data have come.
  const std::string broken = replaced(kTwoBlocks, "depid=\"0\" deps=\"0\"", "depid=\"-1\" deps=\"-1\"");
  const CheckReport report = check_program(*parse_program(broken, "two.xml"));
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.errors.front().find("no dependency orders them"), std::string::npos) << report.errors.front();
}

TEST(MscclFile, says_what_is_wrong_and_where_bad) {
  const auto message = [](const std::string& from, const std::string& to) {
    return message_of(replaced(kTwoBlocks, from, to));
  };
  EXPECT_EQ(message("</tb>", "</tv>"),
            "p.yaml:7:7: this closes another element than the open one; expected: </tb>, for element 'tb' of line 5");
  EXPECT_EQ(message("ngpus=\"2\"", "ngpus=\"3\""), "p.yaml:3:1: gpu 2 is missing");
  EXPECT_EQ(message("ngpus=\"2\"", "ngpus=\"two\""), "p.yaml:3:1: ngpus must be a whole number 1..65536, found 'two'");
  EXPECT_EQ(
      message("coll=\"allreduce\"", "coll=\"allreduse\""),
      "p.yaml:3:1: unknown coll 'allreduse'; known: allreduce, allgather, reducescatter, reduce_scatter, alltoall, "
      "broadcast, reduce, gather, scatter; did you mean 'allreduce'?");
  EXPECT_EQ(message("type=\"re\"", "type=\"rx\""),
            "p.yaml:10:7: unknown type 'rx'; known: s, r, rrc, cpy, re, rrs, rrcs, rcs, nop; did you mean 'r'?");
  EXPECT_EQ(message("<tb id=\"1\" send=\"1\"", "<tb id=\"1\" send=\"-1\""),
            "p.yaml:11:7: this step needs a peer, but its 'tb' has send=\"-1\"");
  EXPECT_EQ(message("depid=\"0\" deps=\"0\"", "depid=\"0\" deps=\"4\""), "p.yaml:9:7: block 0 has no step 4");
  EXPECT_EQ(message("depid=\"0\" deps=\"0\"", "depid=\"1\" deps=\"2\""),
            "p.yaml:9:7: gpu 0: this step waits for step 2 of block 1, which cannot come before it");
  EXPECT_EQ(message("</algo>", ""), "p.yaml:23:1: the file ends within element 'algo' of line 3");
  EXPECT_EQ(message("id=\"0\" i_chunks", "id=0 i_chunks"),
            "p.yaml:4:11: not well-formed XML; expected: <name attribute=\"value\" ...>, </name> or <!-- comment -->");
}

std::string xml_error(const std::string& text) {
  try {
    parse_xml(text, "x.xml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Xml, what_is_not_well_formed_bad) {
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "<a>";
  EXPECT_EQ(xml_error(deep), "x.xml:1:49: elements are nested deeper than 16");
  EXPECT_EQ(xml_error("<a b=\"1\"\n b=\"2\"/>"), "x.xml:2:2: this attribute stands twice in its element");
  EXPECT_EQ(xml_error(""), "x.xml:1:1: the file ends before its first element");
  EXPECT_EQ(xml_error("<a/>\n<b/>"), "x.xml:2:1: something stands behind the end of the first element");
  EXPECT_EQ(xml_error("<a> text</a>"), "x.xml:1:4: an element was expected, found ' text'");
  EXPECT_EQ(xml_error("<a>\n <b c='1'"), "x.xml:2:2: this is not closed before the file ends");
  EXPECT_EQ(xml_error("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>"), "x.xml:1:13: document types are not read");
}

TEST(Xml, attributes_are_unescaped) {
  EXPECT_EQ(*parse_xml("<a b='&lt;&amp;&quot;&gt;'/>", "escaped.xml").find("b"), "<&\">");
}

/// The time grows with the length: with its square, as once, this ends in the time limit of the test.
TEST(Xml, many_attributes) {
  std::string text = "<a";
  for (int i = 0; i < 400000; ++i) text += " k" + std::to_string(i) + "='" + std::to_string(i) + "'";
  const XmlElement root = parse_xml(text + "/>", "many.xml");
  ASSERT_EQ(root.attributes.size(), 400000u);
  EXPECT_EQ(*root.find("k399999"), "399999");
}

CollectiveSpec file_spec(const std::string& path) {
  CollectiveSpec spec = EngineBench::collective_spec("file");
  spec.algorithm_file = path;
  return spec;
}

TEST(ProgramCache, files_are_checked_and_kept_to_their_kind_and_size_bad) {
  const std::string path = written(kTwoBlocks);
  ProgramCache cache(file_spec(path), {});
  EXPECT_EQ(cache.get(CollectiveKind::kAllReduce, *EngineBench::group(0, 0, 2), 0, 8)->length(0), 3u);
  try {
    cache.get(CollectiveKind::kAllReduce, *EngineBench::group(1, 0, 3), 0, 8);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path +
                                ": the program does all_reduce of 2 ranks (root 0); group '1' wants all_reduce of 3 "
                                "ranks (root 0)");
  }
  const std::string broken = written(replaced(kTwoBlocks, "type=\"re\"", "type=\"cpy\""));
  try {
    ProgramCache unsound(file_spec(broken), {});
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("the program is not sound:\n  rank 0: output fragment 0"),
              std::string::npos)
        << error.what();
  }
}

TEST(ProgramCache, gives_everybody_the_same_program) {
  ProgramCache cache(EngineBench::collective_spec("ring"), {});
  const auto group = EngineBench::group(3, 0, 4);
  EXPECT_EQ(cache.get(CollectiveKind::kAllReduce, *group, 2, 8), cache.get(CollectiveKind::kAllReduce, *group, 2, 16));
  EXPECT_NE(cache.get(CollectiveKind::kBroadcast, *group, 0, 8), cache.get(CollectiveKind::kBroadcast, *group, 2, 8));
}

// Plays a two-fragment program from a file on real data.
TEST(ProgramFile, engine_plays_files) {
  testing::IdealNetworkSpec network;
  network.nodes = 2;
  testing::IdealNetwork ideal(network);
  ProgramCache cache(file_spec(written(kTwoBlocks)), {});
  std::vector<std::unique_ptr<testing::EngineNode>> nodes;
  CollectiveRequest request;
  request.name = "all_reduce_0";
  request.group = EngineBench::group(0, 0, 2);
  request.bytes = 400;
  request.dtype = DataType::kInt32;
  request.data = DataMode::kValues;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    nodes.push_back(std::make_unique<testing::EngineNode>(ideal.at(NodeId{rank}), NpuSpec{}, ClockSpec{}, cache));
    request.my_index = rank;
    request.input = std::make_shared<Payload>(make_input(DataType::kInt32, 100, 1, rank));
    nodes.back()->engine.start(request);
  }
  ideal.run();
  Payload sum = make_input(DataType::kInt32, 100, 1, 0);
  reduce_elements(ReduceOp::kSum, DataType::kInt32, sum.data(), make_input(DataType::kInt32, 100, 1, 1).data(), 100);
  for (const auto& node : nodes) EXPECT_EQ(*node->done.at(0).result, sum);
}

TEST(MscclFile, sample_ring_all_reduce_is_imported_and_played) {
  const char* traces = std::getenv("WEFT_TRACES");
  if (traces == nullptr) GTEST_SKIP() << "needs sample traces: set WEFT_TRACES to their folder";
  const std::string path = std::string(traces) + "/astrasim_custom_ring_allreduce_8/custom_allreduce.xml";
  const auto program = load_program(path);
  const CheckReport report = check_program(*program);
  EXPECT_TRUE(report.ok()) << (report.errors.empty() ? "" : report.errors.front());
  EXPECT_EQ(report.instructions, 8u * 28);
  EXPECT_EQ(report.messages, 8u * 14);
  // 1 MiB, 100 bytes per cycle, latency 50, delay 5: as any ring all-reduce, e + (n-1)(2(t+e)).
  testing::IdealNetworkSpec network;
  network.nodes = 8;
  network.latency = 50;
  network.bytes_per_cycle = {128, 1};
  network.packet_bytes = 1 << 30;
  testing::IdealNetwork ideal(network);
  ProgramCache cache(file_spec(path), {});
  NpuSpec npu;
  npu.endpoint_delay_cycles = 5;
  std::vector<std::unique_ptr<testing::EngineNode>> nodes;
  CollectiveRequest request;
  request.group = EngineBench::group(0, 0, 8);
  request.bytes = 1 << 20;
  for (std::uint32_t rank = 0; rank < 8; ++rank) {
    nodes.push_back(std::make_unique<testing::EngineNode>(ideal.at(NodeId{rank}), npu, ClockSpec{}, cache));
    request.my_index = rank;
    nodes.back()->engine.start(request);
  }
  ideal.run();
  for (const auto& node : nodes) EXPECT_EQ(node->done.at(0).end_cycle, 5u + 7 * 2 * (1024 + 50 + 5));
}

}  // namespace
}  // namespace weft::npu
