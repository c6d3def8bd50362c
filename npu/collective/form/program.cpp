// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/form/program.h"

#include <fmt/format.h>

#include <array>

namespace weft::npu {

const char* op_name(Op op) {
  constexpr std::array<const char*, 8> kNames{"send",   "recv", "recv_reduce",      "copy",
                                              "reduce", "flow", "recv_reduce_send", "recv_copy_send"};
  return kNames.at(static_cast<std::size_t>(op));
}

std::string to_text(const Instruction& instruction) {
  std::string text = op_name(instruction.op);
  if (instruction.src.count != 0 && op_reads_src(instruction.op)) text += " " + to_text(instruction.src);
  if (instruction.dst.count != 0 && instruction.op != Op::kSend) text += " into " + to_text(instruction.dst);
  if (op_receives(instruction.op))
    text += fmt::format(" from rank {} (tag {})", instruction.from, instruction.recv_tag);
  if (op_sends(instruction.op)) {
    text += " to rank";
    for (const std::uint32_t rank : instruction.to) text += fmt::format(" {}", rank);
    text += fmt::format(" (tag {})", instruction.send_tag);
  }
  if (instruction.op == Op::kFlow) text += fmt::format(" flow {}", instruction.hints.flow);
  return text;
}

}  // namespace weft::npu
