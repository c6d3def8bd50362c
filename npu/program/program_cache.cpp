// SPDX-License-Identifier: Apache-2.0
#include "npu/program/program_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/error.h"
#include "npu/program/checker.h"
#include "npu/program/program_file.h"
#include "npu/program/registry.h"
#include "npu/program/values.h"

namespace weft::npu {

ProgramCache::ProgramCache(const CollectiveSpec& spec, const FabricSpec& fabric)
    : algorithm_(spec.algorithm),
      size_x_(fabric.size_x),
      size_y_(fabric.size_y),
      torus_(fabric.kind == FabricKind::kTorus),
      ramp_cycles_(fabric.local.latency_cycles),
      hop_cycles_(fabric.link.latency_cycles + fabric.router.hop_cycles) {
  if (algorithm_ != "file") return;
  file_ = spec.algorithm_file;
  from_file_ = load_program(file_);
  // Network interfaces keep what is sent until it has left, so sends may be taken as never waiting.
  const CheckReport report = check_program(*from_file_, 5, true);
  if (report.ok()) return;
  throw InputError(fmt::format("{}: the program is not sound:\n  {}", file_, fmt::join(report.errors, "\n  ")));
}

const CollectiveSpec& collective_spec(const Config& config) {
  if (const auto* trace = std::get_if<TraceWorkload>(&config.workload)) return trace->collective;
  return std::get<CollectiveWorkload>(config.workload).collective;
}

ProgramCache::ProgramCache(const Config& config) : ProgramCache(collective_spec(config), config.fabric) {
  if (!std::holds_alternative<CollectiveWorkload>(config.workload)) return;
  const CollectiveSpec& spec = collective_spec(config);
  colours_ = config.fabric.router.colours;
  multicast_ = config.fabric.router.multicast && colours_ == 0;
  elements_ = spec.bytes / element_bytes(spec.dtype);
}

std::shared_ptr<const Program> ProgramCache::get(CollectiveKind kind, const CommGroup& group, std::uint32_t root) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const Program>& program = programs_[{kind, group.number, root}];
  if (program == nullptr) program = make(kind, group, root);
  return program;
}

std::shared_ptr<const Program> ProgramCache::make(CollectiveKind kind, const CommGroup& group,
                                                  std::uint32_t root) const {
  if (from_file_ != nullptr) {
    const ProgramShape& shape = from_file_->shape();
    const bool fits = shape.kind == kind && shape.ranks == group.nodes.size();
    if (fits && (!kind_has_root(kind) || shape.root == root)) return from_file_;
    throw InputError(fmt::format(
        "{}: the program does {} of {} ranks (root {}); group '{}' wants {} of {} ranks (root {})", file_,
        kind_name(shape.kind), shape.ranks, shape.root, group.name, kind_name(kind), group.nodes.size(), root));
  }
  if (colours_ == 0 && algorithm_needs_colours(algorithm_)) {
    throw InputError(fmt::format(
        "algorithm {} adds in the routers, on routes that are set up before the run: it needs fabric.router.colours of "
        "2 or more, and a single collective as workload",
        algorithm_));
  }
  ProgramRequest request;
  request.kind = kind;
  request.ranks = static_cast<std::uint32_t>(group.nodes.size());
  request.root = root;
  request.nodes = group.nodes;
  request.size_x = size_x_;
  request.size_y = size_y_;
  request.torus = torus_;
  request.colours = colours_;
  request.elements = elements_;
  request.ramp_cycles = ramp_cycles_;
  request.hop_cycles = hop_cycles_;
  return make_program(algorithm_, request);
}

}  // namespace weft::npu
