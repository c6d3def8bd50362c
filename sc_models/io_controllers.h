// SPDX-License-Identifier: Apache-2.0
// All I/O controllers of a system, and the network interfaces that they have or share with NPUs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "sc_models/io_controller.h"
#include "sc_models/shared_interface.h"
#include "sc_models/system.h"

namespace weft::sc_models {

/// Owns the controllers; they do nothing until they have services.
class IoControllers {
 public:
  explicit IoControllers(System& system);

  std::uint32_t size() const { return static_cast<std::uint32_t>(controllers_.size()); }
  IoController& operator[](std::uint32_t number) const { return *controllers_[number]; }
  /// The interface of a node as its NPU sees it.
  npu::NetworkInterface& npu_interface(NodeId node);

 private:
  System& system_;
  std::map<NodeId, SharedInterface> shared_;  ///< on a mesh
  std::vector<std::unique_ptr<IoController>> controllers_;
};

}  // namespace weft::sc_models
