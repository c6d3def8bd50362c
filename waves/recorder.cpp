// SPDX-License-Identifier: Apache-2.0
#include "waves/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "waves/layout.h"
#include "waves/packet_text.h"
#include "waves/ring_writer.h"

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

}  // namespace

Recorder::Recorder(const WavesSpec& spec, const std::filesystem::path& file, RecorderSetup setup)
    : axis_(clocks_of(setup)),
      trigger_(parse_trigger(spec.trigger)),
      on_full_(spec.on_full),
      last_cycles_(spec.last_cycles),
      question_(spec.layout) {
  if (spec.from_ns < 0)
    throw InputError(fmt::format("waves.from: {} ns is before the run; it must be 0 or later", spec.from_ns));
  if (spec.to_ns >= 0 && spec.to_ns < spec.from_ns) {
    throw InputError(
        fmt::format("waves.to: {} ns is before waves.from, {} ns; the window is empty", spec.to_ns, spec.from_ns));
  }
  from_ = axis_.from_ns(spec.from_ns);
  to_ = spec.to_ns < 0 ? kEndOfTime : axis_.to_ns_floor(spec.to_ns);
  if (trigger_.kind != Trigger::Kind::kNone) triggered_ = kEndOfTime;
  ScopeChoice choice(spec.scope);
  writer_ = make_wave_writer(file, axis_.unit());
  if (spec.last_cycles > 0) {
    writer_ = std::make_unique<RingWriter>(std::move(writer_), axis_.edge_shown(0, spec.last_cycles));
  }
  declare(setup, choice);
  choice.require_all_found(setup);
  declare_trigger(setup);
  write_layout_file(file);
}

void Recorder::write_layout_file(const std::filesystem::path& file) {
  file_ = file;
  layout_file_ = std::filesystem::path(file).replace_extension(".gtkw");
  write_layout(layout_file_, file, question_, header_, close_view(from_));
  header_ = WaveHeader{};
}

