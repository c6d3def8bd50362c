// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/remote_ports.h"

#include <utility>

#include "base/checked.h"
#include "base/error.h"
#include "npu/player/point_to_point.h"

namespace weft::sc_models {

class RemotePorts::Port final : public npu::MemoryPort {
 public:
  Port(npu::NetworkInterface& network, npu::MemoryDone done) : network_(network), done_(std::move(done)) {}

  void start(const npu::MemoryOrder& order) override {
    issued_.push_back(order);
    ++(order.store ? figures_.stores : figures_.loads);
    std::uint64_t& bytes = order.store ? figures_.stored_bytes : figures_.loaded_bytes;
    bytes = checked_add(bytes, order.bytes, "bytes of a rank's accesses to remote memory");
    if (!order.store && open_loads_++ == 0) loads_since_ = network_.now();
  }
  bool copies(const npu::CommGroup& /*group*/) const override { return true; }
  bool reduces(const npu::CommGroup& /*group*/) const override { return true; }
  void on_data(const npu::Delivery& /*delivery*/) override {
    WEFT_CHECK(false, "remote memory sends no messages, but one has come from it");
  }
  bool on_sent(npu::MessageId /*id*/) override { return false; }
  void on_timer(std::uint64_t cookie) override {
    const auto found = open_.find(cookie);
    WEFT_CHECK(found != open_.end(), "an access to remote memory ends twice");
    const npu::MemoryOrder order = found->second;
    open_.erase(found);
    if (!order.store && --open_loads_ == 0) figures_.load_cycles += network_.now() - loads_since_;
    done_(order.handle);
  }
  std::string waiting_for(std::uint64_t /*handle*/) const override { return "the time of remote memory"; }

  bool has_issued() const { return !issued_.empty(); }
  npu::MemoryOrder pop_issued() {
    npu::MemoryOrder order = std::move(issued_.front());
    issued_.pop_front();
    return order;
  }
  void end_at(npu::MemoryOrder order, Cycle at) {
    const std::uint64_t number = next_++;
    open_.emplace(number, std::move(order));
    network_.schedule(at - network_.now(), npu::kMemoryOwner << npu::kOwnerShift | number);
  }
  const RankMemoryRecord& figures() const { return figures_; }

 private:
  npu::NetworkInterface& network_;
  npu::MemoryDone done_;
  std::deque<npu::MemoryOrder> issued_;             ///< in this cycle
  std::map<std::uint64_t, npu::MemoryOrder> open_;  ///< by number
  std::uint64_t next_ = 0;
  RankMemoryRecord figures_;
  int open_loads_ = 0;
  Cycle loads_since_ = 0;
};

RemotePorts::RemotePorts(System& system) : system_(system), times_(system.config()) {}

RemotePorts::~RemotePorts() = default;

std::unique_ptr<npu::MemoryPort> RemotePorts::make(RankId /*rank*/, npu::NetworkInterface& network,
                                                   npu::MemoryDone done) {
  auto port = std::make_unique<Port>(network, std::move(done));
  ports_.push_back(port.get());
  return port;
}

void RemotePorts::end_of_cycle() {
  ClockDomain& domain = system_.npu_clock();
  bool any = false;
  for (std::size_t rank = 0; rank < ports_.size(); ++rank) {
    while (ports_[rank]->has_issued()) {
      npu::MemoryOrder order = ports_[rank]->pop_issued();
      const Cycle end = times_.end_of(rank, order.bytes, domain.clock(), domain.now());
      ports_[rank]->end_at(std::move(order), end);
      any = true;
    }
  }
  if (any) domain.wake_all();
}

void RemotePorts::collect(RunResult* result) const {
  for (const Port* port : ports_) result->rank_memory.push_back(port->figures());
}

}  // namespace weft::sc_models
