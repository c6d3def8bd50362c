// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/access_bench.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <vector>

#include "kernel/random.h"
#include "mem/access/validation_unit.h"
#include "mem/pool/pool_controller.h"

namespace weft::cli {
namespace {

constexpr std::uint64_t kMemory = 16u << 20;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLongAccess = 4096;
constexpr std::uint64_t kLine = 64;
constexpr std::uint32_t kUnderWay = 256;

/// One I/O controller of 128 GB/s at 1 GHz; eight modules of 64 GB/s, 50 ns.
mem::PoolSpec pool() {
  mem::PoolSpec spec;
  spec.groups = 2;
  spec.modules = 4;
  spec.controller_flits_per_cycle = spec.controller_link.flits_per_cycle = {2, 1};
  spec.group_link.flits_per_cycle = {4, 1};
  return spec;
}

/// A set of features; without a spec the pool has no gate.
struct Row {
  std::string name;
  std::optional<mem::ValidationSpec> spec;
};

mem::ValidationSpec checked(std::uint32_t cached_pages) {
  mem::ValidationSpec spec;
  spec.check_cycles = 2;
  spec.miss_cycles = 40;
  spec.cache = {cached_pages, 4, "lru"};
  spec.protection.lines_per_cycle = {2, 1};  // 128 GB/s
  return spec;
}

std::vector<Row> rows() {
  constexpr std::uint32_t kAll = kMemory / kPage;
  std::vector<Row> rows = {
      {"nothing", std::nullopt}, {"grants, all cached", checked(kAll)}, {"grants, 1/16 cached", checked(kAll / 16)}};
  const auto add = [&rows](const std::string& name, const std::function<void(mem::ValidationSpec&)>& change) {
    rows.push_back({name, checked(kAll)});
    change(*rows.back().spec);
  };
  const auto encrypt = [](mem::ValidationSpec& spec) { spec.protection.encryption_cycles = 20; };
  const auto tag = [](mem::ValidationSpec& spec) {
    spec.protection.integrity_cycles = 10;
    spec.protection.tag_bytes = 8;
  };
  const auto hide = [](mem::ValidationSpec& spec, std::uint64_t stash) {
    spec.oblivious.blocks = 1;
    spec.oblivious.block_bytes = 512;
    spec.oblivious.stash_blocks = stash;
    spec.oblivious.bytes_per_cycle = 512;
  };
  add("+ encryption", encrypt);
  add("+ integrity", tag);
  add("+ encryption, integrity", [&](mem::ValidationSpec& spec) { encrypt(spec), tag(spec); });
  add("+ oblivious, stash 256", [&](mem::ValidationSpec& spec) { hide(spec, 256); });
  add("+ oblivious, stash 4096", [&](mem::ValidationSpec& spec) { hide(spec, 4096); });
  add("all, stash 4096", [&](mem::ValidationSpec& spec) { encrypt(spec), tag(spec), hide(spec, 4096); });
  return rows;
}

/// What is asked for.
struct Traffic {
  mem::Command command = mem::Command::kRead;
  std::uint64_t bytes = kLine;
  bool is_random = true;
  std::uint32_t under_way = 1;
  std::uint64_t accesses = 0;
};

/// An initiator that keeps a number of accesses under way at a pool behind a gate.
class AccessLoop : public mem::RequestOwner {
 public:
  AccessLoop(const Row& row, const Traffic& traffic, std::uint64_t seed)
      : traffic_(traffic), random_(seed, NodeId{0}), gate_(make_gate(row)), pool_(pool(), physical_bytes(row)) {}

  void run() {
    requests_.resize(traffic_.under_way);
    warm_up();
    for (mem::Request& request : requests_) issue(request, now_);
    while (under_way_ > 0) {
      now_ = std::min(pool_.deadline(), events_.empty() ? kNever : events_.top().at);
      while (!events_.empty() && events_.top().at <= now_) {
        const Event event = events_.top();
        events_.pop();
        event.is_end ? end(*event.request) : pool_.take(*event.request, event.at);
      }
      pool_.advance(now_);
    }
  }
  double mean_ns() const { return static_cast<double>(latency_sum_) / static_cast<double>(ended_); }
  AccessStream stream() const {
    const auto useful = static_cast<double>(ended_ * traffic_.bytes);
    const double moved = unit_ == nullptr ? useful : static_cast<double>(unit_->counters().moved_bytes - moved_before_);
    return {useful / static_cast<double>(now_ - started_), moved / useful};
  }

  void served(mem::Request& request, Cycle at) override { plan(at + back_.at(slot(request)), request, true); }

 private:
  struct Event {
    Cycle at;
    std::uint64_t number;  ///< of equal edges in order
    mem::Request* request;
    bool is_end;
    bool operator>(const Event& other) const { return at != other.at ? at > other.at : number > other.number; }
  };

  std::unique_ptr<mem::Gate> make_gate(const Row& row) {
    if (!row.spec) return std::make_unique<mem::OpenGate>();
    auto unit = std::make_unique<mem::ValidationUnit>(*row.spec, mem::GrantTable(kPage, {{"pool", {0, kMemory}}}));
    unit->claim(0, {0, kMemory});
    unit_ = unit.get();
    return unit;
  }
  std::uint64_t physical_bytes(const Row&) const { return unit_ == nullptr ? kMemory : unit_->physical_size(); }

  /// Every page is asked for once, so that a cache is as full as it gets; then everything comes to rest.
  void warm_up() {
    if (unit_ == nullptr) return;
    mem::Request request;
    request.bytes = 1;
    for (request.address = 0; request.address < kMemory; request.address += kPage) {
      if (unit_->judge(request, now_).allowed) unit_->finished(request, now_);
    }
    now_ = started_ = 1'000'000'000;
    moved_before_ = unit_->counters().moved_bytes;
  }

