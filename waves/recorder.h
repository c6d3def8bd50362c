// SPDX-License-Identifier: Apache-2.0
// Records what happens on links and at NPUs into a wave file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/probe.h"
#include "base/types.h"
#include "config/config.h"
#include "waves/gtkw_layout.h"
#include "waves/recorder_setup.h"
#include "waves/time_axis.h"
#include "waves/trigger.h"
#include "waves/wave_reader.h"
#include "waves/wave_writer.h"
#include "waves/wire_bank.h"

namespace weft::waves {

/// A probe that writes the chosen signals of a time window. Per link `valid`, `packet` ("source.sequence"), `vc`,
/// `head`, `tail`, `stall` (why it carries nothing), `occupancy` (slots taken behind it) and the credits of each VC,
/// and `flits` where a cycle can carry several; per NPU and chiplet the parts of NodeActivity; per clock its `cycle`. A
/// flit sent in cycle t shows from edge t to edge t + 1; of several flits in one cycle `packet` and `vc` show the last,
/// `head` and `tail` are those of any. `vc` keeps its last value while nothing is sent.
///
/// Calls come in order of time, so in order of cycles within a clock domain. Calls of one cycle may come in any order,
/// except that those of one link or NPU keep the order in which it made them; the bytes of the file do not depend on
/// the rest. Not thread-safe: partitions queue their calls. A call for something out of scope costs one look-up.
///
/// With `spec.trigger` the recording begins with the cycle in which that happens, or with the window, whatever is
/// later. With `spec.last_cycles` the file is written at the end and holds so many cycles before it.
class Recorder final : public FabricProbe {
 public:
  /// `spec.file` is ignored: `file` is where it lies. Beside it comes `<file stem>.gtkw`, a layout for GTKWave. Throws
  /// InputError for a bad or empty scope, a bad window, an unknown ending, a file that cannot be created.
  Recorder(const WavesSpec& spec, const std::filesystem::path& file, RecorderSetup setup);
  /// Leaves a readable file also when the run ended by an exception.
  ~Recorder() override;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void flit_sent(Cycle now, LinkId link, VcId vc, PacketIdentity packet, bool head, bool tail, int credits) override;
  void credit_returned(Cycle now, LinkId link, VcId vc, int credits) override;
  void node_activity(Cycle now, NodeId node, const NodeActivity& activity) override;
  bool wants_stalls(LinkId link) const override;
  void link_stalled(Cycle now, LinkId link, StallReason reason) override;

  /// The signals of a switch's wires, or of its shadow's, that are to be filled in for cycle `now`; null if none is
  /// recorded. What is not told of a cycle is empty.
  WireBank* touch_wires(Cycle now, std::size_t fabric_switch, bool shadow);

  /// Whether anything of this link is recorded; the fabric may leave the probe of other links null.
  bool records(LinkId link) const { return link_slots_[link] != kNoSlot; }
  bool records(NodeId node) const { return npu_slots_[node] != kNoSlot; }
  /// True after the end of the window: no call matters any more.
  bool done() const { return done_; }
  /// Writes everything known so far to the disk. Throws WaveFileFull when that fails, unless `spec.on_full` says that
  /// the run goes on; the recording is then done.
  void flush();
  /// Ends the file at cycle `end` of domain `clock`, the first cycle that was not simulated. Throws as `flush` does.
  void finish(Cycle end, std::size_t clock = 0);
  /// Marks an instant in the layout, for example that of an error; before `finish`.
  void mark(Cycle cycle) { marker_ = axis_.edge_shown(0, cycle); }
  /// The same, and a layout `<file stem>.lockstep.gtkw` that has RTL and model of this switch side by side, as far as
  /// the file holds them.
  void mark_difference(Cycle cycle, const std::string& fabric_switch) {
    mark(cycle);
    differs_ = fabric_switch;
  }
  /// After `finish`: what the user should know, for example that the run ended before the window, that what the
  /// recording waited for never happened, or that the disk was full; mostly empty.
  const std::string& warning() const { return warning_; }

 private:
  using Slot = std::uint32_t;
  static constexpr Slot kNoSlot = ~Slot{0};
  static constexpr WaveVar kNotRecorded{~std::uint32_t{0}};

  /// A link in scope: its variables and what it did in the buffered cycle.
  struct Link {
    std::uint32_t clock = 0;
    WaveVar valid = kNotRecorded;
    WaveVar flits = kNotRecorded;
    WaveVar packet = kNotRecorded;
    WaveVar vc = kNotRecorded;
    WaveVar head = kNotRecorded;
    WaveVar tail = kNotRecorded;
    WaveVar stall = kNotRecorded;
    WaveVar occupancy = kNotRecorded;
    std::vector<WaveVar> credit_vars;  ///< per VC
    int vcs = 1;                       ///< number of VCs; credits of colours stand behind theirs
    std::vector<int> credits;          ///< per VC
    int slots = 0;                     ///< behind it, of all VCs
    StallReason stalled = StallReason::kNone;
    int sent = 0;
    VcId last_vc{};
    PacketIdentity last_packet;
    bool any_head = false;
    bool any_tail = false;
    bool touched = false;
    bool shown = false;  ///< the file shows a flit, which must fall at the next edge
  };
  struct Npu {
    std::uint32_t clock = 0;
    WaveVar running = kNotRecorded;
    WaveVar collective = kNotRecorded;
    WaveVar group = kNotRecorded;
    WaveVar instance = kNotRecorded;
    WaveVar chunk = kNotRecorded;
    WaveVar step = kNotRecorded;
    WaveVar flow = kNotRecorded;
    WaveVar phase = kNotRecorded;
    WaveVar stored_setting = kNotRecorded;
    NodeActivity activity;
    bool touched = false;
  };
  /// A clock domain and its buffered cycle.
  struct Domain {
    WaveVar cycle_var = kNotRecorded;
    bool open = false;  ///< a cycle is buffered
    Cycle open_cycle = 0;
    std::uint64_t open_time = 0;
    Cycle written_cycle = 0;
    bool ticking = false;  ///< the edge after written_cycle changes something
    int idle_edges = 0;
    std::vector<Slot> touched_links;
    std::vector<Slot> touched_npus;
    std::vector<Slot> shown_links;
    std::vector<Slot> touched_banks;
    std::vector<Slot> shown_banks;
  };

