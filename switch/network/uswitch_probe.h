// SPDX-License-Identifier: Apache-2.0
// Who is shown the wires of a fabric's switches, step by step.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/probe.h"
#include "base/types.h"
#include "switch/network/switch_model.h"

namespace weft::fred {

/// Keeps which packets the beats in a switch belong to. A sender's name is given anew as soon as all of an operand is
/// in the stages, while its last beats may still be there; so a name changes hands only when its new packet enters the
/// stages.
class PacketNames {
 public:
  void arrive(std::uint32_t packet, PacketIdentity identity) { arrived_[packet] = identity; }
  void enter(std::uint32_t packet) {
    const auto found = arrived_.find(packet);
    if (found == arrived_.end()) return;
    inside_[packet] = found->second;
    arrived_.erase(found);
  }
  /// Null for a name that nobody has given.
  const PacketIdentity* find(std::uint32_t packet) const {
    const auto found = inside_.find(packet);
    return found == inside_.end() ? nullptr : &found->second;
  }

 private:
  std::unordered_map<std::uint32_t, PacketIdentity> arrived_;
  std::unordered_map<std::uint32_t, PacketIdentity> inside_;
};

/// Told by a fabric.
class UswitchProbe {
 public:
  UswitchProbe() = default;
  UswitchProbe(const UswitchProbe&) = delete;
  UswitchProbe& operator=(const UswitchProbe&) = delete;
  virtual ~UswitchProbe() = default;
  /// After each step of a switch with SwitchSpec::watch.wires, in order of time.
  virtual void wires(Cycle now, std::uint32_t chiplet, const SwitchModel& fred, const PacketNames& names) = 0;
};

}  // namespace weft::fred
