// SPDX-License-Identifier: Apache-2.0
#include "sc_models/partition.h"

#include <algorithm>

namespace weft::sc_models {

using router::kMeshPorts;

// ---- one partition

Partition::Partition(const router::RegionParameters& parameters)
    : grid_(parameters.fabric), region_(router::Region::create(parameters)) {}

void Partition::connect(npu::LocalBlock& local, FabricProbe* probe, bool queued) {
  local_ = &local;
  probe_ = probe;
  queued_ = queued && probe != nullptr;
  probe_queue_.set_behind(probe);
  region_->connect(local_, this, &pool_, this->probe());
  local_->connect(region_.get(), &pool_, this->probe());
}

void Partition::drain_probe() {
  if (queued_) probe_queue_.drain(*probe_);
}

void Partition::set_neighbours(Partition* below, Partition* above) {
  neighbours_[kBelow] = below;
  neighbours_[kAbove] = above;
}

void Partition::step(Cycle now) {
  // The mail of the neighbours' last step has the other parity; our own box of this parity was read in the last step.
  for (Mailbox& mailbox : mail_[parity_]) mailbox.clear();
  if (neighbours_[kBelow] != nullptr) read_mail(neighbours_[kBelow]->mail_[parity_ ^ 1][kAbove], now);
  if (neighbours_[kAbove] != nullptr) read_mail(neighbours_[kAbove]->mail_[parity_ ^ 1][kBelow], now);
  region_->step(now);
  local_->step(now);
  parity_ ^= 1;
}

Cycle Partition::next_work(Cycle now) const {
  for (const Mailbox& mailbox : mail_[parity_ ^ 1]) {
    if (!mailbox.empty()) return now + 1;
  }
  return std::min(region_->next_work(now), local_->next_work(now));
}

std::uint64_t Partition::flits_in_mail() const {
  return mail_[parity_ ^ 1][kBelow].flits.size() + mail_[parity_ ^ 1][kAbove].flits.size();
}

void Partition::read_mail(const Mailbox& mailbox, Cycle now) {
  // What was sent in the last step is at least one cycle ahead of it, so it may be due now.
  for (const FlitMail& mail : mailbox.flits) region_->receive_flit(mail.port, mail.flit, now - 1, mail.at);
  for (const CreditMail& mail : mailbox.credits) region_->receive_credit(mail.port, mail.vc, now - 1, mail.at);
}

std::uint32_t Partition::port_beyond(std::uint32_t port, Direction* direction) const {
  const PortId out{static_cast<std::uint8_t>(port % kMeshPorts)};
  router::Coordinates there;
  grid_.neighbour(region_->coordinates_of(port / kMeshPorts), out, &there);
  *direction = out == router::kNorth ? kAbove : kBelow;
  return neighbours_[*direction]->region_->router_at(there) * kMeshPorts + index(router::opposite(out));
}

void Partition::send_flit(std::uint32_t port, const FlitTransfer& flit, Cycle at) {
  Direction direction;
  const std::uint32_t to = port_beyond(port, &direction);
  mail_[parity_][direction].flits.push_back({to, at, flit});
}

void Partition::send_credit(std::uint32_t port, VcId vc, Cycle at) {
  Direction direction;
  const std::uint32_t to = port_beyond(port, &direction);
  mail_[parity_][direction].credits.push_back({to, at, vc});
}

// ---- all of them

PartitionedFabric::PartitionedFabric(const std::vector<std::unique_ptr<Partition>>& partitions)
    // NOLINTNEXTLINE(bugprone-throw-keyword-missing): a vector of exception pointers
    : partitions_(partitions), failures_(partitions_.size()), begun_(partitions_.size()) {
  for (std::size_t i = 1; i < partitions_.size(); ++i) workers_.emplace_back([this, i] { work(i); });
}

PartitionedFabric::~PartitionedFabric() {
  quit_ = true;
  round_.add();
  for (std::thread& worker : workers_) worker.join();
}

/// Whether the caller is the one to step a partition in this round. A round ends when all partitions have been stepped,
/// so one that nobody has begun is at the round before.
bool PartitionedFabric::begin(std::size_t number, std::uint64_t round) {
  std::uint64_t before = round - 1;
  return begun_[number].compare_exchange_strong(before, round);
}

void PartitionedFabric::step_partition(std::size_t number) {
  try {
    partitions_[number]->step(now_);
  } catch (...) {
    failures_[number] = std::current_exception();
  }
}

void PartitionedFabric::work(std::size_t number) {
  for (std::uint64_t round = 0;;) {
    round = round_.wait_for(round + 1);
    if (quit_) return;
    if (!begin(number, round)) continue;
    step_partition(number);
    finished_.add();
  }
}

void PartitionedFabric::step(Cycle now) {
  if (workers_.empty()) {
    partitions_.front()->step(now);
    return;
  }
  now_ = now;
  round_.add();
  const std::uint64_t round = round_.value();
  step_partition(0);
  for (std::size_t i = 1; i < partitions_.size(); ++i) {
    if (!begin(i, round)) continue;
    step_partition(i);
    finished_.add();
  }
  finished_.wait_for(round * workers_.size());
  for (const std::exception_ptr& failure : failures_) {
    if (failure) std::rethrow_exception(failure);
  }
  for (const auto& partition : partitions_) partition->drain_probe();
}

Cycle PartitionedFabric::next_work(Cycle now) const {
  Cycle next = kNever;
  for (const auto& partition : partitions_) next = std::min(next, partition->next_work(now));
  return next;
}

}  // namespace weft::sc_models