Recorder::~Recorder() {
  if (done_) return;
  try {
    std::uint64_t last = written_time_;
    for (const Domain& domain : domains_) {
      if (domain.open) last = std::max(last, domain.open_time);
    }
    write_before(last + 1);
    if (!done_) end_file(std::min(last, to_));
  } catch (const std::exception&) {  // a destructor cannot say more; the file is whole lines in any case
  }
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

void Recorder::node_activity(Cycle now, NodeId node, const NodeActivity& activity) {
  if (done_) return;
  if (trigger_.matches(activity) && triggered_ == kEndOfTime) fire(axis_.edge(npu_clocks_[index(node)], now));
  const Slot slot = npu_slots_[node];
  if (slot == kNoSlot) return;
  Npu& npu = npus_[slot];
  arrive(npu.clock, now);
  npu.activity = activity;
  if (npu.touched) return;
  npu.touched = true;
  domains_[npu.clock].touched_npus.push_back(slot);
}

bool Recorder::wants_stalls(LinkId link) const {
  return link_slots_[link] != kNoSlot && links_[link_slots_[link]].stall != kNotRecorded;
}

void Recorder::link_stalled(Cycle now, LinkId id, StallReason reason) {
  const Slot slot = link_slots_[id];
  if (slot == kNoSlot || done_) return;
  touch_link(slot, now).stalled = reason;
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
  const auto number = static_cast<std::size_t>(credit_index(link.vcs, vc));
  WEFT_CHECK(number < link.credits.size() && credits >= 0,
             fmt::format("a link of {} VCs and colours reports {} credits for VC {}", link.credits.size(), credits,
                         index(vc)));
  link.credits[number] = credits;
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
  try {
    write_edges_before(time);
  } catch (const WaveFileFull& full) {
    give_up(full);
  }
  written_before_ = time;
}

void Recorder::give_up(const WaveFileFull& full) {
  done_ = true;
  if (on_full_ == WavesFull::kStop) throw WaveFileFull(std::string("waves: ") + full.what());
  warning_ = std::string("waves: ") + full.what() + "; nothing is recorded after it";
}

void Recorder::flush() {
  try {
    if (!done_) writer_->flush();
  } catch (const WaveFileFull& full) {
    give_up(full);
  }
}

void Recorder::write_edges_before(std::uint64_t time) {
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
}

bool Recorder::enter_window(std::uint64_t time) {
  if (time > to_) {
    end_file(to_);
    return false;
  }
  if (!writer_->begun() && time >= from_ && time >= triggered_) {
    begun_at_ = std::max(from_, triggered_);
    writer_->begin(begun_at_);
  }
  if (writer_->begun()) writer_->set_time(time);
  written_time_ = time;
  return true;
}

void Recorder::write_edge(std::size_t clock, Cycle cycle, std::uint64_t time) {
  Domain& domain = domains_[clock];
  if (queue_slot_ != kNoSlot && triggered_ == kEndOfTime) watch_queue(domain.touched_links, time);
  if (!enter_window(time)) return;
  const bool opened = domain.open && domain.open_cycle == cycle;
  std::vector<Slot>& slots = edge_links_;
  slots.clear();
  if (opened) slots = domain.touched_links;
  for (const Slot slot : domain.shown_links) {
    if (!opened || !links_[slot].touched) slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end());
  write_cycle_number(domain, cycle, opened || !slots.empty() || !domain.shown_banks.empty());
  domain.shown_links.clear();
  for (const Slot slot : slots) {
    write_link(links_[slot]);
    if (links_[slot].shown) domain.shown_links.push_back(slot);
  }
  write_banks(domain, opened);
  if (!opened) return;
  std::sort(domain.touched_npus.begin(), domain.touched_npus.end());
  for (const Slot slot : domain.touched_npus) {
    write_npu(npus_[slot]);
  }
  domain.open = false;
  domain.touched_links.clear();
  domain.touched_npus.clear();
}

/// The queue behind a link is full when a VC has no credit left at the end of a cycle.
void Recorder::watch_queue(const std::vector<Slot>& touched, std::uint64_t time) {
  if (std::find(touched.begin(), touched.end(), queue_slot_) == touched.end()) return;
  const std::vector<int>& credits = links_[queue_slot_].credits;
  if (std::find(credits.begin(), credits.end(), 0) != credits.end()) fire(time);
}

void Recorder::put_number(WaveVar var, std::uint32_t number) {
  if (var == kNotRecorded) return;
  if (number == NodeActivity::kNone) {
    writer_->set_unknown(var);
  } else {
    writer_->set(var, std::uint64_t{number});
  }
}

void Recorder::write_npu(Npu& npu) {
  const NodeActivity& activity = npu.activity;
  put(npu.running, std::string_view(activity.text));
  put(npu.collective, std::string_view(activity.collective));
  put(npu.group, std::string_view(activity.group));
  put_number(npu.instance, activity.instance);
  put_number(npu.chunk, activity.chunk);
  put_number(npu.step, activity.step);
  put(npu.flow, std::string_view(activity.flow));
  put_number(npu.stored_setting, activity.setting);
  const auto& phases = phase_names();
  const auto phase = std::find(phases.begin(), phases.end(), activity.phase);
  put(npu.phase, static_cast<std::uint64_t>(phase == phases.end() ? 0 : phase - phases.begin()));
  npu.touched = false;
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
  put(link.stall, static_cast<std::uint64_t>(flit ? StallReason::kNone : link.stalled));
  if (link.occupancy != kNotRecorded) {
    const int free = std::accumulate(link.credits.begin(), link.credits.end(), 0);
    writer_->set(link.occupancy, static_cast<std::uint64_t>(std::max(0, link.slots - free)));
  }
  for (std::size_t vc = 0; vc < link.credits.size(); ++vc) {
    put(link.credit_vars[vc], static_cast<std::uint64_t>(link.credits[vc]));
  }
  link.shown = flit;  // the next edge shows what follows: nothing sent, and its stall
  link.sent = 0;
  link.any_head = link.any_tail = link.touched = false;
}

void Recorder::write_packet(Link& link) {
  const PacketText text(link.last_packet);
  writer_->set(link.packet, link.sent > 0 ? text.view() : std::string_view());
}

}  // namespace weft::waves
