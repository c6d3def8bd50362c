// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/checker/checker.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "npu/collective/checker/checker_image.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {
namespace check {

Image::Image(const Program& source) : program(source) {
  sequences.resize(source.ranks());
  for (std::uint32_t rank = 0; rank < source.ranks(); ++rank) {
    first_id.push_back(instructions.size());
    const std::uint32_t length = source.length(rank);
    for (std::uint32_t i = 0; i < length; ++i) {
      sequences[rank].push_back(source.at(rank, i));
      instructions.push_back({rank, i});
    }
  }
  sender.resize(instructions.size());
  receivers.resize(instructions.size());
}

std::string Image::text(InstructionId which) const {
  return fmt::format("rank {} instruction {} ({})", which.rank, which.index, to_text(at(which)));
}

namespace {

/// Checks one instruction by itself.
class FormCheck {
 public:
  FormCheck(const Image& image, InstructionId which, Errors& errors)
      : shape_(image.program.shape()), image_(image), which_(which), errors_(errors), in_(image.at(which)) {}

  void run() {
    if (in_.op == Op::kFlow && in_.hints.flow < 0) fail("is an in-fabric flow without a number");
    if (in_.op != Op::kFlow && in_.hints.flow >= 0) fail("has the number of a flow, but is none");
    for (const std::uint32_t dep : in_.deps) {
      if (dep >= which_.index) {
        fail(fmt::format("depends on instruction {}; only smaller indices are possible", dep));
      }
    }
    if (op_receives(in_.op)) peer(in_.from, "receives from");
    if (op_sends(in_.op) && in_.to.empty()) fail("sends to nobody");
    for (const std::uint32_t to : in_.to) peer(to, "sends to");
    if (!op_receives(in_.op) && in_.from != kNoRank) fail("names a sender but receives nothing");
    if (!op_sends(in_.op) && !in_.to.empty()) fail("names a receiver but sends nothing");
    tag(in_.send_tag);
    tag(in_.recv_tag);
    slices();
  }

 private:
  void fail(const std::string& what) { errors_.add(image_.text(which_) + " " + what); }

  void peer(std::uint32_t rank, const char* verb) {
    if (rank >= shape_.ranks) {
      fail(fmt::format("{} rank {}; the group has ranks 0..{}", verb, rank, shape_.ranks - 1));
    } else if (rank == which_.rank) {
      fail(fmt::format("{} itself", verb));
    }
  }

  void tag(std::uint32_t value) {
    if (value >= kMaxSteps) fail(fmt::format("has tag {}; tags go up to {}", value, kMaxSteps - 1));
  }

  bool slice(const Slice& slice) {
    const std::uint32_t fragments = shape_.fragments(slice.buffer);
    const std::uint64_t last =
        slice.first + static_cast<std::uint64_t>(slice.count == 0 ? 0 : slice.count - 1) * slice.stride;
    if (slice.count == 0 || last < fragments) return true;
    fail(fmt::format("uses {}; {} has {} fragments", to_text(slice), buffer_name(slice.buffer), fragments));
    return false;
  }

  void slices() {
    const bool legal = slice(in_.src) && slice(in_.dst);
    if (in_.op == Op::kFlow) {
      if (in_.src.count == 0 && in_.dst.count == 0) fail("neither puts anything into its flow nor takes anything out");
      if (legal && in_.src.count > 0 && in_.dst.count > 0 && !same_sizes(in_.src, in_.dst)) {
        fail(fmt::format("puts in {} and takes out {}, of different size", to_text(in_.src), to_text(in_.dst)));
      }
      return;
    }
    const bool needs_dst = in_.op != Op::kSend && !op_streams(in_.op);
    if (op_reads_src(in_.op) && in_.src.count == 0) fail("reads no fragment");
    if (needs_dst && in_.dst.count == 0) fail("writes no fragment");
    if (in_.op == Op::kRecvCopySend && in_.dst.count == 0) fail("has no dst, which says how much is received");
    if (!legal || !op_reads_src(in_.op) || in_.dst.count == 0 || in_.op == Op::kSend) return;
    if (!same_sizes(in_.src, in_.dst)) {
      fail(fmt::format("combines fragments of different size: {} and {}", to_text(in_.src), to_text(in_.dst)));
    }
  }

  bool same_sizes(const Slice& a, const Slice& b) const {
    if (a.count != b.count) return false;
    for (std::uint32_t i = 0; i < a.count; ++i) {
      if (shape_.size_class(which_.rank, a.buffer, a.fragment(i)) !=
          shape_.size_class(which_.rank, b.buffer, b.fragment(i))) {
        return false;
      }
    }
    return true;
  }

