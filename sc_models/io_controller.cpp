// SPDX-License-Identifier: Apache-2.0
#include "sc_models/io_controller.h"

#include <utility>

#include "base/checked.h"

namespace weft::sc_models {

IoController::IoController(IoSite site, const IoLine& line, npu::NetworkInterface& network)
    : site_(std::move(site)), flit_bytes_(line.flit_bytes), network_(network), pace_(line.rate) {
  network.attach(*this);
}

void IoController::go_on() {
  hand_over();
  bring();
}

// There is room for one packet beside the one that is on its way into the fabric: the line stands while both are taken.
void IoController::bring() {
  if (bringing_ || brought_) return;
  const std::uint64_t bytes = service_->next_packet();
  if (bytes == 0) return;
  bringing_ = true;
  const Cycle now = network_.now();
  network_.schedule(pace_.carry(divided_up(bytes, flit_bytes_), now) - now, kBrought);
}

void IoController::hand_over() {
  if (sending_ || !brought_ || !service_->may_enter()) return;
  brought_ = false;
  sending_ = true;
  sent_ = network_.send(service_->take_packet());
  bring();
}

void IoController::put_state(StateForm& form) {
  pace_.put_state(form);
  form.same(std::uint64_t{bringing_} << 2 | std::uint64_t{brought_} << 1 | std::uint64_t{sending_});
  service_->put_state(form);
}

void IoController::keep(Checkpoint& checkpoint) {
  checkpoint.section("I/O controller");
  pace_.keep(checkpoint);
  checkpoint.values(bringing_, brought_, sending_, sent_);
  service_->keep(checkpoint);
}

void IoController::on_sent(npu::MessageId id) {
  if (!sending_ || id != sent_) return;
  sending_ = false;
  hand_over();
}

void IoController::on_timer(std::uint64_t cookie) {
  if (cookie != kBrought) return service_->on_timer(cookie - 1);
  bringing_ = false;
  brought_ = true;
  hand_over();
}

}  // namespace weft::sc_models
