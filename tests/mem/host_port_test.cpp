// SPDX-License-Identifier: Apache-2.0
// A host that knows nothing of Weft on memories that a configuration file describes: the access check, pointers and
// debug accesses as its keys say. Each case makes modules of its own, so each is a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <array>
#include <fstream>
#include <functional>

#include "config/load.h"
#include "mem/dram_memory.h"
#include "mem/host_port.h"
#include "mem/port/refusal.h"
#include "tests/mem/support/pool_text.h"
#include "tests/support/temp_dir.h"

namespace weft::mem {
namespace {

using weft::test::TempDir;
using Bytes = std::array<unsigned char, 64>;

/// An initiator from the TLM-2.0 utilities that plays a script.
class Host : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Host> socket;
  std::function<void(Host&)> script;
  int invalidations = 0;

  explicit Host(const sc_core::sc_module_name& name) : sc_module(name), socket("socket") {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
    socket.register_invalidate_direct_mem_ptr(this, &Host::invalidated);
  }

  tlm::tlm_response_status access(tlm::tlm_command command, std::uint64_t address, Bytes& data) {
    set(command, address, data);
    sc_core::sc_time delay;
    const double before_ns = sc_core::sc_time_stamp().to_seconds() * 1e9;
    socket->b_transport(payload, delay);
    sc_core::wait(delay);
    took_ns = sc_core::sc_time_stamp().to_seconds() * 1e9 - before_ns;
    return payload.get_response_status();
  }
  unsigned debug(tlm::tlm_command command, std::uint64_t address, Bytes& data) {
    set(command, address, data);
    return socket->transport_dbg(payload);
  }
  bool pointer(tlm::tlm_command command, std::uint64_t address) {
    Bytes data{};
    set(command, address, data);
    return socket->get_direct_mem_ptr(payload, dmi);
  }

  tlm::tlm_generic_payload payload;
  tlm::tlm_dmi dmi;
  double took_ns = 0;

 private:
  void run() { script(*this); }
  void invalidated(sc_dt::uint64, sc_dt::uint64) { ++invalidations; }
  void set(tlm::tlm_command command, std::uint64_t address, Bytes& data) {
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data.data());
    payload.set_data_length(static_cast<unsigned>(data.size()));
    payload.set_streaming_width(static_cast<unsigned>(data.size()));
    payload.set_byte_enable_ptr(nullptr);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  }
};

/// A configuration on disk: its folder holds the pool's file, too, which it names relative to itself.
Config config_with(const TempDir& folder, const std::string& memory, const std::string& more = "") {
  PoolText pool;
  pool.size = "1 GiB";
  pool.more = more;
  pool.in(folder.path());
  std::ofstream((folder / "t.0.json").string()) << R"({"workload_graph": []})";
  const std::string path = (folder / "system.yaml").string();
  std::ofstream(path) << "fabric: {size: [2, 2], router: {multicast: true, vcs: 4}}\nclock: 1 GHz\n"
                         "npu: {message_classes: 2}\nio: {controllers: 2}\n"
                         "workload: {trace: {chakra: t}}\nmemory: {tensors: io, pool: pool.yaml, timing: hbm3, "
                      << memory << "}\n";
  return load_config(path, {});
}

void play(Host& host, const std::function<void(Host&)>& script) {
  int ended = 0;
  host.script = [&](Host& self) {
    script(self);
    ++ended;
  };
  sc_core::sc_start();
  EXPECT_EQ(ended, 1);
}

TEST(HostPort, options_are_those_of_the_file) {
  const TempDir folder;
  EXPECT_FALSE(host_port_options(config_with(folder, "dmi: false")).dmi);
  EXPECT_FALSE(host_port_options(config_with(folder, "dmi: true")).debug_all);
  EXPECT_TRUE(host_port_options(config_with(folder, "dmi: true")).dmi);
  EXPECT_TRUE(host_port_options(config_with(folder, "debug_all: true")).debug_all);
}

