// SPDX-License-Identifier: Apache-2.0
#include "waves/recorder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "kernel/colour_plan.h"
#include "kernel/error.h"

namespace weft::waves {
namespace {

// So many edges without a change still show their number; then `cycle` is x, because a long pause must cost nothing.
constexpr int kIdleEdges = 8;
constexpr std::uint64_t kEndOfTime = ~std::uint64_t{0};

std::vector<ClockSpec> clocks_of(const RecorderSetup& setup) {
  std::vector<ClockSpec> clocks;
  for (const ClockWave& wave : setup.clocks) clocks.push_back(wave.clock);
  return clocks;
}

int bits_for(std::uint64_t largest) { return largest <= 1 ? 1 : 64 - __builtin_clzll(largest); }

}  // namespace

Recorder::Recorder(const WavesSpec& spec, const std::filesystem::path& file, RecorderSetup setup)
    : axis_(clocks_of(setup)) {
  if (spec.from_ns < 0)
    throw InputError(fmt::format("waves.from: {} ns is before the run; it must be 0 or later", spec.from_ns));
  if (spec.to_ns >= 0 && spec.to_ns < spec.from_ns) {
    throw InputError(
        fmt::format("waves.to: {} ns is before waves.from, {} ns; the window is empty", spec.to_ns, spec.from_ns));
  }
  from_ = axis_.from_ns(spec.from_ns);
  to_ = spec.to_ns < 0 ? kEndOfTime : axis_.to_ns_floor(spec.to_ns);
  ScopeChoice choice(spec.scope);
  writer_ = make_wave_writer(file, axis_.unit());
  declare(setup, choice);
  choice.require_all_found(setup);
  constexpr Cycle kCyclesShown = 16;  // wide enough to read the packet of a single flit
  constexpr double kPixels = 640;
  layout_.start = from_;
  layout_.units_per_pixel = static_cast<double>(axis_.edge(0, kCyclesShown)) / kPixels;
  write_gtkw(std::filesystem::path(file).replace_extension(".gtkw"), file, layout_);
  layout_ = GtkwLayout{};
}

Recorder::~Recorder() {
  if (done_) return;
  try {
    write_before(kEndOfTime);
    if (!done_) end_file(written_time_);
  } catch (const std::exception&) {  // a destructor cannot say more; the file is whole lines in any case
  }
}

void Recorder::declare(RecorderSetup& setup, ScopeChoice& choice) {
  for (const ClockWave& wave : setup.clocks) {
    layout_.groups.push_back({wave.name, fmt::format("{} MHz", wave.clock.hertz.value() / 1e6), {}});
    enter(wave.name);
    Domain domain;
    domain.cycle_var = add("cycle", WaveKind::kInteger, 1, GtkwFormat::kDecimal);
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
}

void Recorder::declare_npu(NodeId id, const NpuWave& wave, ScopeChoice& choice) {
  if (choice.match(wave.name + "." + kNpuSignal) != ScopeMatch::kSelected) return;
  WEFT_CHECK(wave.clock < domains_.size(), fmt::format("'{}' has no clock domain {}", wave.name, wave.clock));
  layout_.groups.push_back({wave.name, "", {}});
  enter(wave.name);
  Npu npu;
  npu.clock = static_cast<std::uint32_t>(wave.clock);
  npu.running = add(kNpuSignal, WaveKind::kString, 1, GtkwFormat::kText);
  npu_slots_[id] = static_cast<Slot>(npus_.size());
  npus_.push_back(std::move(npu));
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
  WEFT_CHECK(wave.clock < domains_.size(), fmt::format("'{}' has no clock domain {}", wave.name, wave.clock));
  const std::string way = fmt::format("{} to {}", wave.from, wave.to);
  layout_.groups.push_back({wave.name, way, {}});
  enter(wave.name);
  writer_->comment(fmt::format(
      "{}: {}, {} VCs, {} credits each", wave.name, way, wave.vcs,
      wave.vc_credits.empty() ? std::to_string(wave.credits) : fmt::format("{}", fmt::join(wave.vc_credits, ", "))));
  Link link;
  link.clock = static_cast<std::uint32_t>(wave.clock);
  link.vcs = wave.vcs;
  if (wave.credits > 0) {
    link.credits.assign(static_cast<std::size_t>(wave.vcs) + static_cast<std::size_t>(wave.colours), wave.credits);
    std::copy(wave.vc_credits.begin(), wave.vc_credits.end(), link.credits.begin());
  }
  link.credit_vars.assign(link.credits.size(), kNotRecorded);
  for (const std::string& signal : signals) declare_link_signal(link, wave, signal);
  link_slots_[id] = static_cast<Slot>(links_.size());
  links_.push_back(std::move(link));
}

void Recorder::declare_link_signal(Link& link, const LinkWave& wave, const std::string& signal) {
  struct Kind {
    const char* name;
    WaveVar Link::*var;
    WaveKind kind;
    int bits;
    GtkwFormat format;
  };
  const int last_vc = wave.colours > 0 ? kFirstColourVc + wave.colours - 1 : wave.vcs - 1;
  const int vc_bits = bits_for(static_cast<std::uint64_t>(last_vc));
  const bool named = !wave.vc_names.empty();
  WEFT_CHECK(!named || static_cast<int>(wave.vc_names.size()) == wave.vcs, wave.name + ": not every VC has a name");
  const std::array<Kind, 6> kinds = {{
      {"valid", &Link::valid, WaveKind::kWire, 1, GtkwFormat::kBinary},
      {"flits", &Link::flits, WaveKind::kInteger, 1, GtkwFormat::kDecimal},
      {"packet", &Link::packet, WaveKind::kString, 1, GtkwFormat::kText},
      {"vc", &Link::vc, named ? WaveKind::kEnum : WaveKind::kWire, vc_bits, GtkwFormat::kDecimal},
      {"head", &Link::head, WaveKind::kWire, 1, GtkwFormat::kBinary},
      {"tail", &Link::tail, WaveKind::kWire, 1, GtkwFormat::kBinary},
  }};
  for (const Kind& kind : kinds) {
    if (signal != kind.name) continue;
    link.*kind.var =
        kind.kind == WaveKind::kEnum ? add_enum(signal, wave.vc_names) : add(signal, kind.kind, kind.bits, kind.format);
  }
  for (int place = 0; place < static_cast<int>(link.credit_vars.size()); ++place) {
    if (signal != credit_signal(wave, place)) continue;
    const WaveVar var =
        add(signal, WaveKind::kWire, bits_for(static_cast<std::uint64_t>(wave.credits)), GtkwFormat::kDecimal);
    layout_.groups.back().signals.back().detail = true;
    writer_->set(var, static_cast<std::uint64_t>(link.credits[static_cast<std::size_t>(place)]));
    link.credit_vars[static_cast<std::size_t>(place)] = var;
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

WaveVar Recorder::add(const std::string& name, WaveKind kind, int bits, GtkwFormat format) {
  std::string shown;
  for (const std::string& scope : open_scopes_) shown += scope + ".";
  shown += name;
  if (kind == WaveKind::kWire && bits > 1) shown += fmt::format("[{}:0]", bits - 1);
  layout_.groups.back().signals.push_back({shown, format, false});
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
  const int bits = writer_->variable(var).bits;
  std::string shown;
  for (const std::string& scope : open_scopes_) shown += scope + ".";
  shown += name;
  if (bits > 1) shown += fmt::format("[{}:0]", bits - 1);
  layout_.groups.back().signals.push_back({shown, GtkwFormat::kDecimal, false});
  return var;
}

void Recorder::flit_sent(Cycle now, LinkId id, VcId vc, PacketIdentity packet, bool head, bool tail, int credits) {
  const Slot slot = link_slots_[id];
  if (slot == kNoSlot || done_) return;
  Link& link = touch_link(slot, now);
  ++link.sent;
  link.last_vc = vc;
  link.last_packet = packet;
  link.any_head = link.any_head || head;
  link.any_tail = link.any_tail || tail;
  if (!link.credits.empty()) set_credits(link, vc, credits);
}

void Recorder::credit_returned(Cycle now, LinkId id, VcId vc, int credits) {
  const Slot slot = link_slots_[id];
  if (slot == kNoSlot || done_ || links_[slot].credits.empty()) return;
  set_credits(touch_link(slot, now), vc, credits);
}

void Recorder::npu_state(Cycle now, NodeId node, const std::string& text) {
  const Slot slot = npu_slots_[node];
  if (slot == kNoSlot || done_) return;
  Npu& npu = npus_[slot];
  arrive(npu.clock, now);
  npu.text = text;
  if (npu.touched) return;
  npu.touched = true;
  domains_[npu.clock].touched_npus.push_back(slot);
}

Recorder::Link& Recorder::touch_link(Slot slot, Cycle now) {
  Link& link = links_[slot];
  arrive(link.clock, now);
  if (!link.touched) {
    link.touched = true;
    domains_[link.clock].touched_links.push_back(slot);
  }
  return link;
}

void Recorder::set_credits(Link& link, VcId vc, int credits) {
  const auto place = static_cast<std::size_t>(credit_place(link.vcs, vc));
  WEFT_CHECK(place < link.credits.size() && credits >= 0,
             fmt::format("a link of {} VCs and colours reports {} credits for VC {}", link.credits.size(), credits,
                         index(vc)));
  link.credits[place] = credits;
}

void Recorder::arrive(std::size_t clock, Cycle now) {
  Domain& domain = domains_[clock];
  if (domain.open && domain.open_cycle == now) return;
  const std::uint64_t time = axis_.edge(clock, now);
  WEFT_CHECK(time >= written_before_, fmt::format("waves: cycle {} ({} ns) is reported after {} ns", now,
                                                  axis_.ns(time), axis_.ns(written_before_)));
  write_before(time);
  domain.open = true;
  domain.open_cycle = now;
  domain.open_time = time;
}

Cycle Recorder::due(const Domain& domain) const {
  if (domain.ticking) return domain.written_cycle + 1;
  return domain.open ? domain.open_cycle : kNever;
}

void Recorder::write_before(std::uint64_t time) {
  while (!done_) {
    std::size_t next = domains_.size();
    std::uint64_t next_time = time;
    for (std::size_t clock = 0; clock < domains_.size(); ++clock) {
      const Cycle cycle = due(domains_[clock]);
      if (cycle == kNever) continue;
      const std::uint64_t edge = axis_.edge(clock, cycle);
      if (edge >= next_time) continue;
      next = clock;
      next_time = edge;
    }
    if (next == domains_.size()) break;
    write_edge(next, due(domains_[next]), next_time);
  }
  written_before_ = time;
}

bool Recorder::enter_window(std::uint64_t time) {
  if (time > to_) {
    end_file(to_);
    return false;
  }
  if (!writer_->begun() && time >= from_) writer_->begin(from_);
  if (writer_->begun()) writer_->set_time(time);
  written_time_ = time;
  return true;
}

void Recorder::write_edge(std::size_t clock, Cycle cycle, std::uint64_t time) {
  if (!enter_window(time)) return;
  Domain& domain = domains_[clock];
  const bool opened = domain.open && domain.open_cycle == cycle;
  std::vector<Slot>& slots = edge_links_;
  slots.clear();
  if (opened) slots = domain.touched_links;
  for (const Slot slot : domain.shown_links) {
    if (!opened || !links_[slot].touched) slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end());
  write_cycle_number(domain, cycle, opened || !slots.empty());
  domain.shown_links.clear();
  for (const Slot slot : slots) {
    write_link(links_[slot]);
    if (links_[slot].shown) domain.shown_links.push_back(slot);
  }
  if (!opened) return;
  std::sort(domain.touched_npus.begin(), domain.touched_npus.end());
  for (const Slot slot : domain.touched_npus) {
    put(npus_[slot].running, std::string_view(npus_[slot].text));
    npus_[slot].touched = false;
  }
  domain.open = false;
  domain.touched_links.clear();
  domain.touched_npus.clear();
}

void Recorder::write_cycle_number(Domain& domain, Cycle cycle, bool active) {
  domain.written_cycle = cycle;
  domain.idle_edges = active ? 0 : domain.idle_edges + 1;
  domain.ticking = domain.idle_edges < kIdleEdges;
  if (domain.ticking) {
    writer_->set(domain.cycle_var, cycle);
  } else {
    writer_->set_unknown(domain.cycle_var);
  }
}

void Recorder::write_link(Link& link) {
  const bool flit = link.sent > 0;
  put(link.valid, std::uint64_t{flit});
  put(link.flits, static_cast<std::uint64_t>(link.sent));
  if (link.packet != kNotRecorded) write_packet(link);
  if (flit) put(link.vc, std::uint64_t{index(link.last_vc)});
  put(link.head, std::uint64_t{link.any_head});
  put(link.tail, std::uint64_t{link.any_tail});
  for (std::size_t vc = 0; vc < link.credits.size(); ++vc) {
    put(link.credit_vars[vc], static_cast<std::uint64_t>(link.credits[vc]));
  }
  link.shown = flit;
  link.sent = 0;
  link.any_head = link.any_tail = link.touched = false;
}

void Recorder::write_packet(Link& link) {
  constexpr std::size_t kDigits = 10;  // of 2^32
  char text[2 * kDigits + 1];
  char* end = text;
  if (link.sent > 0) {
    end = std::to_chars(text, text + kDigits, index(link.last_packet.src)).ptr;
    *end++ = '.';
    end = std::to_chars(end, end + kDigits, link.last_packet.sequence).ptr;
  }
  writer_->set(link.packet, std::string_view(text, static_cast<std::size_t>(end - text)));
}

void Recorder::finish(Cycle end, std::size_t clock) {
  if (done_) return;
  std::uint64_t last = axis_.edge(clock, end);
  for (const Domain& domain : domains_) {
    if (domain.open) last = std::max(last, domain.open_time);
  }
  write_before(last + 1);
  if (last < from_) {
    warning_ = fmt::format("waves: the window begins at {} ns but the run ended at {} ns; the file holds no change",
                           axis_.ns(from_), axis_.ns(last));
  }
  if (!done_) end_file(std::min(last, to_));
}

void Recorder::end_file(std::uint64_t time) {
  done_ = true;
  if (!writer_->begun()) writer_->begin(std::min(from_, time));
  writer_->close(time);
}

}  // namespace weft::waves
