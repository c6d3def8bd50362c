// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/checker/reference.h"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "base/error.h"
#include "npu/collective/checker/checker_image.h"
#include "npu/collective/form/values.h"

namespace weft::npu {
namespace {

constexpr std::size_t kWide = 4;  // bytes of an FP32 number

class Interpreter {
 public:
  Interpreter(const check::Image& image, ReduceOp op, DataType dtype, std::uint64_t elements,
              const std::vector<Payload>& inputs, bool fp32_flows)
      : image_(image),
        shape_(image.program.shape()),
        op_(op),
        dtype_(dtype),
        fp32_flows_(fp32_flows),
        unit_(element_bytes(dtype)),
        geometry_(shape_, elements, 1),
        messages_(image.instructions.size()) {
    memory_.resize(shape_.ranks);
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      for (int b = 0; b < kBuffers; ++b) {
        const auto buffer = static_cast<Buffer>(b);
        memory_[rank][static_cast<std::size_t>(b)].resize(geometry_.total(rank, buffer) * unit_);
      }
      if (!shape_.has_input(rank)) continue;
      const Payload& input = inputs.at(rank);
      WEFT_CHECK(input.size() == geometry_.total(rank, Buffer::kInput) * unit_,
                 fmt::format("the input of rank {} has {} bytes, not {}", rank, input.size(),
                             geometry_.total(rank, Buffer::kInput) * unit_));
      write(rank, {Buffer::kInput, 0, shape_.fragments(Buffer::kInput), 1}, input);
    }
  }

  void execute(const check::Event& event) {
    const check::InstructionId which = image_.instructions[event.id];
    const Instruction& in = image_.at(which);
    if (event.phase == check::Phase::kStart && !op_receives(in.op)) {
      Payload data = read(which.rank, in.src);
      if (in.op == Op::kReduce) data = sum(read(which.rank, in.dst), data);
      if (in.op == Op::kSend || in.op == Op::kFlow) {
        messages_[event.id] = std::move(data);
      } else {
        write(which.rank, in.dst, data);
      }
    }
    if (event.phase == check::Phase::kData && op_receives(in.op)) {
      Payload data = messages_[image_.id(image_.sender[event.id])];
      if (op_reduces(in.op)) data = sum(read(which.rank, in.src), data);
      write(which.rank, in.dst, data);
      if (op_sends(in.op)) messages_[event.id] = std::move(data);
    }
  }

  void take_flow(const check::Event& event) {
    const check::InstructionId which = image_.instructions[event.id];
    const Instruction& in = image_.at(which);
    if (event.phase != check::Phase::kData || in.op != Op::kFlow || in.dst.count == 0) return;
    write(which.rank, in.dst, fp32_flows_ ? narrow(wide_result(in.hints.flow)) : result(in.hints.flow));
  }

  Payload output(std::uint32_t rank) {
    if (!shape_.has_output(rank)) return {};
    return read(rank, {Buffer::kOutput, 0, shape_.fragments(Buffer::kOutput), 1});
  }

 private:
  template <typename Visit>
  void each_fragment(std::uint32_t rank, const Slice& slice, Visit visit) {
    const Slice real = shape_.canonical(rank, slice);
    std::size_t position = 0;
    for (std::uint32_t k = 0; k < real.count; ++k) {
      Payload& memory = memory_[rank][static_cast<std::size_t>(real.buffer)];
      const std::size_t bytes = geometry_.elements(rank, real.buffer, real.fragment(k), 0) * unit_;
      visit(memory.data() + geometry_.offset(rank, real.buffer, real.fragment(k), 0) * unit_, position, bytes);
      position += bytes;
    }
  }

  Payload read(std::uint32_t rank, const Slice& slice) {
    Payload data;
    each_fragment(rank, slice, [&](const std::uint8_t* memory, std::size_t /*position*/, std::size_t bytes) {
      data.insert(data.end(), memory, memory + bytes);
    });
    return data;
  }

  void write(std::uint32_t rank, const Slice& slice, const Payload& data) {
    each_fragment(rank, slice, [&](std::uint8_t* memory, std::size_t position, std::size_t bytes) {
      if (bytes > 0) std::memcpy(memory, data.data() + position, bytes);
    });
  }