  void issue(mem::Request& request, Cycle at) {
    if (issued_ == traffic_.accesses) return;
    request.command = traffic_.command;
    request.bytes = traffic_.bytes;
    const std::uint64_t places = kMemory / traffic_.bytes;
    request.address = (traffic_.is_random ? random_.below(places) : issued_ % places) * traffic_.bytes;
    request.arrival = at;
    request.owner = this;
    const mem::Verdict verdict = gate_->judge(request, at);
    request.physical = verdict.moved_bytes > 0 ? verdict.moved_from : verdict.physical;
    if (verdict.moved_bytes > 0) request.bytes = verdict.moved_bytes;
    back_.resize(requests_.size());
    back_[slot(request)] = verdict.return_latency;
    ++issued_;
    ++under_way_;
    plan(at + verdict.latency, request, false);
  }

  void end(mem::Request& request) {
    gate_->finished(request, now_);
    latency_sum_ += now_ - request.arrival;
    ++ended_;
    --under_way_;
    issue(request, now_);
  }

  void plan(Cycle at, mem::Request& request, bool is_end) { events_.push({at, planned_++, &request, is_end}); }
  std::size_t slot(const mem::Request& request) const { return static_cast<std::size_t>(&request - requests_.data()); }

  Traffic traffic_;
  RandomStream random_;
  mem::ValidationUnit* unit_ = nullptr;  ///< the gate, if it is one
  std::unique_ptr<mem::Gate> gate_;
  mem::PoolController pool_;
  std::vector<mem::Request> requests_;
  std::vector<Cycle> back_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Cycle now_ = 0;
  Cycle started_ = 0;
  std::uint64_t moved_before_ = 0;
  std::uint64_t issued_ = 0;
  std::uint64_t ended_ = 0;
  std::uint64_t under_way_ = 0;
  std::uint64_t planned_ = 0;
  std::uint64_t latency_sum_ = 0;
};

double latency(const Row& row, mem::Command command, const AccessBenchRequest& request) {
  AccessLoop loop(row, {command, kLine, true, 1, request.accesses}, request.seed);
  loop.run();
  return loop.mean_ns();
}

AccessStream stream(const Row& row, const Traffic& traffic, const AccessBenchRequest& request) {
  AccessLoop loop(row, traffic, request.seed);
  loop.run();
  return loop.stream();
}

AccessBenchFigures measure(const Row& row, const AccessBenchRequest& request) {
  AccessBenchFigures figures;
  figures.name = row.name;
  figures.read_ns = latency(row, mem::Command::kRead, request);
  figures.write_ns = latency(row, mem::Command::kWrite, request);
  figures.random_reads = stream(row, {mem::Command::kRead, kLine, true, kUnderWay, request.accesses}, request);
  figures.random_writes = stream(row, {mem::Command::kWrite, kLine, true, kUnderWay, request.accesses}, request);
  figures.long_reads = stream(row, {mem::Command::kRead, kLongAccess, false, kUnderWay, request.accesses}, request);
  return figures;
}

nlohmann::ordered_json stream_json(const AccessStream& stream) {
  return {{"gigabytes_per_second", stream.gigabytes_per_second}, {"moved_ratio", stream.moved_ratio}};
}

}  // namespace

std::size_t run_access_bench(const AccessBenchRequest& request, const BenchListener<AccessBenchFigures>& listener) {
  std::size_t failed = 0;
  for (const Row& row : rows()) {
    listener.runs(row.name);
    try {
      listener.done(measure(row, request));
    } catch (const std::exception& error) {
      ++failed;
      listener.failed(failure_of(row.name, error));
    }
  }
  return failed;
}

void print_access_bench_head(std::ostream& out) {
  fmt::print(out, "{:<26}{:>9}{:>9}{:>14}{:>8}{:>15}{:>8}{:>13}{:>8}\n", "", "read ns", "write ns", "random reads",
             "moved", "random writes", "moved", "4 KiB reads", "moved");
}

void print_access_bench(const AccessBenchFigures& figures, std::ostream& out) {
  fmt::print(out, "{:<26}{:>9.1f}{:>9.1f}{:>9.2f} GB/s{:>8.2f}{:>10.2f} GB/s{:>8.2f}{:>8.2f} GB/s{:>8.2f}\n",
             figures.name, figures.read_ns, figures.write_ns, figures.random_reads.gigabytes_per_second,
             figures.random_reads.moved_ratio, figures.random_writes.gigabytes_per_second,
             figures.random_writes.moved_ratio, figures.long_reads.gigabytes_per_second,
             figures.long_reads.moved_ratio);
}

void print_access_bench_legend(std::ostream& out) {
  fmt::print(
      out,
      "simulated time of one I/O controller of 128 GB/s before a pool of {} MiB in pages of {} KiB, clock 1 GHz\n"
      "read ns, write ns: 64 bytes at a random address, nothing else under way; random: the same, {} under way\n"
      "moved: bytes that the memory moves for each byte asked for\n",
      kMemory >> 20, kPage >> 10, kUnderWay);
}

nlohmann::ordered_json access_bench_json(const AccessBenchFigures& figures) {
  return {{"name", figures.name},
          {"read_ns", figures.read_ns},
          {"write_ns", figures.write_ns},
          {"random_reads", stream_json(figures.random_reads)},
          {"random_writes", stream_json(figures.random_writes)},
          {"long_reads", stream_json(figures.long_reads)}};
}

}  // namespace weft::cli
