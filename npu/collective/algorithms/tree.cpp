// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/algorithms/tree.h"

namespace weft::npu {
namespace {

// Appends the path up and returns how many instructions that were.
std::uint32_t append_up(const TreeNode& node, Slice fragment, std::uint32_t tag, std::vector<Instruction>& out) {
  const std::size_t start = out.size();
  for (std::size_t i = 0; i < node.children.size(); ++i) {
    Instruction in;
    const bool passes_on = i + 1 == node.children.size() && node.parent != kNoRank;
    in.op = passes_on ? Op::kRecvReduceSend : Op::kRecvReduce;
    in.from = node.children[i];
    in.recv_tag = tag;
    in.src = fragment;
    if (passes_on) {
      in.to = {node.parent};
      in.send_tag = tag;
    } else {
      in.dst = fragment;
    }
    if (i > 0) in.deps = {static_cast<std::uint32_t>(out.size()) - 1};
    out.push_back(in);
  }
  if (node.children.empty() && node.parent != kNoRank) {
    Instruction leaf;
    leaf.op = Op::kSend;
    leaf.to = {node.parent};
    leaf.send_tag = tag;
    leaf.src = fragment;
    out.push_back(leaf);
  }
  return static_cast<std::uint32_t>(out.size() - start);
}

void append_down(const TreeNode& node, Slice fragment, std::uint32_t tag, const std::vector<std::uint32_t>& deps,
                 std::vector<Instruction>& out) {
  if (node.parent == kNoRank && node.children.empty()) return;
  Instruction step;
  step.op = node.parent == kNoRank ? Op::kSend : node.children.empty() ? Op::kRecv : Op::kRecvCopySend;
  if (node.parent == kNoRank) {
    step.src = fragment;
  } else {
    step.from = node.parent;
    step.recv_tag = tag;
    step.dst = fragment;
  }
  if (!node.children.empty()) {
    step.to = node.children;
    step.send_tag = tag;
  }
  step.deps = deps;
  out.push_back(step);
}

}  // namespace

std::vector<Instruction> TreeProgram::sequence(std::uint32_t rank) const {
  std::vector<Instruction> out;
  std::vector<std::vector<std::uint32_t>> last_up(trees_);
  for (std::uint32_t t = 0; up() && t < trees_; ++t) {
    if (append_up(node(rank, t), {Buffer::kInput, t, 1}, 2 * t, out) > 0) {
      last_up[t] = {static_cast<std::uint32_t>(out.size()) - 1};
    }
  }
  for (std::uint32_t t = 0; down() && t < trees_; ++t) {
    append_down(node(rank, t), {Buffer::kInput, t, 1}, 2 * t + 1, last_up[t], out);
  }
  return out;
}

std::uint32_t TreeProgram::length(std::uint32_t rank) const {
  return static_cast<std::uint32_t>(sequence(rank).size());
}

Instruction TreeProgram::at(std::uint32_t rank, std::uint32_t index) const { return sequence(rank).at(index); }

}  // namespace weft::npu