  void declare(RecorderSetup& setup, ScopeChoice& choice);
  void declare_link(LinkId id, const LinkWave& wave, ScopeChoice& choice);
  void declare_link_signal(Link& link, const LinkWave& wave, const std::string& signal);
  void declare_npu(NodeId id, const NpuWave& wave, ScopeChoice& choice);
  WaveVar declare_npu_signal(const std::string& signal);
  // recorder_wires.cpp
  void declare_switch(std::size_t number, const SwitchWave& wave, ScopeChoice& choice);
  void declare_branch(const SwitchWave& wave, bool shadow, ScopeChoice& choice);
  void declare_wire(const SwitchWave& wave, const std::string& name, std::uint32_t number, ScopeChoice& choice,
                    WireBank* bank);
  std::vector<std::string> chosen_inside(const std::string& name, const std::vector<std::string>& signals,
                                         ScopeChoice& choice);
  void write_banks(Domain& domain, bool opened);
  void declare_trigger(const RecorderSetup& setup);
  Slot make_link(const LinkWave& wave);
  void enter(const std::string& scope);
  WaveVar add(const std::string& name, WaveKind kind, int bits);
  void note(const std::string& name, WaveKind kind, int bits, const std::vector<std::string>& names);
  WaveVar add_enum(const std::string& name, const std::vector<std::string>& names);

  /// Makes `now` the buffered cycle of the domain; writes all that is earlier.
  void arrive(std::size_t clock, Cycle now);
  Link& touch_link(Slot slot, Cycle now);
  static void set_credits(Link& link, VcId vc, int credits);
  /// Writes what happens before `time`.
  void write_before(std::uint64_t time);
  void write_edges_before(std::uint64_t time);
  /// Next edge of a domain at which something changes; kNever if there is none.
  Cycle due(const Domain& domain) const;
  void write_edge(std::size_t clock, Cycle cycle, std::uint64_t time);
  void write_cycle_number(Domain& domain, Cycle cycle, bool active);
  /// What the recording waits for has happened.
  void fire(std::uint64_t time) { triggered_ = std::min(triggered_, time); }
  void watch_queue(const std::vector<Slot>& touched, std::uint64_t time);
  void write_npu(Npu& npu);
  void put_number(WaveVar var, std::uint32_t number);
  /// Ends the recording because the file cannot be written; throws if the run shall end, too.
  void give_up(const WaveFileFull& full);
  /// Writes what the link did in the buffered cycle, nothing included, and forgets it.
  void write_link(Link& link);
  void write_packet(Link& link);
  /// Prepares the file for a change at `time`; false when the window is over.
  bool enter_window(std::uint64_t time);
  void warn_of_window(std::uint64_t last);
  void warn_of_trigger(std::uint64_t last);
  void end_file(std::uint64_t time);
  GtkwView close_view(std::uint64_t start) const;
  void write_layout_file(const std::filesystem::path& file);
  /// Lets the layout show what was recorded.
  void show_end(std::uint64_t last) const;
  void show_difference(GtkwView view) const;
  template <typename Value>
  void put(WaveVar var, const Value& value) {
    if (var != kNotRecorded) writer_->set(var, value);
  }

  TimeAxis axis_;
  std::unique_ptr<WaveWriter> writer_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = 0;
  std::uint64_t begun_at_ = 0;        ///< first time of the file
  std::uint64_t written_before_ = 0;  ///< everything earlier is in the file
  std::uint64_t written_time_ = 0;    ///< time of the last edge written
  Trigger trigger_;
  std::uint64_t triggered_ = 0;            ///< first time that may be recorded; the greatest = not yet known
  Slot queue_slot_ = kNoSlot;              ///< link whose queue is waited for
  std::vector<std::uint32_t> npu_clocks_;  ///< by node, with a trigger: its domain
  WavesFull on_full_;
  Cycle last_cycles_;     ///< that are kept; 0 = all
  std::string question_;  ///< that the layout answers
  std::optional<std::uint64_t> marker_;
  std::string differs_;  ///< switch in lockstep
  bool done_ = false;
  std::string warning_;
  IndexedVector<LinkId, Slot> link_slots_;  ///< kNoSlot: out of scope
  IndexedVector<NodeId, Slot> npu_slots_;
  std::vector<Link> links_;
  std::vector<Npu> npus_;
  std::vector<Slot> bank_slots_;  ///< by switch: its own, then its shadow's
  std::vector<WireBank> banks_;
  std::vector<Domain> domains_;
  std::vector<std::string> open_scopes_;
  WaveHeader header_;  ///< while signals are declared: for the layout
  std::filesystem::path file_;
  std::filesystem::path layout_file_;
  std::vector<Slot> edge_links_;  ///< those that change at the edge being written
};

}  // namespace weft::waves
