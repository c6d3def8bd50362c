// SPDX-License-Identifier: Apache-2.0
// A whole memory: initiators that are not ours on our DRAM, a memory that is not ours in its place, and memory.csv.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <random>
#include <sstream>

#include "mem/dram/command_checker.h"
#include "mem/dram_memory.h"
#include "mem/port/protocol_checker.h"
#include "tests/mem/support/payload_pool.h"
#include "tests/mem/support/timings.h"

namespace weft::mem::test {
namespace {

/// An initiator from the TLM-2.0 utilities: writes a pattern by b_transport and reads it back. Knows nothing of Weft.
class PatternWriter : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<PatternWriter> socket;

  explicit PatternWriter(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    SC_HAS_PROCESS(PatternWriter);
    SC_THREAD(run);
  }
  int wrong = 0;
  int good = 0;
  sc_core::sc_time took;

 private:
  void run() {
    for (const tlm::tlm_command command : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
      for (unsigned i = 0; i < 100; ++i) {
        unsigned char data[64];
        for (unsigned char& byte : data)
          byte = command == tlm::TLM_WRITE_COMMAND ? static_cast<unsigned char>(i) : 0xFF;
        tlm::tlm_generic_payload payload;
        set_access(payload, command, i * 4097, data, 64);
        sc_core::sc_time delay;
        socket->b_transport(payload, delay);
        sc_core::wait(delay);
        for (const unsigned char byte : data) byte == static_cast<unsigned char>(i) ? ++good : ++wrong;
      }
    }
    took = sc_core::sc_time_stamp();
  }
};

/// A memory from the TLM-2.0 utilities, as anybody might write it: 30 ns for every access.
class PlainMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<PlainMemory> socket;

  explicit PlainMemory(const sc_core::sc_module_name& name) : sc_module(name), socket("socket"), bytes_(1 << 20) {
    socket.register_b_transport(this, &PlainMemory::b_transport);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    auto* at = bytes_.data() + payload.get_address();
    if (payload.is_write()) {
      std::copy_n(payload.get_data_ptr(), payload.get_data_length(), at);
    } else {
      std::copy_n(at, payload.get_data_length(), payload.get_data_ptr());
    }
    delay += sc_core::sc_time(30, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::vector<unsigned char> bytes_;
};

DramTiming wide_small_timing() {
  DramTiming timing = small_timing();
  timing.rows = 4096;
  return timing;
}

TEST(DramMemory, serves_an_initiator_that_is_not_ours) {
  set_time_resolution();
  const DramTiming timing = wide_small_timing();
  DramMemory<> memory("memory", timing);
  CommandChecker commands(timing);
  memory.controller.set_observer(0, &commands);
  PatternWriter writer("writer");
  ProtocolChecker<> checker("checker");
  writer.socket.bind(checker.target_socket);
  checker.initiator_socket.bind(memory.port.socket);
  sc_core::sc_start();
  memory.domain.rethrow_failure();
  EXPECT_EQ(writer.good, 200 * 64);
  EXPECT_EQ(writer.wrong, 0);
  EXPECT_THAT(checker.rules().findings(), testing::IsEmpty());
  EXPECT_THAT(commands.findings(), testing::IsEmpty());
  EXPECT_GT(commands.commands(), 400U);
  // 64 bytes from any offset are two or three bursts.
  const ChannelFigures figures = memory.figures()[0].figures;
  EXPECT_EQ(figures.bytes, 200U * 64);
  EXPECT_EQ(figures.reads, figures.writes);
  EXPECT_EQ(figures.latency.count(), 200U);
}

TEST(DramMemory, a_memory_that_is_not_ours_takes_its_place) {
  set_time_resolution();
  PlainMemory memory("memory");
  PatternWriter writer("writer");
  ProtocolChecker<> checker("checker");
  writer.socket.bind(checker.target_socket);
  checker.initiator_socket.bind(memory.socket);
  sc_core::sc_start();
  EXPECT_EQ(writer.good, 200 * 64);
  EXPECT_EQ(writer.wrong, 0);
  EXPECT_THAT(checker.rules().findings(), testing::IsEmpty());
  EXPECT_EQ(writer.took, sc_core::sc_time(200 * 30, sc_core::SC_NS));
}

/// Keeps eight random reads and writes under way by nb_transport until 600 have ended; ends responses by TLM_COMPLETED,
/// at the time that their delay says.
class EightAtATime : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<EightAtATime> socket;

  explicit EightAtATime(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    SC_HAS_PROCESS(EightAtATime);
    socket.register_nb_transport_bw(this, &EightAtATime::nb_transport_bw);
    SC_METHOD(begin);
  }
  std::vector<std::uint64_t> ends;  ///< fs, in the order of responses

 private:
  void begin() {
    for (int i = 0; i < 8; ++i) send(sc_core::SC_ZERO_TIME);
  }
  void send(sc_core::sc_time delay) {
    if (sent_ == 600) return;
    ++sent_;
    tlm::tlm_generic_payload& payload = pool_.take();
    const bool is_write = random_() % 3 == 0;
    set_access(payload, is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, random_() % 100'000, data_,
               1 + static_cast<unsigned>(random_() % 64));
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    socket->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                     sc_core::sc_time& delay) {
    ends.push_back((sc_core::sc_time_stamp() + delay).value());
    payload.release();
    send(delay);
    return tlm::TLM_COMPLETED;
  }
  PayloadPool pool_;
  unsigned char data_[64] = {};
  int sent_ = 0;
  std::mt19937 random_{5};
};

/// One such initiator, checker, and memory with every command log checked.
struct Busy {
  Busy(const std::string& prefix, const PortOptions& options)
      : timing(wide_small_timing()),
        commands(timing),
        memory((prefix + "memory").c_str(), timing, {}, options),
        initiator((prefix + "initiator").c_str()),
        checker((prefix + "checker").c_str()) {
    memory.controller.set_observer(0, &commands);
    initiator.socket.bind(checker.target_socket);
    checker.initiator_socket.bind(memory.port.socket);
  }
  const DramTiming timing;
  CommandChecker commands;
  DramMemory<> memory;
  EightAtATime initiator;
  ProtocolChecker<> checker;
};

/// Has the memory's port visited at every edge.
class Waker final : public Block {
 public:
  Waker(ClockDomain& domain, const Block& block, Cycle until) : domain_(domain), block_(block), until_(until) {
    domain.add(*this);
  }
  void step(Cycle now) override { domain_.wake(block_, now + 1); }
  Cycle next_work(Cycle now) const override { return now < until_ ? now + 1 : kNever; }

