// SPDX-License-Identifier: Apache-2.0
// What a disaggregated memory pool is made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/policy.h"
#include "base/rational.h"
#include "base/types.h"

namespace weft::mem {

/// A kind of link, in both directions: requests go down, responses come up, each on wires of its own.
struct PoolLinkSpec {
  Rational flits_per_cycle{1, 1};
  Cycle latency = 1;                 ///< in one direction, the switch behind it included; at least 1
  std::uint32_t buffer_flits = 256;  ///< behind the link; several packets, and rate x round trip
};

/// A memory module and how it serves its queue.
struct PoolModuleSpec {
  Cycle latency = 50;                 ///< from the start of an access to its first byte
  Rational flits_per_cycle{1, 1};     ///< bandwidth, in flits of the pool's links
  std::string service = "pipelined";  ///< see service_policies()
  Cycle recovery = 0;                 ///< cycles with `serial` between the end of an access and the next one's start
  std::uint32_t queue = 64;           ///< accesses inside, those with data still to send included
};

/// I/O controllers, each with a link to each of `switches` pool switches; these have a link to each of `groups`, whose
/// switch has a link to each of its `modules`.
struct PoolSpec {
  std::uint32_t controllers = 1;
  std::uint32_t switches = 1;
  std::uint32_t groups = 1;
  std::uint32_t modules = 1;  ///< per group
  std::uint64_t flit_bytes = 64;
  std::uint64_t packet_bytes = 512;           ///< accesses are cut into packets of at most this
  std::uint64_t interleave_bytes = 512;       ///< bytes in a row in one module, with mapping `interleaved`
  std::string mapping = "interleaved";        ///< see pool_mappings()
  Rational controller_flits_per_cycle{1, 1};  ///< rate of an I/O controller in each direction, all its links together
  std::uint32_t outstanding = 1024;           ///< packets of one controller that are under way at a time
  PoolLinkSpec controller_link;
  PoolLinkSpec group_link;
  PoolLinkSpec module_link;
  PoolModuleSpec module;

  std::uint32_t all_modules() const { return groups * modules; }
  /// Cycles of the links from a controller to a module and back.
  Cycle path_cycles() const { return 2 * (controller_link.latency + group_link.latency + module_link.latency); }
};

/// InputError names everything of the spec that cannot be.
void check_pool(const PoolSpec& spec);

/// Where a piece of memory lies.
struct PoolLocation {
  std::uint32_t lane = 0;  ///< the pool switch that its packets go through
  std::uint32_t group = 0;
  std::uint32_t module = 0;  ///< in the group
};

/// Which module an address lies in: one file per policy, chosen by name.
class PoolMapping : public Policy {
 public:
  explicit PoolMapping(const Policy& policy) : Policy(policy) {}
  virtual ~PoolMapping() = default;
  virtual PoolLocation location(const PoolSpec& spec, std::uint32_t controller, std::uint64_t address) const = 0;
  /// Bytes from `address` on that lie in the same module.
  virtual std::uint64_t run(const PoolSpec& spec, std::uint64_t address) const = 0;
};

const PolicyList<PoolMapping>& pool_mappings();
/// InputError names the known mappings.
const PoolMapping& pool_mapping(const std::string& name);

}  // namespace weft::mem
