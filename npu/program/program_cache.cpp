// SPDX-License-Identifier: Apache-2.0
#include "npu/program/program_cache.h"

#include "npu/program/registry.h"

namespace weft::npu {

ProgramCache::ProgramCache(const CollectiveSpec& spec, const FabricSpec& fabric)
    : algorithm_(spec.algorithm),
      size_x_(fabric.size_x),
      size_y_(fabric.size_y),
      torus_(fabric.kind == FabricKind::kTorus) {}

std::shared_ptr<const Program> ProgramCache::get(CollectiveKind kind, const CommGroup& group, std::uint32_t root) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::shared_ptr<const Program>& program = programs_[{kind, group.number, kind_has_root(kind) ? root : 0}];
  if (program == nullptr) program = make(kind, group, root);
  return program;
}

std::shared_ptr<const Program> ProgramCache::make(CollectiveKind kind, const CommGroup& group,
                                                  std::uint32_t root) const {
  ProgramRequest request;
  request.kind = kind;
  request.ranks = static_cast<std::uint32_t>(group.nodes.size());
  request.root = root;
  request.nodes = group.nodes;
  request.size_x = size_x_;
  request.size_y = size_y_;
  request.torus = torus_;
  return make_program(algorithm_, request);
}

}  // namespace weft::npu
