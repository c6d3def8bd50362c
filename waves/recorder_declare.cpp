// SPDX-License-Identifier: Apache-2.0
// What a recorder does before the first cycle: it chooses and declares the signals.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/colour_plan.h"
#include "base/error.h"
#include "waves/recorder.h"

namespace weft::waves {
namespace {

int bits_for(std::uint64_t largest) { return largest <= 1 ? 1 : 64 - __builtin_clzll(largest); }

}  // namespace

void Recorder::declare(RecorderSetup& setup, ScopeChoice& choice) {
  for (const ClockWave& wave : setup.clocks) {
    header_.remarks[wave.name] = fmt::format("{} MHz", wave.clock.hertz.value() / 1e6);
    enter(wave.name);
    Domain domain;
    domain.cycle_var = add("cycle", WaveKind::kInteger, 1);
    writer_->set_unknown(domain.cycle_var);
    domains_.push_back(std::move(domain));
  }
  npu_slots_ = IndexedVector<NodeId, Slot>(setup.nodes, kNoSlot);
  for (std::size_t n = 0; n < setup.nodes; ++n) {
    const auto id = static_cast<NodeId>(n);
    declare_npu(id, setup.npu(id), choice);
  }
  link_slots_ = IndexedVector<LinkId, Slot>(setup.links, kNoSlot);
  for (std::size_t n = 0; n < setup.links; ++n) {
    const auto id = static_cast<LinkId>(n);
    const LinkWave wave = setup.link(id);
    if (!wave.name.empty()) declare_link(id, wave, choice);
  }
  bank_slots_.assign(2 * setup.switches, kNoSlot);
  for (std::size_t n = 0; n < setup.switches && choice.asks_inside(); ++n) {
    declare_switch(n, setup.fabric_switch(n), choice);
  }
}

void Recorder::declare_npu(NodeId id, const NpuWave& wave, ScopeChoice& choice) {
  std::vector<std::string> signals;
  for (const std::string& signal : npu_signals(wave)) {
    if (choice.match(wave.name + "." + signal) == ScopeMatch::kSelected) signals.push_back(signal);
  }
  if (signals.empty()) return;
  WEFT_CHECK(wave.clock < domains_.size(), fmt::format("'{}' has no clock domain {}", wave.name, wave.clock));
  enter(wave.name);
  Npu npu;
  npu.clock = static_cast<std::uint32_t>(wave.clock);
  struct Part {
    const char* name;
    WaveVar Npu::*var;
  };
  static constexpr std::array<Part, 9> kParts = {{
      {"running", &Npu::running},
      {"collective", &Npu::collective},
      {"group", &Npu::group},
      {"instance", &Npu::instance},
      {"chunk", &Npu::chunk},
      {"step", &Npu::step},
      {"flow", &Npu::flow},
      {"phase", &Npu::phase},
      {"stored_setting", &Npu::stored_setting},
  }};
  for (const std::string& signal : signals) {
    const auto part = std::find_if(kParts.begin(), kParts.end(), [&](const Part& each) { return signal == each.name; });
    npu.*part->var = declare_npu_signal(signal);
  }
  npu_slots_[id] = static_cast<Slot>(npus_.size());
  npus_.push_back(std::move(npu));
}

WaveVar Recorder::declare_npu_signal(const std::string& signal) {
  static constexpr std::array<const char*, 4> kNumbers = {"instance", "chunk", "step", "stored_setting"};
  if (std::find(kNumbers.begin(), kNumbers.end(), signal) != kNumbers.end()) {
    const WaveVar var = add(signal, WaveKind::kInteger, 1);
    writer_->set_unknown(var);
    return var;
  }
  if (signal != "phase") return add(signal, WaveKind::kString, 1);
  const WaveVar var = add_enum(signal, phase_names());
  writer_->set(var, std::uint64_t{0});
  return var;
}

/// What is waited for must exist, and is watched whether it is in scope or not.
void Recorder::declare_trigger(const RecorderSetup& setup) {
  if (trigger_.kind == Trigger::Kind::kCollective) {
    for (std::size_t n = 0; n < setup.nodes; ++n) {
      npu_clocks_.push_back(static_cast<std::uint32_t>(setup.npu(static_cast<NodeId>(n)).clock));
    }
  }
  if (trigger_.kind != Trigger::Kind::kQueue) return;
  for (std::size_t n = 0; n < setup.links; ++n) {
    const auto id = static_cast<LinkId>(n);
    const LinkWave wave = setup.link(id);
    if (wave.name != trigger_.name) continue;
    if (wave.credits == 0) {
      throw InputError(
          fmt::format("waves.trigger: whoever receives from '{}' always can; no queue is there", trigger_.name));
    }
    if (link_slots_[id] == kNoSlot) link_slots_[id] = make_link(wave);
    queue_slot_ = link_slots_[id];
    return;
  }
  const NameVisitor visit = [&setup](const std::function<void(std::string_view)>& use) {
    for (std::size_t n = 0; n < setup.links; ++n) use(setup.link(static_cast<LinkId>(n)).name);
  };
  std::string sentence = explain_no_match(ScopePattern(trigger_.name), visit);
  sentence.replace(0, std::string("waves.scope").size(), "waves.trigger");
  throw InputError(sentence);
}

/// Room for what a link does; no variables yet.
Recorder::Slot Recorder::make_link(const LinkWave& wave) {
  WEFT_CHECK(wave.clock < domains_.size(), fmt::format("'{}' has no clock domain {}", wave.name, wave.clock));
  Link link;
  link.clock = static_cast<std::uint32_t>(wave.clock);
  link.vcs = wave.vcs;
  if (wave.credits > 0) {
    link.credits.assign(static_cast<std::size_t>(wave.vcs) + static_cast<std::size_t>(wave.colours), wave.credits);
    std::copy(wave.vc_credits.begin(), wave.vc_credits.end(), link.credits.begin());
  }
  link.slots = std::accumulate(link.credits.begin(), link.credits.end(), 0);
  link.credit_vars.assign(link.credits.size(), kNotRecorded);
  links_.push_back(std::move(link));
  return static_cast<Slot>(links_.size() - 1);
}

void Recorder::declare_link(LinkId id, const LinkWave& wave, ScopeChoice& choice) {
  const ScopeMatch match = choice.match(wave.name);
  if (match == ScopeMatch::kNone) return;
  const bool look_closer = match == ScopeMatch::kWithin || !choice.all_found();
  std::vector<std::string> signals;
  for (std::string& signal : link_signals(wave)) {
    const bool named = look_closer && choice.match(wave.name + "." + signal) == ScopeMatch::kSelected;
    if (named || match == ScopeMatch::kSelected) signals.push_back(std::move(signal));
  }
  if (signals.empty()) return;
  const std::string ends = fmt::format("{} to {}", wave.from, wave.to);
  enter(wave.name);
  const std::string remark = fmt::format(
      "{}, {} VCs, {} credits each", ends, wave.vcs,
      wave.vc_credits.empty() ? std::to_string(wave.credits) : fmt::format("{}", fmt::join(wave.vc_credits, ", ")));
  header_.remarks[wave.name] = remark;
  writer_->comment(wave.name + ": " + remark);
  link_slots_[id] = make_link(wave);
  for (const std::string& signal : signals) declare_link_signal(links_.back(), wave, signal);
}

void Recorder::declare_link_signal(Link& link, const LinkWave& wave, const std::string& signal) {
  struct Kind {
    const char* name;
    WaveVar Link::*var;
    WaveKind kind;
    int bits;
  };
  const int last_vc = wave.colours > 0 ? kFirstColourVc + wave.colours - 1 : wave.vcs - 1;
  const int vc_bits = bits_for(static_cast<std::uint64_t>(last_vc));
  const bool named = !wave.vc_names.empty();
  WEFT_CHECK(!named || static_cast<int>(wave.vc_names.size()) == wave.vcs, wave.name + ": not every VC has a name");
  const std::array<Kind, 6> kinds = {{
      {"valid", &Link::valid, WaveKind::kWire, 1},
      {"flits", &Link::flits, WaveKind::kInteger, 1},
      {"packet", &Link::packet, WaveKind::kString, 1},
      {"vc", &Link::vc, named ? WaveKind::kEnum : WaveKind::kWire, vc_bits},
      {"head", &Link::head, WaveKind::kWire, 1},
      {"tail", &Link::tail, WaveKind::kWire, 1},
  }};
  for (const Kind& kind : kinds) {
    if (signal != kind.name) continue;
    link.*kind.var = kind.kind == WaveKind::kEnum ? add_enum(signal, wave.vc_names) : add(signal, kind.kind, kind.bits);
  }
  if (signal == "stall") {
    link.stall = add_enum(signal, stall_names());
    writer_->set(link.stall, std::uint64_t{0});
  }
  if (signal == "occupancy") {
    link.occupancy = add(signal, WaveKind::kWire, bits_for(static_cast<std::uint64_t>(link.slots)));
  }
  for (int number = 0; number < static_cast<int>(link.credit_vars.size()); ++number) {
    if (signal != credit_signal(wave, number)) continue;
    const WaveVar var = add(signal, WaveKind::kWire, bits_for(static_cast<std::uint64_t>(wave.credits)));
    writer_->set(var, static_cast<std::uint64_t>(link.credits[static_cast<std::size_t>(number)]));
    link.credit_vars[static_cast<std::size_t>(number)] = var;
  }
}

void Recorder::enter(const std::string& scope) {
  std::vector<std::string> wanted;
  for (std::size_t start = 0; start <= scope.size();) {
    const std::size_t dot = std::min(scope.find('.', start), scope.size());
    wanted.push_back(scope.substr(start, dot - start));
    start = dot + 1;
  }
  const auto common = static_cast<std::size_t>(
      std::mismatch(open_scopes_.begin(), open_scopes_.end(), wanted.begin(), wanted.end()).first -
      open_scopes_.begin());
  for (; open_scopes_.size() > common; open_scopes_.pop_back()) writer_->close_scope();
  for (std::size_t level = common; level < wanted.size(); ++level) writer_->open_scope(wanted[level]);
  open_scopes_ = std::move(wanted);
}

WaveVar Recorder::add(const std::string& name, WaveKind kind, int bits) {
  note(name, kind, bits, {});
  switch (kind) {
    case WaveKind::kWire:
      return writer_->add_wire(name, bits);
    case WaveKind::kInteger:
      return writer_->add_integer(name);
    case WaveKind::kString:
      return writer_->add_string(name);
    case WaveKind::kEnum:
      break;
  }
  return kNotRecorded;
}

WaveVar Recorder::add_enum(const std::string& name, const std::vector<std::string>& names) {
  const WaveVar var = writer_->add_enum(name, names);
  note(name, WaveKind::kEnum, writer_->variable(var).bits, names);
  return var;
}

/// For the layout.
void Recorder::note(const std::string& name, WaveKind kind, int bits, const std::vector<std::string>& names) {
  WaveSignal signal;
  for (const std::string& scope : open_scopes_) signal.name += scope + ".";
  signal.name += name;
  signal.kind = kind;
  signal.bits = bits;
  signal.ranged = bits > 1 && (kind == WaveKind::kWire || kind == WaveKind::kEnum);
  signal.names = names;
  header_.signals.push_back(std::move(signal));
}

}  // namespace weft::waves
