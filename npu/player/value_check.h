// SPDX-License-Identifier: Apache-2.0
// `data: values`: gives every rank its input and compares every rank's result with the exact one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "config/config.h"
#include "npu/collective/form/program.h"
#include "npu/interface/network_interface.h"

namespace weft::npu {

/// Names one collective of a run on all its ranks.
struct CollectiveKey {
  std::uint32_t group = 0;
  std::uint32_t signature = 0;
  std::uint32_t instance = 0;

  friend bool operator<(const CollectiveKey& a, const CollectiveKey& b);
};

/// What the data of a collective depend on.
struct ValueJob {
  CollectiveKey key;
  std::string name;
  std::shared_ptr<const Program> program;
  std::uint64_t bytes = 0;  ///< as Chakra's comm_size
};

/// Bytes of the inputs and results of all ranks, which `data: values` holds at least while a collective of `bytes`
/// (comm_size) goes on.
double bytes_of_values(const ProgramShape& shape, std::uint64_t bytes);
/// Throws InputError where that is more than this machine has.
void require_memory_for_values(const ProgramShape& shape, std::uint64_t bytes);

/// Judge of one run, outside of it: nothing that it knows reaches any NPU. May be used by several threads.
class ValueCheck {
 public:
  /// `fp32_flows`: switches add 16-bit elements in FP32.
  ValueCheck(ReduceOp op, DataType dtype, std::uint64_t seed, bool fp32_flows = false)
      : op_(op), dtype_(dtype), seed_(seed), fp32_flows_(fp32_flows) {}

  /// Input of one rank; null where the kind gives it none. The same for the same arguments.
  std::shared_ptr<const Payload> input(const ValueJob& job, std::uint32_t member) const;
  /// A rank has ended. When the last one has, all results are compared: ViolationError names rank, element, values.
  void result(const ValueJob& job, std::uint32_t member, std::shared_ptr<const Payload> result);
  /// Collectives whose results were right on all ranks.
  std::uint64_t verified() const;

 private:
  struct Results {
    std::vector<std::shared_ptr<const Payload>> by_member;
    std::uint32_t missing = 0;
  };

  void verify(const ValueJob& job, const Results& results) const;

  ReduceOp op_;
  DataType dtype_;
  std::uint64_t seed_;
  bool fp32_flows_;
  mutable std::mutex mutex_;
  std::map<CollectiveKey, Results> open_;
  std::uint64_t verified_ = 0;
};

}  // namespace weft::npu
