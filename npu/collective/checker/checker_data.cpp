// SPDX-License-Identifier: Apache-2.0
// The checker's last stage: follows the contributions of all ranks through the program.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "npu/collective/checker/checker_image.h"

namespace weft::npu::check {
namespace {

/// Which contributions a fragment is the sum of, with how often each counts; null = undefined.
struct Counted {
  Contribution contribution;
  std::uint32_t times;
};
using Value = std::shared_ptr<const std::vector<Counted>>;

Value sum_of(const Value& a, const Value& b) {
  auto sum = std::make_shared<std::vector<Counted>>();
  std::size_t j = 0;
  for (const Counted& term : *a) {
    while (j < b->size() && (*b)[j].contribution < term.contribution) sum->push_back((*b)[j++]);
    sum->push_back(term);
    if (j < b->size() && (*b)[j].contribution == term.contribution) sum->back().times += (*b)[j++].times;
  }
  sum->insert(sum->end(), b->begin() + static_cast<std::ptrdiff_t>(j), b->end());
  return sum;
}

struct Fragment {
  Value value;
  std::int64_t writer = -1;  ///< index of the instruction that wrote it last
};

/// Executes a program on symbols.
class DataCheck {
 public:
  DataCheck(const Image& image, Errors& errors)
      : image_(image), shape_(image.program.shape()), errors_(errors), messages_(image.instructions.size()) {
    memory_.resize(shape_.ranks);
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      for (int b = 0; b < kBuffers; ++b) {
        memory_[rank][static_cast<std::size_t>(b)].resize(shape_.fragments(static_cast<Buffer>(b)));
      }
      if (!shape_.has_input(rank)) continue;
      for (std::uint32_t c = 0; c < shape_.fragments(Buffer::kInput); ++c) {
        auto own = std::make_shared<std::vector<Counted>>();
        own->push_back({{rank, c}, 1});
        fragment(rank, {Buffer::kInput, 0, 1, 1}, c).value = own;
      }
    }
  }

  void execute(const Event& event) {
    const InstructionId which = image_.instructions[event.id];
    const Instruction& in = image_.at(which);
    if (event.phase == Phase::kStart && !op_receives(in.op)) start(which, in);
    if (event.phase == Phase::kData && op_receives(in.op)) receive(which, in);
    if (event.phase == Phase::kData && in.op == Op::kFlow && in.dst.count > 0) {
      write(which, in.dst,
            flow_result<std::vector<Value>>(
                image_, in.hints.flow, [this](InstructionId operand) { return messages_[image_.id(operand)]; }, sums,
                [](const std::vector<Value>& /*sum*/) {}));
    }
  }

  void check_outputs() {
    for (std::uint32_t rank = 0; rank < shape_.ranks; ++rank) {
      if (!shape_.has_output(rank)) continue;
      for (std::uint32_t c = 0; c < shape_.fragments(Buffer::kOutput); ++c) check_output(rank, c);
    }
  }

 private:
  Fragment& fragment(std::uint32_t rank, const Slice& slice, std::uint32_t k) {
    const Slice real = shape_.canonical(rank, {slice.buffer, slice.fragment(k), 1, 1});
    return memory_[rank][static_cast<std::size_t>(real.buffer)][real.first];
  }

  std::vector<Value> read(InstructionId which, const Slice& slice) {
    std::vector<Value> values;
    for (std::uint32_t k = 0; k < slice.count; ++k) {
      values.push_back(fragment(which.rank, slice, k).value);
      if (values.back() != nullptr) continue;
      errors_.add(fmt::format("{} reads {}, which holds nothing then", image_.text(which),
                              to_text(Slice{slice.buffer, slice.fragment(k), 1, 1})));
      values.back() = std::make_shared<std::vector<Counted>>();
    }
    return values;
  }

  void write(InstructionId which, const Slice& slice, const std::vector<Value>& values) {
    for (std::uint32_t k = 0; k < slice.count; ++k) fragment(which.rank, slice, k) = {values[k], which.index};
  }

  static std::vector<Value> sums(std::vector<Value> a, const std::vector<Value>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) a[k] = sum_of(a[k], b[k]);
    return a;
  }

  void start(InstructionId which, const Instruction& in) {
    std::vector<Value> values = read(which, in.src);
    if (in.op == Op::kSend || in.op == Op::kFlow) {
      messages_[image_.id(which)] = std::move(values);
    } else if (in.op == Op::kCopy) {
      write(which, in.dst, values);
    } else {
      write(which, in.dst, sums(read(which, in.dst), values));
    }
  }

  void receive(InstructionId which, const Instruction& in) {
    std::vector<Value> values = messages_[image_.id(image_.sender[image_.id(which)])];
    if (op_reduces(in.op)) values = sums(read(which, in.src), values);
    write(which, in.dst, values);
    if (op_sends(in.op)) messages_[image_.id(which)] = std::move(values);
  }

  void check_output(std::uint32_t rank, std::uint32_t c) {
    const Fragment& found = fragment(rank, {Buffer::kOutput, 0, 1, 1}, c);
    const std::string where = fmt::format(
        "rank {}: output fragment {} ({})", rank, c,
        found.writer < 0 ? std::string("never written")
                         : fmt::format("last written by instruction {}: {}", found.writer,
                                       to_text(image_.sequences[rank][static_cast<std::size_t>(found.writer)])));
    if (found.value == nullptr) {
      errors_.add(where + " holds nothing at the end");
      return;
    }
    std::string wrong;
    const std::vector<Contribution> expected = shape_.expected(rank, c);
    for (const Contribution& wanted : expected) {
      const auto term = std::find_if(found.value->begin(), found.value->end(),
                                     [&](const Counted& t) { return t.contribution == wanted; });
      if (term == found.value->end())
        wrong += fmt::format(" lacks fragment {} of rank {},", wanted.fragment, wanted.rank);
    }
    for (const Counted& term : *found.value) {
      const Contribution& has = term.contribution;
      if (!std::binary_search(expected.begin(), expected.end(), has)) {
        wrong += fmt::format(" holds fragment {} of rank {}, which does not belong there,", has.fragment, has.rank);
      } else if (term.times != 1) {
        wrong += fmt::format(" counts fragment {} of rank {} {} times,", has.fragment, has.rank, term.times);
      }
    }
    if (wrong.empty()) return;
    wrong.pop_back();
    errors_.add(where + wrong);
  }

  const Image& image_;
  const ProgramShape& shape_;
  Errors& errors_;
  std::vector<std::vector<Value>> messages_;
  std::vector<std::array<std::vector<Fragment>, kBuffers>> memory_;
};

}  // namespace

void check_data(const Image& image, const std::vector<Event>& order, Errors& errors) {
  DataCheck check(image, errors);
  for (const Event& event : order) check.execute(event);
  check.check_outputs();
}

}  // namespace weft::npu::check
