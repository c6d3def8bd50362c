// SPDX-License-Identifier: Apache-2.0
// The state of NPUs in a checkpoint: what their graph players and engines have begun and know.
#include "base/checkpoint.h"
#include "npu/player/npu.h"
#include "npu/player/npu_array.h"
#include "npu/player/player_parts.h"
#include "npu/trace/trace_node_keep.h"

namespace weft::npu {
namespace {

void keep_collective(Checkpoint& checkpoint, RankCollective& collective) {
  checkpoint.text(collective.name);
  checkpoint.text(collective.algorithm);
  checkpoint.text(collective.group_name);
  checkpoint.values(collective.kind, collective.group_size, collective.group, collective.signature, collective.instance,
                    collective.bytes, collective.start_cycle, collective.end_cycle);
}

template <typename Nodes>
void keep_ready(Checkpoint& checkpoint, Nodes& nodes) {
  checkpoint.map(nodes, [&](auto& order, TraceNode& node) {
    checkpoint.values(order.first, order.second);
    keep(checkpoint, node);
  });
}

/// A part that is made when it is needed first. Returns whether there is one.
template <typename Part, typename Make>
bool keep_part(Checkpoint& checkpoint, std::unique_ptr<Part>& part, Make make) {
  bool there = part != nullptr;
  checkpoint.values(there);
  if (there && part == nullptr) part = make();
  if (!there) part.reset();
  return there;
}

}  // namespace

void NpuArray::keep(Checkpoint& checkpoint) {
  if (values_ != nullptr) Checkpoint::refuse("collectives carry data (data: values)");
  checkpoint.section("workload");
  programs_->keep(checkpoint, comm_groups_);
  checkpoint.values(first_unfinished_);
  const std::lock_guard<std::mutex> lock(warnings_mutex_);
  checkpoint.each(warnings_, [&](std::string& warning) { checkpoint.text(warning); });
}

void Npu::keep(Checkpoint& checkpoint) {
  if (state_listener_ != nullptr) Checkpoint::refuse("somebody watches the NPUs");
  if (memory_ != nullptr) memory_->keep(checkpoint);
  player_.keep(checkpoint);
  engine_.keep(checkpoint, *setup_.player.comm_groups);
}

void GraphPlayer::keep(Checkpoint& checkpoint) {
  if (checkpoint.loads()) playing_ = false;  // it may go back to before it met something wrong with its trace
  if (own_.local != nullptr) Checkpoint::refuse("memories whose timing is simulated are not kept");
  checkpoint.section("player");
  feeder_->keep(checkpoint);
  if (keep_part(checkpoint, units_, [] { return std::make_unique<Units>(); })) {
    for (SerialUnit& unit : units_->units) unit.keep(checkpoint);
    checkpoint.values(units_->started, units_->open_parts);
  }
  if (keep_part(checkpoint, transfers_, [] { return std::make_unique<Transfers>(); })) {
    keep_ready(checkpoint, transfers_->ready);
    checkpoint.map(transfers_->open_sends, [&](std::uint32_t& message, Transfers::OpenSend& send) {
      checkpoint.values(message, send.node, send.dst, send.tag, send.bytes);
    });
    transfers_->receives.keep(checkpoint);
  }
  bool accesses = accesses_ != nullptr;
  checkpoint.values(accesses);
  WEFT_CHECK(accesses == (accesses_ != nullptr), "a checkpoint is of a run with another memory");
  if (accesses) keep_accesses(checkpoint);
  bool ordered = order_ != nullptr;
  checkpoint.values(ordered);
  WEFT_CHECK(ordered == (order_ != nullptr), "a checkpoint is of a run with other groups in switches");
  if (ordered) {
    order_->announced.keep(checkpoint);
    checkpoint.map(order_->needed, [&](auto& key, bool& needed) { checkpoint.values(key.first, key.second, needed); });
  }
  keep_ready(checkpoint, ready_collectives_);
  checkpoint.values(age_, events_, finished_, meter_);
  checkpoint.map(open_collectives_, [&](std::uint64_t& node, RankCollective& collective) {
    checkpoint.values(node);
    keep_collective(checkpoint, collective);
  });
  checkpoint.map(issued_, [&](auto& key, std::uint32_t& count) { checkpoint.values(key.first, key.second, count); });
  checkpoint.map(activities_, [&](std::uint64_t& node, Activity& activity) {
    checkpoint.values(node);
    weft::keep(checkpoint, activity);
  });
  RankStatistics& all = statistics_;
  checkpoint.values(all.finish_cycle, all.compute_cycles, all.exposed_comm_cycles, all.nodes, all.compute_nodes,
                    all.memory_bound_nodes, all.memory_wait_cycles, all.sends, all.receives, all.sent_bytes);
  checkpoint.each(all.collectives, [&](RankCollective& collective) { keep_collective(checkpoint, collective); });
}

void GraphPlayer::keep_accesses(Checkpoint& checkpoint) {
  checkpoint.map(accesses_->open, [&](std::uint64_t& node, TraceNode& access) {
    checkpoint.values(node);
    npu::keep(checkpoint, access);
  });
  checkpoint.map(accesses_->issued,
                 [&](auto& key, std::uint32_t& count) { checkpoint.values(key.first, key.second, count); });
  checkpoint.set(accesses_->exchanges);
  checkpoint.set(accesses_->storing);
  checkpoint.set(accesses_->adding);
}

void SerialUnit::keep(Checkpoint& checkpoint) {
  const auto keep_work = [&](UnitWork& work) {
    checkpoint.text(work.name);
    checkpoint.values(work.node, work.cycles, work.bytes, work.store, work.own_cycles);
  };
  checkpoint.optional(running_, keep_work);
  checkpoint.queue(waiting_, keep_work);
}

void ReceiveMatcher::keep(Checkpoint& checkpoint) {
  checkpoint.map(open_, [&](ReceiveKey& key, std::deque<std::uint64_t>& nodes) {
    checkpoint.values(key.src, key.tag, key.bytes);
    checkpoint.list(nodes);
  });
  checkpoint.map(early_, [&](ReceiveKey& key, std::uint64_t& messages) {
    checkpoint.values(key.src, key.tag, key.bytes, messages);
  });
}

void AnnouncedOrder::keep(Checkpoint& checkpoint) {
  checkpoint.map(lines_, [&](Key& key, Line& line) {
    checkpoint.values(key.first, key.second, line.next);
    checkpoint.map(line.announced,
                   [&](std::uint32_t& number, std::uint64_t& what) { checkpoint.values(number, what); });
  });
  checkpoint.set(open_);
}

}  // namespace weft::npu