  Payload result(int flow) const {
    return check::flow_result<Payload>(
        image_, flow, [this](check::InstructionId operand) { return messages_[image_.id(operand)]; },
        [this](Payload a, const Payload& b) { return sum(std::move(a), b); }, [](const Payload& /*sum*/) {});
  }

  /// In FP32, rounded to elements at the output port of every switch.
  Payload wide_result(int flow) const {
    return check::flow_result<Payload>(
        image_, flow, [this](check::InstructionId operand) { return widen(messages_[image_.id(operand)]); },
        [this](Payload a, const Payload& b) {
          reduce_elements(op_, DataType::kFp32, a.data(), b.data(), a.size() / kWide);
          return a;
        },
        [this](Payload& sum) { sum = widen(narrow(sum)); });
  }

  Payload widen(const Payload& elements) const {
    Payload words(elements.size() / unit_ * kWide);
    for (std::size_t i = 0; i < elements.size() / unit_; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, elements.data() + i * unit_, unit_);
      bits = widen_to_fp32(dtype_, bits);
      std::memcpy(words.data() + i * kWide, &bits, kWide);
    }
    return words;
  }

  Payload narrow(const Payload& words) const {
    Payload elements(words.size() / kWide * unit_);
    for (std::size_t i = 0; i < words.size() / kWide; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, words.data() + i * kWide, kWide);
      bits = round_from_fp32(dtype_, bits);
      std::memcpy(elements.data() + i * unit_, &bits, unit_);
    }
    return elements;
  }

  Payload sum(Payload a, const Payload& b) const {
    reduce_elements(op_, dtype_, a.data(), b.data(), a.size() / unit_);
    return a;
  }

  const check::Image& image_;
  const ProgramShape& shape_;
  ReduceOp op_;
  DataType dtype_;
  bool fp32_flows_;
  std::size_t unit_;
  Geometry geometry_;
  std::vector<Payload> messages_;
  std::vector<std::array<Payload, kBuffers>> memory_;
};

std::string hex(const Payload& data, std::size_t element, std::size_t unit) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, data.data() + element * unit, unit);
  return fmt::format("0x{:0{}X}", bits, 2 * unit);
}

}  // namespace

std::vector<Payload> expected_results(const Program& program, ReduceOp op, DataType dtype, std::uint64_t elements,
                                      const std::vector<Payload>& inputs, bool fp32_flows) {
  check::Image image(program);
  check::Errors errors(1);
  check::match(image, errors);
  std::string stuck;
  const std::vector<check::Event> order = check::find_order(image, check::Execution::kEager, stuck);
  WEFT_CHECK(errors.none() && stuck.empty(), "a program that cannot finish has no result: " + stuck);
  Interpreter interpreter(image, op, dtype, elements, inputs, fp32_flows);
  for (const check::Event& event : order) {
    interpreter.execute(event);
    interpreter.take_flow(event);
  }
  std::vector<Payload> outputs;
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) outputs.push_back(interpreter.output(rank));
  return outputs;
}

void verify_results(const std::string& name, const Program& program, ReduceOp op, DataType dtype,
                    std::uint64_t elements, const std::vector<Payload>& inputs, const std::vector<Payload>& results,
                    bool fp32_flows) {
  const std::vector<Payload> expected = expected_results(program, op, dtype, elements, inputs, fp32_flows);
  const std::size_t unit = element_bytes(dtype);
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
    const Payload& found = results.at(rank);
    WEFT_CHECK(found.size() == expected[rank].size(), fmt::format("{}: the result of rank {} has {} bytes, not {}",
                                                                  name, rank, found.size(), expected[rank].size()));
    for (std::size_t i = 0; i < found.size() / unit; ++i) {
      if (std::memcmp(found.data() + i * unit, expected[rank].data() + i * unit, unit) == 0) continue;
      violation(fmt::format("{}: element {} of the result of rank {} is {}; reduced in the program's order it is {}",
                            name, i, rank, hex(found, i, unit), hex(expected[rank], i, unit)));
    }
  }
}

}  // namespace weft::npu
