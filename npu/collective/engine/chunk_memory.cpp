// SPDX-License-Identifier: Apache-2.0
// The memory of a chunk in values mode: slices of its rank's buffers, and sums.
#include <algorithm>
#include <cstring>

#include "npu/collective/engine/chunk_run.h"
#include "npu/collective/form/values.h"

namespace weft::npu {

template <typename Visit>
void ChunkRun::each_part(const Slice& slice, std::uint64_t from, std::uint64_t count, Visit visit) {
  const Slice real = job_.program->shape().canonical(job_.rank(), slice);
  Payload& memory = job_.memory[static_cast<std::size_t>(real.buffer)];
  std::uint64_t position = 0;  // in the message
  for (std::uint32_t k = 0; k < real.count && position < from + count; ++k) {
    const std::uint64_t size = job_.geometry.elements(job_.rank(), real.buffer, real.fragment(k), chunk_) * job_.unit;
    const std::uint64_t begin = std::max(position, from);
    const std::uint64_t end = std::min(position + size, from + count);
    if (begin < end) {
      const std::uint64_t offset = job_.geometry.offset(job_.rank(), real.buffer, real.fragment(k), chunk_) * job_.unit;
      visit(memory.data() + offset + (begin - position), begin - from, end - begin);
    }
    position += size;
  }
}

void ChunkRun::copy_out(const Slice& slice, std::uint64_t from, std::uint64_t count, std::uint8_t* to) {
  each_part(slice, from, count, [to](const std::uint8_t* memory, std::uint64_t at, std::uint64_t bytes) {
    std::memcpy(to + at, memory, bytes);
  });
}

void ChunkRun::copy_in(const Slice& slice, std::uint64_t from, std::uint64_t count, const std::uint8_t* data) {
  each_part(slice, from, count, [data](std::uint8_t* memory, std::uint64_t at, std::uint64_t bytes) {
    std::memcpy(memory, data + at, bytes);
  });
}

void ChunkRun::reduce_into(Payload& accumulator, const std::uint8_t* operand) const {
  reduce_elements(job_.request.op, job_.request.dtype, accumulator.data(), operand, accumulator.size() / job_.unit);
}

void ChunkRun::commit_values(std::uint32_t index) {
  const Instruction& in = instruction(index);
  const std::uint64_t bytes = slice_bytes(in.dst);
  Payload operand(bytes);
  const bool comes = op_receives(in.op) || in.op == Op::kFlow;
  if (comes) operand = inbox(work(index)).bytes();
  if (!comes) copy_out(in.src, 0, bytes, operand.data());
  if (op_reduces(in.op)) {
    Payload sum(bytes);
    copy_out(in.op == Op::kReduce ? in.dst : in.src, 0, bytes, sum.data());
    reduce_into(sum, operand.data());
    operand.swap(sum);
  }
  copy_in(in.dst, 0, bytes, operand.data());
}

void ChunkRun::pass_values(std::uint32_t index, std::uint64_t bytes) {
  Work& s = work(index);
  const Instruction& in = instruction(index);
  if (s.payload == nullptr) s.payload = std::make_shared<Payload>(s.bytes);
  const std::uint8_t* received = inbox(s).bytes().data() + s.passed;
  Payload part(received, received + bytes);
  if (op_reduces(in.op)) {
    Payload sum(bytes);
    copy_out(in.src, s.passed, bytes, sum.data());
    reduce_into(sum, part.data());
    part.swap(sum);
  }
  std::copy(part.begin(), part.end(), s.payload->begin() + static_cast<std::ptrdiff_t>(s.passed));
  if (in.dst.count > 0) copy_in(in.dst, s.passed, bytes, part.data());
}

}  // namespace weft::npu
