// SPDX-License-Identifier: Apache-2.0
// What of a run repeats: the events of each cycle as a number, and the stretches of cycles that are copies of earlier
// ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/probe.h"

namespace weft::log {

/// What happened on the links of one part of a fabric, cycle by cycle.
struct EventTrack {
  std::vector<std::uint64_t> events;  ///< by cycle: the flits and credits of its links as one number; 0 = none
  std::vector<std::uint32_t> flits;   ///< by cycle: flits that its links carried
};

/// Records tracks. Packets have no names in them, so that the same flits and credits on the same links, with as many
/// credits left, are the same events whatever message they belong to. What network interfaces and switches do inside is
/// not seen: where the state of the fabric repeats its events repeat, but not the other way round.
class EventTracks final : public FabricProbe {
 public:
  /// `part_of`: for each link the number of its part, below `parts`.
  EventTracks(std::vector<std::uint32_t> part_of, std::size_t parts);
  void flit_sent(Cycle now, LinkId link, VcId vc, PacketIdentity packet, bool head, bool tail, int credits) override;
  void credit_returned(Cycle now, LinkId link, VcId vc, int credits) override;
  void node_activity(Cycle /*now*/, NodeId /*node*/, const NodeActivity& /*activity*/) override {}
  /// The tracks of all parts, of one length.
  const std::vector<EventTrack>& tracks() const { return tracks_; }

 private:
  void note(Cycle now, LinkId link, std::uint64_t event, std::uint32_t flits);

  std::vector<std::uint32_t> part_of_;
  std::vector<EventTrack> tracks_;
};

/// Cycles [start, start + length) are a copy of those `period` before them.
struct Stretch {
  std::size_t start = 0;
  std::size_t period = 0;
  std::size_t length = 0;
  /// Whether it comes round at least twice; else the copy lies apart from what it is a copy of.
  bool periodic() const { return length >= period; }
};

/// Finds the stretches of a track, from front to back: where the next `window` cycles have been there before, it takes
/// of the 64 latest such cycles those which stay alike for longest. Stretches begin with an event and do not overlap.
std::vector<Stretch> find_stretches(const EventTrack& track, std::size_t window);

/// The sums over some tracks.
struct RepeatedShare {
  std::uint64_t cycles = 0;  ///< cycles with and without events
  std::uint64_t flits = 0;
  std::uint64_t periodic_cycles = 0;  ///< cycles in periodic stretches
  std::uint64_t periodic_flits = 0;
  std::uint64_t apart_cycles = 0;  ///< cycles in the other stretches
  std::uint64_t apart_flits = 0;
  std::size_t stretches = 0;
  Stretch longest;  ///< the longest periodic one

  void add(const EventTrack& track, const std::vector<Stretch>& stretches_of_it);
};

}  // namespace weft::log