void dram(bool with_dmi) {
  set_time_resolution();
  const TempDir folder;
  const Config config = config_with(folder, with_dmi ? "dmi: true" : "dmi: false");
  DramMemory<> hbm("hbm", timing_of(config.memory), {}, host_port_options(config));
  Host host("host");
  host.socket.bind(hbm.port.socket);
  play(host, [&](Host& self) {
    Bytes data{};
    data.fill(7);
    EXPECT_EQ(self.access(tlm::TLM_WRITE_COMMAND, 8192, data), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(self.pointer(tlm::TLM_READ_COMMAND, 8200), with_dmi);
    if (!with_dmi) return;
    EXPECT_EQ(self.dmi.get_dmi_ptr()[8200 - self.dmi.get_start_address()], 7);
  });
  EXPECT_EQ(hbm.port.core.figures().dmi_granted, with_dmi ? 1U : 0U);
}

TEST(HostPort, dram_hands_out_no_pointers) { dram(false); }
TEST(HostPort, dram_hands_out_pointers_where_the_file_says_so) { dram(true); }

// Down and up 2 x (10 + 20 + 30), the module 100, and 64 bytes at 1024 per cycle; the edge that sees the call is 1 ns
// later.
TEST(HostPort, a_pool_takes_its_time) {
  set_time_resolution();
  const TempDir folder;
  HostPool<> pool("pool", config_with(folder, "dmi: false"));
  Host host("host");
  host.socket.bind(pool.port.socket);
  EXPECT_EQ(pool.access_check, nullptr);
  play(host, [&](Host& self) {
    Bytes data{};
    EXPECT_EQ(self.access(tlm::TLM_READ_COMMAND, 64, data), tlm::TLM_OK_RESPONSE);
    EXPECT_DOUBLE_EQ(self.took_ns, 1 + 120 + 100 + 1);
    EXPECT_EQ(self.access(tlm::TLM_READ_COMMAND, std::uint64_t{1} << 30, data), tlm::TLM_ADDRESS_ERROR_RESPONSE);
  });
  EXPECT_EQ(pool.figures().at(0).figures.bytes, 64U);
}

/// Two hosts; page 0 is the first one's, who lets the second one read it.
void grants(const std::string& memory, const std::string& access, const std::function<void(Host&)>& second) {
  set_time_resolution();
  const TempDir folder;
  HostPool<> pool("pool", config_with(folder, memory, "access: {" + access + "}\n"));
  Host first("first");
  Host other("other");
  first.script = [](Host& self) {
    Bytes data{};
    data.fill(9);
    EXPECT_EQ(self.access(tlm::TLM_WRITE_COMMAND, 0, data), tlm::TLM_OK_RESPONSE);
  };
  first.socket.bind(pool.port.socket);
  other.socket.bind(pool.port.socket);
  EXPECT_EQ(pool.access_check->claim(0, {0, 4096}), Denial::kNone);
  EXPECT_EQ(pool.access_check->grant(0, 1, {0, 4096}, kMayRead), Denial::kNone);
  play(other, [&](Host& self) {
    sc_core::wait(1, sc_core::SC_US);
    second(self);
  });
  pool.domain.rethrow_failure();
}

TEST(HostPort, a_pool_judges_by_socket_and_debug_accesses_obey) {
  grants("dmi: false", "", [](Host& self) {
    Bytes data{};
    EXPECT_EQ(self.access(tlm::TLM_READ_COMMAND, 0, data), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(data[63], 9);
    EXPECT_EQ(self.access(tlm::TLM_WRITE_COMMAND, 0, data), tlm::TLM_COMMAND_ERROR_RESPONSE);
    ASSERT_NE(Refusal::of(self.payload), nullptr);
    EXPECT_EQ(Refusal::of(self.payload)->reason, Reason::kReadOnly);
    Refusal::clear(self.payload);
    EXPECT_EQ(self.debug(tlm::TLM_READ_COMMAND, 0, data), 64U);
    EXPECT_EQ(self.debug(tlm::TLM_READ_COMMAND, 4096, data), 0U);
    EXPECT_FALSE(self.pointer(tlm::TLM_READ_COMMAND, 0));
  });
}

TEST(HostPort, with_debug_all_they_need_no_grant) {
  grants("debug_all: true", "", [](Host& self) {
    Bytes data{};
    data.fill(3);
    EXPECT_EQ(self.debug(tlm::TLM_WRITE_COMMAND, 4096, data), 64U);
    data.fill(0);
    EXPECT_EQ(self.debug(tlm::TLM_READ_COMMAND, 4096, data), 64U);
    EXPECT_EQ(data[0], 3);
    EXPECT_EQ(self.access(tlm::TLM_READ_COMMAND, 4096, data), tlm::TLM_COMMAND_ERROR_RESPONSE);
    Refusal::clear(self.payload);
  });
}

TEST(HostPort, pointers_into_granted_pages_only) {
  grants("dmi: true", "", [](Host& self) {
    ASSERT_TRUE(self.pointer(tlm::TLM_READ_COMMAND, 100));
    EXPECT_EQ(self.dmi.get_start_address(), 0U);
    EXPECT_EQ(self.dmi.get_end_address(), 4095U);
    EXPECT_FALSE(self.dmi.is_write_allowed());
    EXPECT_EQ(self.dmi.get_dmi_ptr()[10], 9);
    EXPECT_FALSE(self.pointer(tlm::TLM_WRITE_COMMAND, 100));
    EXPECT_FALSE(self.pointer(tlm::TLM_READ_COMMAND, 4096));
  });
}

TEST(HostPort, no_pointers_where_lines_are_encrypted) {
  grants("dmi: true", "encryption: 20 ns", [](Host& self) { EXPECT_FALSE(self.pointer(tlm::TLM_READ_COMMAND, 100)); });
}

TEST(HostPort, no_pointers_into_an_oblivious_pool) {
  grants("dmi: true", "oblivious: {block: 4 KiB, stash: 4096, shuffle: 512 GB/s}",
         [](Host& self) { EXPECT_FALSE(self.pointer(tlm::TLM_READ_COMMAND, 100)); });
}

TEST(HostPort, a_revocation_takes_pointers_back) {
  set_time_resolution();
  const TempDir folder;
  HostPool<> pool("pool", config_with(folder, "dmi: true", "access: {}\n"));
  Host host("host");
  host.socket.bind(pool.port.socket);
  EXPECT_EQ(pool.access_check->claim(5, {0, 4096}), Denial::kNone);
  EXPECT_EQ(pool.access_check->grant(5, 0, {0, 4096}, kMayRead), Denial::kNone);
  play(host, [&](Host& self) {
    EXPECT_TRUE(self.pointer(tlm::TLM_READ_COMMAND, 0));
    EXPECT_EQ(pool.access_check->revoke(5, 0, {0, 4096}, kMayRead, {}), Denial::kNone);
    EXPECT_EQ(self.invalidations, 1);
    EXPECT_FALSE(self.pointer(tlm::TLM_READ_COMMAND, 0));
  });
}

}  // namespace
}  // namespace weft::mem
