// SPDX-License-Identifier: Apache-2.0
// What the stages of the checker share: the whole program in memory, who receives from whom, and the list of errors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "npu/collective/checker/checker.h"
#include "npu/collective/form/program.h"

namespace weft::npu::check {

/// An instruction of a program: rank and index.
struct InstructionId {
  std::uint32_t rank = kNoRank;
  std::uint32_t index = 0;
  bool exists() const { return rank != kNoRank; }
};

/// The instructions of one in-fabric flow.
struct Flow {
  std::vector<InstructionId> operands;
  std::vector<InstructionId> results;
};

/// A program held for all ranks.
struct Image {
  explicit Image(const Program& program);

  const Program& program;
  std::vector<std::vector<Instruction>> sequences;    ///< [rank][index]
  std::vector<std::uint64_t> first_id;                ///< [rank] number of its first instruction among all
  std::vector<InstructionId> instructions;            ///< [number] the inverse of that
  std::vector<InstructionId> sender;                  ///< [number of a receive] its send, after match()
  std::vector<std::vector<InstructionId>> receivers;  ///< [number of a send] its receives, after match()
  std::map<int, Flow> flows;                          ///< by number, after match()

  const Instruction& at(InstructionId which) const { return sequences[which.rank][which.index]; }
  std::uint64_t id(InstructionId which) const { return first_id[which.rank] + which.index; }
  std::uint64_t id(std::uint32_t rank, std::uint32_t index) const { return first_id[rank] + index; }
  /// "rank 3 instruction 5 (recv input[2] from rank 1 (tag 4))"
  std::string text(InstructionId which) const;
};

/// Errors up to a number.
class Errors {
 public:
  explicit Errors(std::size_t limit) : limit_(limit) {}
  void add(const std::string& sentence) {
    if (list_.size() < limit_) list_.push_back(sentence);
  }
  bool none() const { return list_.empty(); }
  std::vector<std::string> take() { return std::move(list_); }

 private:
  std::size_t limit_;
  std::vector<std::string> list_;
};

/// How a program is executed, as far as it decides about deadlock.
enum class Execution {
  kEager,       ///< a send never waits
  kRendezvous,  ///< a send waits until its receiver has everything; fused forms pass on only what the receiver takes
  kInOrder,     ///< eager, but each rank executes one instruction after the other
};

/// What happens to an instruction, in this order.
enum class Phase : std::uint8_t { kStart, kData, kFinish };
struct Event {
  std::uint64_t id;
  Phase phase;
};

void check_form(const Image& image, Errors& errors);
/// Fills sender and receivers.
void match(Image& image, Errors& errors);
void check_determinism(const Image& image, Errors& errors);
/// Operands of flows leave a rank in the order of its indices; those of all ranks must agree to one order, or switches
/// that take them first come, first served wait for each other.
void check_flow_order(const Image& image, Errors& errors);
/// An order in which all events can happen; empty, with a sentence in `stuck`, if there is none.
std::vector<Event> find_order(const Image& image, Execution execution, std::string& stuck);
/// What comes out of a flow: `operand(which)` gives what goes in, `add(a, b)` the sum of two, `leave(sum)` what a
/// switch makes of it at its output port.
template <typename Data, typename Operand, typename Add, typename Leave>
Data flow_result(const Image& image, int number, Operand operand, Add add, Leave leave) {
  const Flow& flow = image.flows.at(number);
  std::map<std::uint32_t, Data> values;
  for (const InstructionId which : flow.operands) values.emplace(which.rank, operand(which));
  std::uint32_t last = flow.operands.front().rank;
  const std::vector<FlowMerge> merges = image.program.flow_merges(number);
  const std::vector<std::size_t> borders = image.program.flow_borders(number);
  auto border = borders.begin();
  for (std::size_t i = 0; i < merges.size(); ++i) {
    Data& into = values.at(merges[i].into);
    into = add(std::move(into), values.at(merges[i].from));
    last = merges[i].into;
    if (border == borders.end() || *border != i) continue;
    leave(into);
    ++border;
  }
  return std::move(values.at(last));
}
void check_data(const Image& image, const std::vector<Event>& order, Errors& errors);

}  // namespace weft::npu::check
