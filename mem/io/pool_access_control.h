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
#include "mem/io/refused_record.h"
#include "mem/io/tensor_allocator.h"
#include "mem/pool/pool_file.h"

namespace weft::mem {

/// Ranks that load and store together.
struct PoolGroup {
  std::string name;
  std::vector<NodeId> nodes;  ///< members in their order
};

/// The validation units of all I/O controllers, one for each slice of the pool, with the grants of the file. A packet
/// is judged by the node that its flits come from. What switches have summed, or copy to several, has the process
/// group itself as its source or target: it is allowed if all members are.
class PoolAccessControl {
 public:
  /// `placement`: node of each rank; `nodes`: those of the wafer, I/O controllers too; `summed`: stands for the
  /// source of what switches have summed. The pool has access control.
  PoolAccessControl(const PoolFile& pool, const PoolLayout& layout, std::vector<NodeId> placement, std::uint32_t nodes,
                    NodeId summed);
  /// By number. Throws InputError for a grant to the tensors of a group that does not exist.
  void use_groups(std::vector<PoolGroup> groups);

  ValidationUnit& unit(std::uint32_t controller) { return *units_[controller]; }
  /// Whose packet it is: that of `source`, or, if `grouped`, that of group `who`.
  Initiator initiator(NodeId source, bool grouped, std::uint32_t who) const;
  /// Makes the grants of a tensor, once.
  void admit(const PoolOpening& tensor);

  std::uint64_t refused() const;
  /// The refused packets of all units that were logged, by time. `names` are the names of the controllers.
  std::vector<RefusedRecord> log(const std::vector<std::string>& names) const;

 private:
  struct Tensor {
    std::string name;
    PoolOwner owner;
  };
  /// Who may do what with a tensor; `everybody` beside single ones.
  struct Admission {
    Initiator owner = 0;
    std::map<Initiator, Rights> rights;
  };

  Admission admission_of(const PoolOpening& tensor) const;
  const PoolGrant* grant_of(const PoolOpening& tensor) const;
  std::string name_of(Initiator initiator) const;
  std::string name_of(PoolOwner owner) const;

  const PoolFile& pool_;
  std::uint64_t slice_bytes_;
  std::vector<NodeId> placement_;
  std::map<NodeId, std::uint32_t> rank_of_;
  std::uint32_t nodes_;
  NodeId summed_;
  std::vector<PoolGroup> groups_;
  std::vector<std::unique_ptr<ValidationUnit>> units_;
  std::map<std::uint64_t, Tensor> tensors_;  ///< by offset in each slice
};

}  // namespace weft::mem
