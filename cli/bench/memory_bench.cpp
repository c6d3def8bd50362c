// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/memory_bench.h"

#include <fmt/format.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <memory>
#include <random>

#include "base/error.h"
#include "mem/dram/dram_controller.h"
#include "mem/dram/timing_file.h"
#include "mem/port/memory_port.h"

namespace weft::cli {
namespace {

constexpr unsigned kAccessBytes = 64;
constexpr std::uint64_t kStreamBytes = 1 << 20;  // streams start again after so much
constexpr int kOpenAccesses = 16;

struct Point {
  const char* name;
  const char* timing;
  bool is_random;
  unsigned writes_of_16;
  bool early_responses;
};

const std::vector<Point>& points() {
  static const std::vector<Point> kPoints = {
      {"hbm3-stream-read", "hbm3", false, 0, true},        {"hbm3-stream-mixed", "hbm3", false, 4, true},
      {"hbm3-random-read", "hbm3", true, 0, true},         {"ddr5-stream-read", "ddr5", false, 0, true},
      {"ddr5-random-read", "ddr5", true, 0, true},         {"hbm3-stream-read-exact", "hbm3", false, 0, false},
      {"ddr5-stream-read-exact", "ddr5", false, 0, false},
  };
  return kPoints;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Keeps a number of reads and writes under way through nb_transport; every payload is used again at its response.
class Initiator : public sc_core::sc_module, public tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<Initiator> socket;

  Initiator(const sc_core::sc_module_name& name, const Point& point, std::uint64_t size)
      : sc_module(name), socket("socket"), point_(point), size_(size) {
    SC_HAS_PROCESS(Initiator);
    socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
    SC_METHOD(begin);
    dont_initialize();
    sensitive << go_;
    for (int i = 0; i < kOpenAccesses; ++i) {
      payloads_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      payloads_.back()->set_data_ptr(data_.data());
      payloads_.back()->set_data_length(kAccessBytes);
      payloads_.back()->set_streaming_width(kAccessBytes);
    }
  }
  void start(std::uint64_t transactions, std::uint64_t seed) {
    left_ = transactions;
    ended_ = 0;
    next_ = 0;
    random_.seed(seed);
    go_.notify(sc_core::SC_ZERO_TIME);
  }
  std::uint64_t ended() const { return ended_; }
  /// Latest instant at which a transaction ended.
  sc_core::sc_time last() const { return last_; }

 private:
  void begin() {
    for (const auto& payload : payloads_) send(*payload, sc_core::SC_ZERO_TIME);
  }
  void send(tlm::tlm_generic_payload& payload, sc_core::sc_time delay) {
    if (left_ == 0) return;
    --left_;
    const bool is_write = point_.writes_of_16 != 0 && random_() % 16 < point_.writes_of_16;
    payload.set_command(is_write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(next_address());
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.acquire();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
    WEFT_CHECK(answer == tlm::TLM_UPDATED && phase == tlm::END_REQ, "a request of the benchmark was not taken at once");
  }
  std::uint64_t next_address() {
    const std::uint64_t range = point_.is_random ? size_ : kStreamBytes;
    next_ = point_.is_random ? random_() * kAccessBytes : next_ + kAccessBytes;
    return next_ % range;
  }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& /*phase*/,
                                     sc_core::sc_time& delay) {
    WEFT_CHECK(payload.get_response_status() == tlm::TLM_OK_RESPONSE, "an access of the benchmark failed");
    ++ended_;
    last_ = std::max(last_, sc_core::sc_time_stamp() + delay);
    payload.release();
    send(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  void free(tlm::tlm_generic_payload* /*payload*/) override {}

  const Point& point_;
  const std::uint64_t size_;
  sc_core::sc_event go_;
  std::array<unsigned char, kAccessBytes> data_{};
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> payloads_;
  std::uint64_t left_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t next_ = 0;
  sc_core::sc_time last_;
  std::minstd_rand random_;
};

/// One channel of a timing behind a port, and its initiator.
struct Memory {
  Memory(const std::string& name, const Point& point, const mem::DramTiming& timing)
      : controller(timing, {}),
        domain((name + "_clock").c_str(), ClockSpec{timing.hertz}),
        storage(controller.size()),
        port((name + "_port").c_str(), domain, controller, access_check, storage, options(point)),
        initiator((name + "_initiator").c_str(), point, controller.size()) {
    initiator.socket.bind(port.socket);
  }
  static mem::PortOptions options(const Point& point) {
    mem::PortOptions options;
    options.early_responses = point.early_responses;
    return options;
  }
  mem::DramController controller;
  ClockDomain domain;
  mem::OpenAccess access_check;
  mem::Storage storage;
  mem::MemoryPort<> port;
  Initiator initiator;
};

MemoryBenchFigures measure(const Point& point, Memory& memory, const MemoryBenchRequest& request) {
  MemoryBenchFigures figures;
  figures.name = point.name;
  figures.transactions = request.transactions;
  std::vector<double> seconds;
  for (std::size_t repeat = 0; repeat < request.repeats; ++repeat) {
    const std::uint64_t begin_fs = sc_core::sc_time_stamp().value();
    const double before = cpu_seconds();
    memory.initiator.start(request.transactions, request.seed);
    sc_core::sc_start();
    seconds.push_back(std::max(cpu_seconds() - before, 1e-6));
    memory.domain.rethrow_failure();
    WEFT_CHECK(memory.initiator.ended() == request.transactions, "a transaction of the benchmark did not end");
    const double span = static_cast<double>(memory.initiator.last().value() - begin_fs) * 1e-15;
    figures.cycles = static_cast<std::uint64_t>(span * memory.controller.timing().hertz.value());
    figures.share_of_peak =
        static_cast<double>(request.transactions) * kAccessBytes / span / memory.controller.timing().peak_bandwidth();
  }
  const mem::ChannelFigures channel = memory.controller.figures(0);
  figures.row_hit_share = static_cast<double>(channel.row_hits) / static_cast<double>(channel.reads + channel.writes);
  std::sort(seconds.begin(), seconds.end());
  figures.cpu_s = seconds[seconds.size() / 2];
  return figures;
}

}  // namespace

std::size_t run_memory_bench(const MemoryBenchRequest& request, const BenchListener<MemoryBenchFigures>& listener) {
  set_time_resolution();
  std::vector<std::unique_ptr<Memory>> memories;
  for (const Point& point : points()) {
    mem::DramTiming timing = mem::named_timing(point.timing);
    timing.channels = 1;
    memories.push_back(std::make_unique<Memory>("memory" + std::to_string(memories.size()), point, timing));
  }
  std::size_t failed = 0;
  for (std::size_t i = 0; i < memories.size(); ++i) {
    listener.runs(fmt::format("{} ({} of {})", points()[i].name, i + 1, memories.size()));
    try {
      listener.done(measure(points()[i], *memories[i], request));
    } catch (const std::exception& error) {
      ++failed;
      listener.failed(failure_of(points()[i].name, error));
    }
  }
  return failed;
}

void print_memory_bench_head(std::ostream& out) {
  out << fmt::format("{:<24}{:>14}{:>12}{:>10}{:>10}{:>14}{:>9}\n", "point", "M accesses/s", "ns/access", "of peak",
                     "row hits", "cycles", "cpu s")
      << std::flush;
}

void print_memory_bench(const MemoryBenchFigures& f, std::ostream& out) {
  out << fmt::format("{:<24}{:>14.2f}{:>12.1f}{:>9.1f}%{:>9.1f}%{:>14}{:>9.3f}\n", f.name,
                     f.transactions_per_cpu_s() / 1e6, 1e9 / f.transactions_per_cpu_s(), 100 * f.share_of_peak,
                     100 * f.row_hit_share, f.cycles, f.cpu_s)
      << std::flush;
}

void print_memory_bench_legend(const MemoryBenchRequest& request, std::ostream& out) {
  out << "one channel, accesses of " << kAccessBytes << " bytes by nb_transport, " << kOpenAccesses
      << " under way, data moved, the initiator included;\nexact: responses at their own edge instead of ahead of it "
         "with a delay; medians of "
      << request.repeats << "\n";
}

nlohmann::ordered_json memory_bench_json(const MemoryBenchFigures& f) {
  return {{"name", f.name},
          {"transactions", f.transactions},
          {"cycles", f.cycles},
          {"share_of_peak", f.share_of_peak},
          {"row_hit_share", f.row_hit_share},
          {"cpu_s", f.cpu_s},
          {"transactions_per_cpu_s", f.transactions_per_cpu_s()}};
}

}  // namespace weft::cli
