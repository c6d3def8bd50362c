// SPDX-License-Identifier: Apache-2.0
#include "sc_models/memory/io_pool.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/units.h"
#include "sc_models/memory/pool_config.h"
#include "sc_models/results_units.h"

namespace weft::sc_models {
namespace {

std::uint64_t key_of(IoTag tag) {
  tag.piece = 0;
  tag.controller = 0;
  return pack_io_tag(tag);
}

}  // namespace

/// A controller's port to the pool.
class IoPool::Port final : private mem::Controller {
 public:
  Port(IoController& controller, std::uint32_t number, mem::PoolController& pool, mem::ValidationUnit* unit)
      : controller_(controller),
        number_(number),
        pool_(pool),
        base_(unit == nullptr ? 0 : unit->physical_size() * number),
        port_(*this, unit == nullptr ? static_cast<mem::Gate&>(open_) : *unit) {
    port_.on_answered([this](const mem::SourceAccess& access, const mem::Verdict& verdict, Cycle now) {
      controller_.pool_client().put_answer({access.id, verdict.reason, access.address, access.bytes});
      answered_ = true;
      if (probe_ != nullptr) probe_->access_ended(kNoPeer, logged(access, verdict, now));
    });
  }

  void set_probe(AccessProbe* probe) { probe_ = probe; }
  /// What a note says: of whom a packet is.
  static std::uint64_t note_of(const PoolAsk& ask) {
    const std::uint64_t group = ask.tag.grouped ? ask.tag.who : kNoGroup;
    return group << 32 | index(ask.source);
  }

  IoController& controller() { return controller_; }
  mem::SourcePort& port() { return port_; }
  /// Whether something was answered since the last call.
  bool take_answered() { return std::exchange(answered_, false); }

 private:
  MemoryAccess logged(const mem::SourceAccess& access, const mem::Verdict& verdict, Cycle now) const {
    MemoryAccess logged;
    logged.place = controller_.site().name;
    logged.node = NodeId{static_cast<std::uint32_t>(access.note)};
    logged.group = static_cast<std::uint32_t>(access.note >> 32);
    logged.write = access.command == mem::Command::kWrite;
    logged.address = access.address;
    logged.bytes = access.bytes;
    logged.asked = access.arrival;
    logged.done = now;
    if (!verdict.allowed) logged.refused = mem::reason_name(verdict.reason);
    return logged;
  }

  // The pool is shared, and advanced when all ports of an edge have handed over what they have.
  void take(mem::Request& request, Cycle at) override {
    request.physical += base_;
    pool_.take_at(number_, request, at);
  }
  void advance(Cycle /*now*/) override {}
  Cycle deadline() const override { return kNever; }
  Cycle lookahead() const override { return pool_.lookahead(); }
  std::uint64_t size() const override { return pool_.size(); }
  void count_refused(const mem::Request& /*request*/) override { pool_.count_refused_at(number_); }

