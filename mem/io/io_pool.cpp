// SPDX-License-Identifier: Apache-2.0
#include "mem/io/io_pool.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "mem/access/source_port.h"

namespace weft::mem {
/// A controller's port to the pool.
class IoPool::Port final : private Controller {
 public:
  Port(std::string name, PoolClient& client, AnswersAt answers_at, std::uint32_t number, PoolController& pool,
       ValidationUnit* unit)
      : name_(std::move(name)),
        client_(client),
        answers_at_(std::move(answers_at)),
        number_(number),
        pool_(pool),
        base_(unit == nullptr ? 0 : unit->physical_size() * number),
        port_(*this, unit == nullptr ? static_cast<AccessCheck&>(open_) : *unit) {
    port_.on_answered([this](const SourceAccess& access, const Verdict& verdict, Cycle now) {
      client_.put_answer({access.id, verdict.reason, access.address, access.bytes});
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

  const std::string& name() const { return name_; }
  PoolClient& client() { return client_; }
  void tell(Cycle at) const { answers_at_(at); }
  SourcePort& port() { return port_; }
  /// Whether something was answered since the last call.
  bool take_answered() { return std::exchange(answered_, false); }

 private:
  MemoryAccess logged(const SourceAccess& access, const Verdict& verdict, Cycle now) const {
    MemoryAccess logged;
    logged.component = name_;
    logged.node = NodeId{static_cast<std::uint32_t>(access.note)};
    logged.group = static_cast<std::uint32_t>(access.note >> 32);
    logged.write = access.command == Command::kWrite;
    logged.address = access.address;
    logged.bytes = access.bytes;
    logged.asked = access.arrival;
    logged.done = now;
    if (!verdict.allowed) logged.refused = reason_name(verdict.reason);
    return logged;
  }

  // The pool is shared, and advanced when all ports of an edge have handed over what they have.
  void take(Request& request, Cycle at) override {
    request.physical += base_;
    pool_.take_at(number_, request, at);
  }
  void advance(Cycle /*now*/) override {}
  Cycle deadline() const override { return kNever; }
  Cycle lookahead() const override { return pool_.lookahead(); }
  std::uint64_t size() const override { return pool_.size(); }
  void count_refused(const Request& /*request*/) override { pool_.count_refused_at(number_); }

  std::string name_;
  PoolClient& client_;
  AnswersAt answers_at_;
  std::uint32_t number_;
  PoolController& pool_;
  std::uint64_t base_;  ///< first byte of the controller's slice in the modules
  AccessProbe* probe_ = nullptr;
  OpenAccess open_;
  SourcePort port_;
  bool answered_ = false;
};

IoPool::IoPool(ClockDomain& clock, PoolFile file, const IoShares& shares)
    : clock_(clock), file_(std::move(file)), shares_(shares), pool_(file_.spec, file_.size) {
  clock.add(*this);
}

IoPool::~IoPool() = default;

void IoPool::set_users(PoolUsers users) {
  layout_ = std::make_unique<PoolLayout>(file_, users.placement.size(), users.groups.size());
  if (!file_.access) return;
  access_control_ =
      std::make_unique<PoolAccessControl>(file_, *layout_, std::move(users.placement), users.nodes, users.summed);
  access_control_->use_groups(std::move(users.groups));
}

void IoPool::add(std::string name, PoolClient& client, AnswersAt answers_at) {
  const auto number = static_cast<std::uint32_t>(ports_.size());
  ValidationUnit* unit = access_control_ == nullptr ? nullptr : &access_control_->unit(number);
  ports_.push_back(std::make_unique<Port>(std::move(name), client, std::move(answers_at), number, pool_, unit));
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
  const Cycle now = clock_.now();
  if (tell_controllers(now)) clock_.wake_all();
  follow_allocators();
  if (!ask_pool(now)) return;
  next_ = std::min(next_, now + 1);
  clock_.wake(*this, now + 1);
}

bool IoPool::tell_controllers(Cycle now) {
  bool any = false;
  for (const auto& port : ports_) {
    if (!port->take_answered()) continue;
    port->tell(now + 1);
    any = true;
  }
  return any;
}

void IoPool::follow_allocators() {
  for (const auto& allocator : allocators_) {
    for (const PoolOpening& opening : allocator->take_opened()) {
      open_[job_of(opening.tag)] = opening.offset;
      if (access_control_ != nullptr) access_control_->admit(opening);
    }
    for (const IoTag tag : allocator->take_closed()) open_.erase(job_of(tag));
  }
}

bool IoPool::ask_pool(Cycle now) {
  bool any = false;
  for (std::uint32_t c = 0; c < ports_.size(); ++c) {
    for (const PoolAsk& ask : ports_[c]->client().take_asks()) {
      const auto found = open_.find(job_of(ask.tag));
      WEFT_CHECK(found != open_.end(), "an I/O controller was asked for a tensor that nobody has begun");
      const std::uint64_t address =
          layout_->slice_bytes() * c + found->second + shares_.piece_bytes * ask.tag.piece + ask.offset;
      const Initiator who = access_control_ == nullptr
                                ? index(ask.source)
                                : access_control_->initiator(ask.source, ask.tag.grouped, ask.tag.who);
      ports_[c]->port().ask({ask.id, NodeId{who}, ask.command, address, ask.bytes, Port::note_of(ask)}, now + 1);
      any = true;
    }
  }
  return any;
}

std::vector<MemoryRow> IoPool::figures() {
  pool_.advance(clock_.now());  // means are over the whole run
  return pool_.figures("pool");
}

std::vector<RefusedRecord> IoPool::refused_log() const {
  if (!access_control_) return {};
  std::vector<std::string> names;
  for (const auto& port : ports_) names.push_back(port->name());
  return access_control_->log(names);
}

}  // namespace weft::mem
