// SPDX-License-Identifier: Apache-2.0
// What collectives send: the programs that engines would carry out, instruction by instruction.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/multicast_plan.h"
#include "config/config.h"
#include "npu/collective/engine/program_cache.h"
#include "runs/estimate/message_counter.h"
#include "sc_models/fabric_sketch.h"

namespace weft::runs {

/// Instructions that are looked at in all, and so seconds that it takes; where there are more, some stand for the
/// others, spread evenly over ranks and steps.
inline constexpr double kCountedSteps = 400e3;

class CollectiveVolumes {
 public:
  /// `config` has a collective or a trace; `groups`: those that have collectives, of more than one member. The
  /// references outlive the object.
  CollectiveVolumes(const Config& config, sc_models::FabricSketch& sketch, std::vector<npu::SharedGroup> groups);

  /// Counts one collective of `group`, all members together; `bytes` is Chakra's comm_size. It looks at a `share` of
  /// kCountedSteps instructions.
  /// InputError as ProgramCache.
  SentVolume of(CollectiveKind kind, const npu::CommGroup& group, std::uint64_t bytes, std::uint32_t root,
                double share = 1);

 private:
  struct Run;
  void add_coloured(Run& run);
  void add_steps(Run& run, double most);
  void add_step(Run& run, std::uint32_t rank, std::uint32_t number, double times);
  void add_flow(Run& run, std::uint32_t rank, const npu::Instruction& in);
  void add_announcements(Run& run);
  MessageSize size(const Run& run, std::uint32_t rank, const npu::Instruction& in) const;
  /// How many outputs of routers are on the multicast tree of a node.
  double tree_of(NodeId sender);

  const Config& config_;
  sc_models::FabricSketch& sketch_;
  npu::ProgramCache programs_;
  MessageCounter counter_;
  std::optional<MulticastPlan> trees_;
};

}  // namespace weft::runs