 private:
  ClockDomain& domain_;
  const Block& block_;
  Cycle until_;
};

// Asleep, awake at every edge, and with responses sent ahead: the same accesses end at the same instants.
TEST(DramMemory, sleeping_and_early_responses_change_nothing) {
  set_time_resolution();
  PortOptions early;
  early.early_responses = true;
  Busy asleep("asleep_", {});
  Busy awake("awake_", {});
  Busy ahead("ahead_", early);
  Waker waker(awake.memory.domain, awake.memory.port.core, 30'000);
  sc_core::sc_start();
  EXPECT_EQ(asleep.initiator.ends.size(), 600U);
  EXPECT_EQ(asleep.initiator.ends, awake.initiator.ends);
  EXPECT_EQ(asleep.initiator.ends, ahead.initiator.ends);
  for (Busy* busy : {&asleep, &awake, &ahead}) {
    EXPECT_THAT(busy->checker.rules().findings(), testing::IsEmpty());
    EXPECT_EQ(busy->checker.rules().open(), 0U);
    EXPECT_THAT(busy->commands.findings(), testing::IsEmpty());
    EXPECT_TRUE(busy->memory.figures()[0].figures.latency == asleep.memory.figures()[0].figures.latency);
  }
}

// One read of a closed bank, by hand: called at 0, seen at edge 1, ACT 1, RD 1 + tRCD 7, data until + tCL 8 + tBL 2
// = 18.
TEST(DramMemory, a_single_read_takes_its_time) {
  set_time_resolution();
  DramTiming timing = wide_small_timing();
  timing.hertz = {2'000'000'000, 1};
  DramMemory<64> memory("memory", timing);
  struct Reader : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Reader, 64> socket{"socket"};
    sc_core::sc_time took;
    explicit Reader(const sc_core::sc_module_name& name) : sc_module(name) {
      SC_HAS_PROCESS(Reader);
      SC_THREAD(run);
    }
    void run() {
      unsigned char data[8];
      tlm::tlm_generic_payload payload;
      set_access(payload, tlm::TLM_READ_COMMAND, 0, data, 8);
      sc_core::sc_time delay;
      socket->b_transport(payload, delay);
      took = sc_core::sc_time_stamp();
    }
  } reader("reader");
  reader.socket.bind(memory.port.socket);
  sc_core::sc_start();
  EXPECT_EQ(reader.took, sc_core::sc_time(18 * 0.5, sc_core::SC_NS));
}

// Nothing arrives: no edge is executed after the first one.
TEST(DramMemory, costs_nothing_without_work) {
  set_time_resolution();
  DramMemory<> memory("memory", wide_small_timing());
  PlainMemory other("other");
  struct Idle : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Idle> socket{"socket"};
    explicit Idle(const sc_core::sc_module_name& name) : sc_module(name) {}
  } idle("idle");
  idle.socket.bind(memory.port.socket);
  PatternWriter writer("writer");  // makes time pass
  writer.socket.bind(other.socket);
  sc_core::sc_start();
  EXPECT_GT(sc_core::sc_time_stamp(), sc_core::sc_time(5, sc_core::SC_US));
  EXPECT_EQ(memory.domain.now(), 0U);
  EXPECT_EQ(memory.storage.pages(), 0U);
  EXPECT_EQ(memory.figures()[0].figures.refreshes, 5U);  // 6000 cycles, but the present instant's edge is not over
}

TEST(MemoryCsv, has_a_line_for_each_channel) {
  MemoryRow row;
  row.memory = "npu[0,1].hbm";
  row.channel = 3;
  ChannelFigures& f = row.figures;
  f.reads = 10;
  f.writes = 4;
  f.row_hits = 8;
  f.row_misses = 5;
  f.row_conflicts = 1;
  f.refreshes = 2;
  f.queue_mean = 1.5;
  f.queue_max = 7;
  f.bytes = 448;
  f.refused = 6;
  for (Cycle latency = 1; latency <= 200; ++latency) f.latency.add(latency);
  MemoryRow idle;
  idle.memory = "pool";
  std::ostringstream out;
  write_memory_csv({row, idle}, out);
  EXPECT_EQ(
      out.str(),
      "memory,channel,reads,writes,row_hits,row_misses,row_conflicts,refreshes,queue_mean,queue_max,bytes,refused,"
      "latency_p50_cycles,latency_p99_cycles\n"
      "\"npu[0,1].hbm\",3,10,4,8,5,1,2,1.5,7,448,6,100,198\n"
      "pool,0,0,0,0,0,0,0,0,0,0,0,,\n");
}

}  // namespace
}  // namespace weft::mem::test
