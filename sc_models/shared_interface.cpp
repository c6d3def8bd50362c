// SPDX-License-Identifier: Apache-2.0
#include "sc_models/shared_interface.h"

#include "base/error.h"
#include "sc_models/memory/io_messages.h"

namespace weft::sc_models {
namespace {

/// Where the client stands in the cookie of a controller's timer; below it is the controller's own cookie.
constexpr int kClientShift = 50;
constexpr std::uint64_t kCookieMask = (std::uint64_t{1} << kClientShift) - 1;

}  // namespace

class SharedInterface::Client final : public npu::NetworkInterface {
 public:
  Client(SharedInterface& owner, std::size_t number) : owner_(owner), number_(number) {}
  NodeId node() const override { return owner_.network_.node(); }
  Cycle now() const override { return owner_.network_.now(); }
  npu::MessageId send(const npu::Message& message, std::uint64_t released) override {
    const npu::MessageId id = owner_.network_.send(message, released);
    owner_.sender_[id] = number_;
    return id;
  }
  void release(npu::MessageId id, std::uint64_t bytes) override { owner_.network_.release(id, bytes); }
  void schedule(Cycle delay, std::uint64_t cookie) override {
    if (number_ > 0) cookie |= npu::kIoOwner << npu::kOwnerShift | std::uint64_t{number_} << kClientShift;
    owner_.network_.schedule(delay, cookie);
  }
  void note_event() override { owner_.network_.note_event(); }
  void note_piece(std::uint64_t family) override { owner_.network_.note_piece(family); }
  void note_chunk(std::uint32_t left) override { owner_.network_.note_chunk(left); }
  void attach(npu::Endpoint& endpoint) override { endpoint_ = &endpoint; }
  bool listens() const { return endpoint_ != nullptr; }
  npu::Endpoint& endpoint() {
    WEFT_CHECK(endpoint_ != nullptr, "something has come for an NPU that plays no rank");
    return *endpoint_;
  }

 private:
  SharedInterface& owner_;
  std::size_t number_;
  npu::Endpoint* endpoint_ = nullptr;
};

SharedInterface::SharedInterface(npu::NetworkInterface& network) : network_(network) {
  network.attach(*this);
  clients_.push_back(std::make_unique<Client>(*this, 0));
}

SharedInterface::~SharedInterface() = default;

npu::NetworkInterface& SharedInterface::for_npu() { return *clients_[0]; }

npu::NetworkInterface& SharedInterface::for_controller(std::uint32_t number) {
  client_of_[number] = clients_.size();
  clients_.push_back(std::make_unique<Client>(*this, clients_.size()));
  return *clients_.back();
}

bool SharedInterface::timer_stays(std::uint64_t cookie) const {
  return npu::owner_of(cookie) != npu::kIoOwner && clients_[0]->endpoint().timer_stays(cookie);
}

bool SharedInterface::timer_streams(std::uint64_t cookie) const {
  return npu::owner_of(cookie) == npu::kIoOwner || clients_[0]->endpoint().timer_streams(cookie);
}

void SharedInterface::put_timer(StateForm& form, std::uint64_t cookie) {
  if (npu::owner_of(cookie) != npu::kIoOwner) return clients_[0]->endpoint().put_timer(form, cookie);
  const std::uint64_t own = npu::without_owner(cookie);
  form.same(own >> kClientShift);
  clients_[own >> kClientShift]->endpoint().put_timer(form, own & kCookieMask);
}

void SharedInterface::put_message(StateForm& form, npu::MessageId id) {
  const std::size_t client = sender_.at(id);
  form.same(client);
  clients_[client]->endpoint().put_message(form, id);
}

void SharedInterface::put_state(StateForm& form) {
  for (const auto& client : clients_) {
    if (client->listens() && !form.failed()) client->endpoint().put_state(form);
  }
}

void SharedInterface::keep(Checkpoint& checkpoint) {
  checkpoint.map(sender_, [&](npu::MessageId& id, std::size_t& client) { checkpoint.values(id, client); });
  for (const auto& client : clients_) {
    if (client->listens()) client->endpoint().keep(checkpoint);
  }
}

void SharedInterface::on_data(const npu::Delivery& delivery) {
  std::size_t client = 0;
  if (npu::owner_of(delivery.tag) == npu::kIoOwner) {
    client = client_of_.at(io_tag_of(delivery.tag).controller);
  }
  clients_[client]->endpoint().on_data(delivery);
}

void SharedInterface::on_sent(npu::MessageId id) {
  const auto found = sender_.find(id);
  WEFT_CHECK(found != sender_.end(), "a message was sent that nobody at this interface has queued");
  const std::size_t client = found->second;
  sender_.erase(found);
  clients_[client]->endpoint().on_sent(id);
}

void SharedInterface::on_timer(std::uint64_t cookie) {
  if (npu::owner_of(cookie) != npu::kIoOwner) return clients_[0]->endpoint().on_timer(cookie);
  const std::uint64_t own = npu::without_owner(cookie);
  clients_[own >> kClientShift]->endpoint().on_timer(own & kCookieMask);
}

}  // namespace weft::sc_models