  IoController& controller_;
  std::uint32_t number_;
  mem::PoolController& pool_;
  std::uint64_t base_;  ///< of the controller's slice in the modules
  AccessProbe* probe_ = nullptr;
  mem::OpenGate open_;
  mem::SourcePort port_;
  bool answered_ = false;
};

IoPool::IoPool(System& system, const IoPlan& plan)
    : system_(system), plan_(plan), file_(pool_of(system.config())), pool_(file_.spec, file_.size) {
  system.npu_clock().add(*this);
}

IoPool::~IoPool() = default;

void IoPool::use_groups(const std::vector<npu::SharedGroup>& groups) {
  const Config& config = plan_.config();
  layout_ = std::make_unique<PoolLayout>(file_, config.npu.placement.size(), groups.size());
  if (!file_.access) return;
  const auto nodes = static_cast<std::uint32_t>(config.fabric.nodes()) + file_.spec.controllers;
  access_control_ = std::make_unique<PoolAccessControl>(file_, *layout_, config.npu.placement, nodes);
  access_control_->use_groups(groups);
}

void IoPool::add(IoController& controller) {
  const auto number = static_cast<std::uint32_t>(ports_.size());
  ports_.push_back(std::make_unique<Port>(controller, number, pool_,
                                          access_control_ == nullptr ? nullptr : &access_control_->unit(number)));
}

void IoPool::set_probe(AccessProbe* probe) {
  for (const auto& port : ports_) port->set_probe(probe);
}

TensorAllocator& IoPool::add_allocator() {
  allocators_.push_back(std::make_unique<TensorAllocator>(*layout_));
  return *allocators_.back();
}

void IoPool::step(Cycle now) {
  for (const auto& port : ports_) port->port().step(now);
  const std::uint64_t served = pool_.served();
  pool_.advance(now);
  if (pool_.served() > served) {
    for (const auto& port : ports_) port->port().step(now);
  }
  next_ = std::max(pool_.deadline(), now + 1);
  for (const auto& port : ports_) next_ = std::min(next_, port->port().next_work(now));
}

Cycle IoPool::next_work(Cycle now) const { return next_ == kNever ? kNever : std::max(next_, now + 1); }

void IoPool::end_of_cycle() {
  ClockDomain& domain = system_.npu_clock();
  const Cycle now = domain.now();
  if (tell_controllers(now)) domain.wake_all();
  read_books();
  if (!ask_pool(now)) return;
  next_ = std::min(next_, now + 1);
  domain.wake(*this, now + 1);
}

bool IoPool::tell_controllers(Cycle now) {
  bool any = false;
  for (const auto& port : ports_) {
    if (!port->take_answered()) continue;
    port->controller().pool_answers_at(now + 1);
    any = true;
  }
  return any;
}

void IoPool::read_books() {
  for (const auto& allocator : allocators_) {
    for (const PoolOpening& opening : allocator->take_opened()) {
      open_[key_of(opening.tag)] = opening.offset;
      if (access_control_ != nullptr) access_control_->admit(opening);
    }
    for (const IoTag tag : allocator->take_closed()) open_.erase(key_of(tag));
  }
}

bool IoPool::ask_pool(Cycle now) {
  bool any = false;
  for (std::uint32_t c = 0; c < ports_.size(); ++c) {
    for (const PoolAsk& ask : ports_[c]->controller().pool_client().take_asks()) {
      const auto found = open_.find(key_of(ask.tag));
      WEFT_CHECK(found != open_.end(), "an I/O controller was asked for a tensor that nobody has begun");
      const std::uint64_t address =
          layout_->slice_bytes() * c + found->second + plan_.shares().piece_bytes * ask.tag.piece + ask.offset;
      const mem::Initiator who = access_control_ == nullptr
                                     ? index(ask.source)
                                     : access_control_->initiator(ask.source, ask.tag.grouped, ask.tag.who);
      ports_[c]->port().ask({ask.id, NodeId{who}, ask.command, address, ask.bytes, Port::note_of(ask)}, now + 1);
      any = true;
    }
  }
  return any;
}

void IoPool::collect(RunResult* result) {
  pool_.advance(system_.npu_clock().now());  // means are over the whole run
  result->pool_rows = pool_.figures("pool");
  const Rational hertz = npu_clock(system_.config()).hertz;
  result->pool_module_gbps =
      bandwidth_of(file_.spec.module.flits_per_cycle, file_.spec.flit_bytes, hertz).value() * 1e-9;
  if (access_control_ == nullptr) return;
  std::vector<std::string> names;
  for (const IoSite& site : plan_.sites()) names.push_back(site.name);
  result->refused_accesses = access_control_->refused();
  result->refused = access_control_->log(names);
  if (result->refused.size() < result->refused_accesses) {
    result->warnings.push_back(
        fmt::format("refused.csv has {} of {} refused packets: the first ones at each I/O "
                    "controller (access.log: {})",
                    result->refused.size(), result->refused_accesses, file_.access->log_entries));
  }
}

}  // namespace weft::sc_models
