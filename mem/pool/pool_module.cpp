// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_module.h"

#include <algorithm>

namespace weft::mem {

PoolModule::PoolModule(PoolNet& net, const PoolSpec& spec, std::uint32_t input, std::uint32_t output)
    : net_(net),
      spec_(spec.module),
      rate_(spec),
      flit_bytes_(spec.flit_bytes),
      next_start_(service_policies().at(spec.module.service).next_start),
      input_(input),
      output_(output) {}

void PoolModule::step(Cycle now) {
  send_out(now);
  take_in(now);
}

void PoolModule::take_in(Cycle now) {
  while (!net_.empty(input_)) {
    const PoolFlit flit = net_.front(input_);
    if (flit.head && figures_.queue.length() == spec_.queue) return;
    net_.take(input_);
    net_.give_back(input_, now);
    if (flit.head) figures_.queue.enter(now);
    if (flit.tail) serve(flit.packet, now);
  }
}

void PoolModule::serve(std::uint32_t number, Cycle now) {
  const PoolPacket& packet = net_.packet(number);
  const ExactTime start = std::max(free_at_, ExactTime{now, 0});
  free_at_ = next_start_(spec_, start, rate_.after(start, packet.bytes));
  jobs_.push_back({number, start, packet.response_flits(flit_bytes_)});
  ++(packet.command == Command::kRead ? figures_.reads : figures_.writes);
  figures_.bytes += packet.bytes;
}

/// Edge at which the job's next flit can be sent.
Cycle PoolModule::ready(const Job& job) const {
  const PoolPacket& packet = net_.packet(job.packet);
  const std::uint64_t bytes =
      packet.command == Command::kRead ? std::min((job.sent + 1) * flit_bytes_, packet.bytes) : packet.bytes;
  return spec_.latency + rate_.after(job.start, bytes).edge();
}

void PoolModule::send_out(Cycle now) {
  while (!jobs_.empty() && net_.can_send(output_, now)) {
    Job& job = jobs_.front();
    if (ready(job) > now) return;
    const bool is_head = job.sent == 0;
    ++job.sent;
    const bool is_tail = job.sent == job.flits;
    net_.send(output_, {job.packet, is_head, is_tail}, now);
    if (!is_tail) continue;
    jobs_.pop_front();
    figures_.queue.leave(now);
  }
}

Cycle PoolModule::next_work(Cycle now) const {
  if (jobs_.empty()) return kNever;
  const Cycle slot = net_.next_slot(output_, now + 1);
  return slot == kNever ? kNever : std::max(slot, ready(jobs_.front()));
}

std::uint64_t PoolModule::state_hash(Cycle now, const AccessAges& accesses) const {
  StateHash hash;
  // The next access starts in the next cycle at the earliest.
  if (ExactTime{now + 1, 0} < free_at_) hash.add(free_at_.cycle - now).add(free_at_.parts);
  hash.add(figures_.queue.length());
  for (const Job& job : jobs_) {
    hash.add(net_.flit_hash({job.packet, false, false}, accesses)).add(job.flits).add(job.sent);
    hash.add(job.start.cycle - now).add(job.start.parts);  // may lie before now: the difference wraps, and is the same
  }
  return hash.value();
}

}  // namespace weft::mem
