// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fabric_part.h"

#include <algorithm>

namespace weft::sc_models {

void FabricPart::connect(npu::LocalBlock& local, FabricProbe* probe, bool queued) {
  local_ = &local;
  probe_ = probe;
  queued_ = queued && probe != nullptr;
  probe_queue_.set_behind(probe);
  connect_fabric(local, pool_, this->probe());
}

void FabricPart::drain_probe() {
  if (queued_) probe_queue_.drain(*probe_);
}

FabricPart::Boxes FabricPart::join(FabricPart& a, FabricPart& b) {
  const Boxes boxes{a.neighbours_.size(), b.neighbours_.size()};
  a.neighbours_.push_back({&b, boxes.of_b});
  b.neighbours_.push_back({&a, boxes.of_a});
  for (std::vector<Mailbox>& mail : a.mail_) mail.emplace_back();
  for (std::vector<Mailbox>& mail : b.mail_) mail.emplace_back();
  return boxes;
}

void FabricPart::step(Cycle now) {
  // The mail of the others' last step has the other parity; what this part sent with this parity was read in the last
  // step.
  for (Mailbox& mailbox : mail_[parity_]) mailbox.clear();
  // What was sent in the last step is at least one cycle ahead of it, so it may be due now.
  for (const Neighbour& neighbour : neighbours_) read(neighbour.part->mail_[parity_ ^ 1][neighbour.box], now);
  step_fabric(now);
  local_->step(now);
  parity_ ^= 1;
}

void FabricPart::read(const Mailbox& mail, Cycle now) {
  mail.read(
      data_bytes_,
      [&](std::uint32_t port, const FlitTransfer& flit, Cycle at) { receive_flit(port, flit, now - 1, at); },
      [&](std::uint32_t port, VcId vc, Cycle at) { receive_credit(port, vc, now - 1, at); });
}

void FabricPart::pass_step() {
  for (Mailbox& mailbox : mail_[parity_]) mailbox.clear();
  parity_ ^= 1;
}

void FabricPart::step_alone(Cycle now, const std::vector<Mailbox>& mail) {
  for (Mailbox& mailbox : mail_[parity_]) mailbox.clear();
  for (const Mailbox& each : mail) read(each, now);
  step_fabric(now);
  local_->step(now);
}

void FabricPart::put_state(StateForm& form) {
  if (!neighbours_.empty()) return form.refuse("several threads step the fabric");
  put_own_state(form);
}

void FabricPart::put_own_state(StateForm& form) {
  if (probe_ != nullptr) return form.refuse("somebody watches the fabric");
  put_fabric_state(form);
  if (form.failed()) return;
  local_->put_state(form);
  form.all_packets(pool_);
}

void FabricPart::keep(Checkpoint& checkpoint) {
  if (probe_ != nullptr) Checkpoint::refuse("log.level: steps or packets, or waves.file, watches the fabric");
  checkpoint.section("part of the fabric");
  pool_.keep(checkpoint);
  checkpoint.values(parity_);
  // What has been read is cleared before anything is sent.
  checkpoint.all(mail_[parity_ ^ 1], [&](Mailbox& mailbox) { mailbox.keep(checkpoint); });
  keep_fabric(checkpoint);
  local_->keep(checkpoint);
}

Cycle FabricPart::next_work(Cycle now) const {
  Cycle next = std::min(next_fabric_work(now), local_->next_work(now));
  for (const Mailbox& mailbox : mail_[parity_ ^ 1]) next = std::min(next, mailbox.first());
  return next;
}

std::uint64_t FabricPart::flits_in_mail() const {
  std::uint64_t sum = 0;
  for (const Mailbox& mailbox : mail_[parity_ ^ 1]) sum += mailbox.flits();
  return sum;
}

}  // namespace weft::sc_models
