// SPDX-License-Identifier: Apache-2.0
// Sets up the routes of a collective's program: from coloured instructions to the positions of the routers.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/colour_plan.h"
#include "config/config.h"
#include "config/load.h"
#include "npu/collective/form/program.h"
#include "sc_models/route_tree.h"

namespace weft::sc_models {

/// The routes that the messages of `program` take when its ranks sit at `nodes`. At every router the messages of one
/// colour pass in the order of their tags. A message to one rank goes X-then-Y, or along `hints.path`; one to several
/// ranks is copied where their routes part; an in-fabric flow (`Op::kFlow`) is merged where its operands' routes meet.
///
/// InputError, with the place and the reason: two messages of one colour and tag at one router (a colour conflict), a
/// path that leaves the wafer or jumps, a path that comes to a router twice, a flow without receiver.
ColourPlan make_colour_plan(const npu::Program& program, const std::vector<NodeId>& nodes, const FabricSpec& fabric);

/// A message, or flow, of a program on a set-up route.
struct ColouredMessage {
  std::uint32_t number = 0;  ///< in the order in which routes are set up
  std::uint32_t rank = 0;    ///< its sender; of a flow, the first of those who put something in
  const npu::Instruction& instruction;
};
using ColouredVisitor = std::function<void(const ColouredMessage&, const std::vector<RouteTree::Use>&)>;

/// Gives `visit` every coloured message of `program`, in the order of their tags, with the routers that it passes.
/// Throws as make_colour_plan, but for colour conflicts.
void visit_coloured(const npu::Program& program, const std::vector<NodeId>& nodes, const FabricSpec& fabric,
                    const ColouredVisitor& visit);

/// The program of a workload that is a single collective, and where its ranks are.
struct WorkloadProgram {
  std::shared_ptr<const npu::Program> program;
  std::vector<NodeId> nodes;
};
WorkloadProgram workload_program(const Config& config);

/// The routes of the workload's collective; empty for other workloads, and where the routers have no colours.
/// InputError as make_colour_plan, and for a collective that runs in several chunks.
ColourPlan colour_plan_of(const Config& config);

/// Why the workload's routes cannot be set up on its fabric; empty if they can. The workload itself must be sound.
std::vector<ConfigProblem> check_colours(const Config& config);

}  // namespace weft::sc_models
