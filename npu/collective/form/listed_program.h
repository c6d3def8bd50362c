// SPDX-License-Identifier: Apache-2.0
// A program held as it is: what files and imports give.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "npu/collective/form/program.h"

namespace weft::npu {

/// Sequences of all ranks. Whether ranks may go strictly by their indices is for who makes it to say (see checker).
class ListedProgram final : public Program {
 public:
  using Sequences = std::vector<std::vector<Instruction>>;
  using Merges = std::map<int, std::vector<FlowMerge>>;  ///< by flow
  ListedProgram(const ProgramShape& shape, Sequences sequences, bool in_order, Merges merges = {})
      : Program(shape), sequences_(std::move(sequences)), in_order_(in_order), merges_(std::move(merges)) {}

  std::uint32_t length(std::uint32_t rank) const override {
    return static_cast<std::uint32_t>(sequences_.at(rank).size());
  }
  Instruction at(std::uint32_t rank, std::uint32_t index) const override { return sequences_.at(rank).at(index); }
  bool in_order() const override { return in_order_; }
  std::vector<FlowMerge> flow_merges(int flow) const override {
    const auto found = merges_.find(flow);
    return found == merges_.end() ? std::vector<FlowMerge>{} : found->second;
  }

 private:
  Sequences sequences_;
  bool in_order_;
  Merges merges_;
};

}  // namespace weft::npu