  const ProgramShape& shape_;
  const Image& image_;
  InstructionId which_;
  Errors& errors_;
  const Instruction& in_;
};

// The size classes of what an instruction sends, or receives.
std::vector<std::uint32_t> message_classes(const Image& image, InstructionId which) {
  const Instruction& in = image.at(which);
  const bool takes = in.op == Op::kRecv || in.op == Op::kRecvCopySend || in.src.count == 0;
  const Slice& slice = takes ? in.dst : in.src;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t i = 0; i < slice.count; ++i) {
    classes.push_back(image.program.shape().size_class(which.rank, slice.buffer, slice.fragment(i)));
  }
  return classes;
}

/// Checks that the merges of a flow make one result of all of its operands, each counted once.
void check_merges(const Image& image, int number, const Flow& flow, Errors& errors) {
  std::set<std::uint32_t> open;
  for (const InstructionId which : flow.operands) {
    if (!open.insert(which.rank).second) {
      errors.add(fmt::format("{}: rank {} puts two operands into flow {}", image.text(which), which.rank, number));
    }
  }
  for (const FlowMerge merge : image.program.flow_merges(number)) {
    if (merge.into == merge.from || open.count(merge.into) == 0 || open.erase(merge.from) == 0) {
      errors.add(
          fmt::format("flow {}: merging rank {} into rank {} takes an operand that is not there, or is part of "
                      "another already",
                      number, merge.from, merge.into));
      return;
    }
  }
  if (open.size() != 1) {
    errors.add(
        fmt::format("flow {}: {} of its {} operands are never merged", number, open.size() - 1, flow.operands.size()));
  }
}

void match_flows(Image& image, Errors& errors) {
  for (const InstructionId which : image.instructions) {
    const Instruction& in = image.at(which);
    if (in.op != Op::kFlow) continue;
    Flow& flow = image.flows[in.hints.flow];
    if (in.src.count > 0) flow.operands.push_back(which);
    if (in.dst.count > 0) flow.results.push_back(which);
    const InstructionId first = flow.operands.empty() ? flow.results.front() : flow.operands.front();
    if (message_classes(image, which) != message_classes(image, first)) {
      errors.add(fmt::format("{} does not have the size of {}, which is in the same flow", image.text(which),
                             image.text(first)));
    }
  }
  for (const auto& [number, flow] : image.flows) {
    if (flow.operands.empty()) errors.add(fmt::format("nobody puts anything into flow {}", number));
    if (flow.results.empty()) errors.add(fmt::format("nobody takes the result of flow {}", number));
    if (!flow.operands.empty()) check_merges(image, number, flow, errors);
  }
}

}  // namespace

void check_form(const Image& image, Errors& errors) {
  for (const InstructionId which : image.instructions) FormCheck(image, which, errors).run();
}

void match(Image& image, Errors& errors) {
  using Key = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, tag
  std::map<Key, InstructionId> sends;
  for (const InstructionId which : image.instructions) {
    const Instruction& in = image.at(which);
    for (const std::uint32_t to : in.to) {
      const auto [other, fresh] = sends.emplace(Key{which.rank, to, in.send_tag}, which);
      if (!fresh) {
        errors.add(fmt::format("{} and {} send to rank {} with the same tag", image.text(other->second),
                               image.text(which), to));
      }
    }
  }
  for (const InstructionId which : image.instructions) {
    const Instruction& in = image.at(which);
    if (!op_receives(in.op)) continue;
    const auto send = sends.find(Key{in.from, which.rank, in.recv_tag});
    if (send == sends.end()) {
      errors.add(
          fmt::format("{}: rank {} sends no such message, or another receive took it", image.text(which), in.from));
      continue;
    }
    image.sender[image.id(which)] = send->second;
    image.receivers[image.id(send->second)].push_back(which);
    if (message_classes(image, which) != message_classes(image, send->second)) {
      errors.add(
          fmt::format("{} does not have the size of what comes from {}", image.text(which), image.text(send->second)));
    }
    sends.erase(send);
  }
  for (const auto& [key, which] : sends) {
    errors.add(fmt::format("{}: rank {} has no receive for it", image.text(which), std::get<1>(key)));
  }
  match_flows(image, errors);
}

}  // namespace check

CheckReport check_program(const Program& program, std::size_t max_errors, bool buffered) {
  CheckReport report;
  check::Errors errors(max_errors);
  check::Image image(program);
  report.instructions = image.instructions.size();
  for (const check::InstructionId which : image.instructions) report.messages += image.at(which).to.size();
  check::check_form(image, errors);
  if (errors.none()) check::match(image, errors);
  if (errors.none()) check::check_determinism(image, errors);
  if (errors.none()) check::check_flow_order(image, errors);
  std::string stuck;
  if (errors.none()) {
    const std::vector<check::Event> order = check::find_order(image, check::Execution::kEager, stuck);
    if (!stuck.empty()) {
      errors.add("deadlock: " + stuck);
    } else {
      check::check_data(image, order, errors);
    }
  }
  if (stuck.empty() && errors.none()) {
    if (!buffered) check::find_order(image, check::Execution::kRendezvous, stuck);
    if (!stuck.empty()) errors.add("deadlock if a send waits for its receive: " + stuck);
    std::string in_order_stuck;
    check::find_order(image, check::Execution::kInOrder, in_order_stuck);
    report.in_order = in_order_stuck.empty();
    if (!report.in_order && program.in_order()) {
      errors.add("deadlock if each rank goes strictly by its indices: " + in_order_stuck);
    }
  }
  report.errors = errors.take();
  return report;
}

}  // namespace weft::npu
