// SPDX-License-Identifier: Apache-2.0
// Who may touch which tensor of the pool, and who was refused.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mem/access/validation_unit.h"
#include "npu/collective/engine/flow_groups.h"
#include "sc_models/memory/pool_layout.h"
#include "sc_models/run_result.h"

namespace weft::sc_models {

/// The validation units of all I/O controllers, one for each slice of the pool, with the grants of the file. A packet
/// is judged by the node that its flits come from. What switches have summed, or copy to several, has the circuit of a
/// process group as its source or target: it is allowed if all members are.
class PoolAccessControl {
 public:
  /// `placement`: node of each rank; `nodes`: their number. The pool has access control.
  PoolAccessControl(const mem::PoolFile& pool, const PoolLayout& layout, std::vector<NodeId> placement,
                    std::uint32_t nodes);
  /// Throws InputError for a grant to the tensors of a group that does not exist.
  void use_groups(std::vector<npu::SharedGroup> groups);

  mem::ValidationUnit& unit(std::uint32_t controller) { return *units_[controller]; }
  /// Whose packet it is: that of `source`, or, if `grouped`, of the circuit of group `who`.
  mem::Initiator initiator(NodeId source, bool grouped, std::uint32_t who) const;
  /// Makes the grants of a tensor, once.
  void admit(const PoolOpening& tensor);

  std::uint64_t refused() const;
  /// Of all units by time, as far as they were logged. `names`: of the controllers.
  std::vector<RefusedRecord> log(const std::vector<std::string>& names) const;

 private:
  struct Tensor {
    std::string name;
    PoolOwner owner;
  };
  /// Who may do what with a tensor; `everybody` beside single ones.
  struct Admission {
    mem::Initiator owner = 0;
    std::map<mem::Initiator, mem::Rights> rights;
  };

  Admission admission_of(const PoolOpening& tensor) const;
  const mem::PoolGrant* grant_of(const PoolOpening& tensor) const;
  std::string name_of(mem::Initiator initiator) const;
  std::string name_of(PoolOwner owner) const;

  const mem::PoolFile& pool_;
  std::uint64_t slice_bytes_;
  std::vector<NodeId> placement_;
  std::map<NodeId, std::uint32_t> rank_of_;
  std::uint32_t nodes_;
  std::vector<npu::SharedGroup> groups_;
  std::vector<std::unique_ptr<mem::ValidationUnit>> units_;
  std::map<std::uint64_t, Tensor> tensors_;  ///< by offset in each slice
};

}  // namespace weft::sc_models
