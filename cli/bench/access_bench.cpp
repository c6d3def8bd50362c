// SPDX-License-Identifier: Apache-2.0
#include "cli/bench/access_bench.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.h"
#include "mem/access/source_port.h"
#include "mem/access/validation_unit.h"
#include "mem/pool/pool_controller.h"

namespace weft::cli {
namespace {

constexpr std::uint64_t kMemory = 16u << 20;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLongAccess = 4096;
constexpr std::uint64_t kLine = 64;
constexpr std::uint32_t kOutstanding = 256;

/// One I/O controller of 128 GB/s at 1 GHz; eight modules of 64 GB/s, 50 ns.
mem::PoolSpec pool() {
  mem::PoolSpec spec;
  spec.groups = 2;
  spec.modules = 4;
  spec.controller_flits_per_cycle = spec.controller_link.flits_per_cycle = {2, 1};
  spec.group_link.flits_per_cycle = {4, 1};
  return spec;
}

/// A set of features; without a spec the pool has no access check.
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

/// A source that keeps a number of accesses under way at a pool behind an access check.
class AccessLoop {
 public:
  AccessLoop(const Row& row, const Traffic& traffic, std::uint64_t seed)
      : traffic_(traffic),
        random_(seed, NodeId{0}),
        access_check_(make_access_check(row)),
        pool_(pool(), unit_ == nullptr ? kMemory : unit_->physical_size()),
        port_(pool_, *access_check_) {
    port_.on_answered([this](const mem::SourceAccess& access, const mem::Verdict&, Cycle now) {
      latency_sum_ += now - asked_at_[access.id];
      ++ended_;
      ask(access.id, now + 1);
    });
  }

  void run() {
    warm_up();
    asked_at_.resize(traffic_.under_way);
    for (std::uint64_t id = 0; id < traffic_.under_way; ++id) ask(id, started_);
    for (now_ = started_; port_.open() > 0; now_ = port_.open() > 0 ? port_.next_work(now_) : now_) port_.step(now_);
  }
  double mean_ns() const { return static_cast<double>(latency_sum_) / static_cast<double>(ended_); }
  AccessStream stream() const {
    const auto useful = static_cast<double>(ended_ * traffic_.bytes);
    const double moved = unit_ == nullptr ? useful : static_cast<double>(unit_->counters().moved_bytes - moved_before_);
    return {useful / static_cast<double>(now_ - started_), moved / useful};
  }

 private:
  std::unique_ptr<mem::AccessCheck> make_access_check(const Row& row) {
    if (!row.spec) return std::make_unique<mem::OpenAccess>();
    auto unit = std::make_unique<mem::ValidationUnit>(*row.spec, mem::GrantTable(kPage, {{"pool", {0, kMemory}}}));
    unit->claim(0, {0, kMemory});
    unit_ = unit.get();
    return unit;
  }

  /// Every page is asked for once, so that a cache is as full as it gets; then everything comes to rest.
  void warm_up() {
    if (unit_ == nullptr) return;
    mem::Request request;
    request.bytes = 1;
    for (request.address = 0; request.address < kMemory; request.address += kPage) {
      if (unit_->judge(request, 0).allowed) unit_->finished(request, 0);
    }
    started_ = 1'000'000'000;
    moved_before_ = unit_->counters().moved_bytes;
  }

  void ask(std::uint64_t id, Cycle at) {
    if (asked_ == traffic_.accesses) return;
    const std::uint64_t positions = kMemory / traffic_.bytes;
    const std::uint64_t position = traffic_.is_random ? random_.below(positions) : asked_ % positions;
    ++asked_;
    asked_at_[id] = at;
    port_.ask({id, NodeId{0}, traffic_.command, position * traffic_.bytes, traffic_.bytes}, at);
  }

  Traffic traffic_;
  RandomStream random_;
  mem::ValidationUnit* unit_ = nullptr;  ///< the access check, if it is one
  std::unique_ptr<mem::AccessCheck> access_check_;
  mem::PoolController pool_;
  mem::SourcePort port_;
  std::vector<Cycle> asked_at_;  ///< by id
  Cycle now_ = 0;
  Cycle started_ = 0;
  std::uint64_t moved_before_ = 0;
  std::uint64_t asked_ = 0;
  std::uint64_t ended_ = 0;
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
  figures.random_reads = stream(row, {mem::Command::kRead, kLine, true, kOutstanding, request.accesses}, request);
  figures.random_writes = stream(row, {mem::Command::kWrite, kLine, true, kOutstanding, request.accesses}, request);
  figures.long_reads = stream(row, {mem::Command::kRead, kLongAccess, false, kOutstanding, request.accesses}, request);
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
      kMemory >> 20, kPage >> 10, kOutstanding);
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
