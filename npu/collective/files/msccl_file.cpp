// SPDX-License-Identifier: Apache-2.0
// Import of MSCCL's XML form. A GPU's thread blocks become one sequence: steps of a block that take something in stay
// in their order, its sends (which MSCCL buffers) wait for the last of these before them, `depid`/`deps` become
// dependencies, and what is overwritten waits for the sends that read it. The k-th send of a block meets the k-th
// receive of the block at the other end of its channel.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/error.h"
#include "base/text_distance.h"
#include "npu/collective/checker/checker.h"
#include "npu/collective/files/program_file.h"
#include "npu/collective/files/xml.h"
#include "npu/collective/form/listed_program.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {
namespace {

constexpr std::int64_t kMostGpus = 1 << 16;
constexpr std::int64_t kMostGpuChunks = 1 << 20;

struct MscclStep {
  const XmlElement* element = nullptr;
  bool nop = false;
  Instruction instruction;
  std::int64_t dep_block = -1;
  std::int64_t dep_step = -1;
};

struct MscclBlock {
  std::int64_t id = 0;
  std::int64_t send = -1;
  std::int64_t recv = -1;
  std::int64_t channel = 0;
  std::vector<MscclStep> steps;
};

class MscclImport {
 public:
  explicit MscclImport(const std::string& name) : name_(name) {}

  std::unique_ptr<const Program> import(const std::string& text) {
    const XmlElement root = parse_xml(text, name_);
    if (root.name != "algo")
      fail(root, fmt::format("the first element must be 'algo', found {}", in_quotes(root.name)));
    shape_.ranks = static_cast<std::uint32_t>(number(root, "ngpus", 1, kMostGpus));
    shape_.in_place = number_or(root, "inplace", 0, 0, 1) == 1;
    shape_.kind = kind_of(root);
    read_sizes(root);
    ListedProgram::Sequences sequences(shape_.ranks);
    std::vector<bool> seen(shape_.ranks, false);
    for (const XmlElement& gpu : root.children) {
      if (gpu.name != "gpu") fail(gpu, fmt::format("element 'gpu' was expected, found {}", in_quotes(gpu.name)));
      const auto rank = static_cast<std::uint32_t>(number(gpu, "id", 0, shape_.ranks - 1));
      if (seen[rank]) fail(gpu, fmt::format("gpu {} stands here twice", rank));
      seen[rank] = true;
      sequences[rank] = read_gpu(gpu, rank);
    }
    const auto missing = std::find(seen.begin(), seen.end(), false);
    if (missing != seen.end()) fail(root, fmt::format("gpu {} is missing", missing - seen.begin()));
    auto listed = std::make_unique<ListedProgram>(shape_, sequences, false);
    const bool in_order = check_program(*listed).in_order;
    return std::make_unique<ListedProgram>(shape_, std::move(sequences), in_order);
  }

 private:
  [[noreturn]] void fail(const XmlElement& at, const std::string& what) const {
    throw InputError(fmt::format("{}:{}:{}: {}", name_, at.line, at.column, what));
  }

  const std::string& text(const XmlElement& element, const char* attribute) const {
    const std::string* value = element.find(attribute);
    if (value == nullptr) fail(element, fmt::format("element '{}' needs the attribute '{}'", element.name, attribute));
    return *value;
  }

  std::int64_t number(const XmlElement& element, const char* attribute, std::int64_t least, std::int64_t most) const {
    const std::string& value = text(element, attribute);
    std::int64_t result = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), result);
    if (error != std::errc() || end != value.data() + value.size() || result < least || result > most) {
      fail(element,
           fmt::format("{} must be a whole number {}..{}, found {}", attribute, least, most, in_quotes(value)));
    }
    return result;
  }
  std::int64_t number_or(const XmlElement& element, const char* attribute, std::int64_t otherwise, std::int64_t least,
                         std::int64_t most) const {
    return element.find(attribute) == nullptr ? otherwise : number(element, attribute, least, most);
  }

  template <typename Value, std::size_t Size>
  Value one_of(const XmlElement& element, const char* attribute,
               const std::array<std::pair<const char*, Value>, Size>& known) const {
    const std::string& value = text(element, attribute);
    std::vector<std::string_view> names;
    for (const auto& [known_name, meaning] : known) {
      if (value == known_name) return meaning;
      names.emplace_back(known_name);
    }
    fail(element, fmt::format("unknown {} {}; known: {}{}", attribute, in_quotes(value), fmt::join(names, ", "),
                              did_you_mean(value, names)));
  }

  CollectiveKind kind_of(const XmlElement& root) const {
    constexpr std::array<std::pair<const char*, CollectiveKind>, 9> kNames{{
        {"allreduce", CollectiveKind::kAllReduce},
        {"allgather", CollectiveKind::kAllGather},
        {"reducescatter", CollectiveKind::kReduceScatter},
        {"reduce_scatter", CollectiveKind::kReduceScatter},
        {"alltoall", CollectiveKind::kAllToAll},
        {"broadcast", CollectiveKind::kBroadcast},
        {"reduce", CollectiveKind::kReduce},
        {"gather", CollectiveKind::kGather},
        {"scatter", CollectiveKind::kScatter},
    }};
    return one_of(root, "coll", kNames);
  }

  // Parts of a rank are all fragments over the ranks for kinds that have parts.
  void read_sizes(const XmlElement& root) {
    shape_.root = static_cast<std::uint32_t>(number_or(root, "root", 0, 0, shape_.ranks - 1));
    std::uint32_t fragments = 0;
    for (const XmlElement& gpu : root.children) {
      if (gpu.name != "gpu") continue;
      for (const char* attribute : {"i_chunks", "o_chunks"}) {
        fragments = std::max(fragments, static_cast<std::uint32_t>(number_or(gpu, attribute, 0, 0, kMostGpuChunks)));
      }
      shape_.scratch =
          std::max(shape_.scratch, static_cast<std::uint32_t>(number_or(gpu, "s_chunks", 0, 0, kMostGpuChunks)));
    }
    ProgramShape probe = shape_;
    probe.share = 1;
    const bool parts =
        probe.fragments(Buffer::kInput) != probe.fragments(Buffer::kOutput) || shape_.kind == CollectiveKind::kAllToAll;
    const std::uint32_t unit = parts ? shape_.ranks : 1;
    if (fragments == 0 || fragments % unit != 0) {
      fail(root, fmt::format("the largest buffer has {} fragments; {} of {} ranks needs a multiple of {}", fragments,
                             kind_name(shape_.kind), shape_.ranks, unit));
    }
    shape_.share = fragments / unit;
    if (shape_.kind == CollectiveKind::kAllToAll) shape_.in_place = false;
  }

  Slice slice(const XmlElement& step, const char* buffer, const char* offset, std::uint32_t count) const {
    constexpr std::array<std::pair<const char*, Buffer>, 3> kNames{
        {{"i", Buffer::kInput}, {"o", Buffer::kOutput}, {"s", Buffer::kScratch}}};
    Slice result{one_of(step, buffer, kNames), static_cast<std::uint32_t>(number(step, offset, 0, kMostGpuChunks)),
                 count, 1};
    // In place either name may stand for the one buffer, with the indices of the larger one.
    if (shape_.in_place && result.first + count > shape_.fragments(result.buffer)) {
      if (result.buffer == Buffer::kInput) {
        result.buffer = Buffer::kOutput;
      } else if (result.buffer == Buffer::kOutput) {
        result.buffer = Buffer::kInput;
      }
    }
    return result;
  }

  MscclStep read_step(const XmlElement& element, const MscclBlock& block) const {
    if (element.name != "step")
      fail(element, fmt::format("element 'step' was expected, found {}", in_quotes(element.name)));
    constexpr std::array<std::pair<const char*, int>, 9> kTypes{
        {{"s", 0}, {"r", 1}, {"rrc", 2}, {"cpy", 3}, {"re", 4}, {"rrs", 5}, {"rrcs", 6}, {"rcs", 7}, {"nop", 8}}};
    constexpr std::array<Op, 8> kOps{Op::kSend,   Op::kRecv,           Op::kRecvReduce,     Op::kCopy,
                                     Op::kReduce, Op::kRecvReduceSend, Op::kRecvReduceSend, Op::kRecvCopySend};
    MscclStep step;
    step.element = &element;
    const int type = one_of(element, "type", kTypes);
    step.dep_block = number_or(element, "depid", -1, -1, kMostGpuChunks);
    step.dep_step = number_or(element, "deps", -1, -1, kMostGpuChunks);
    step.nop = type == 8;
    if (step.nop) return step;
    const auto count = static_cast<std::uint32_t>(number(element, "cnt", 1, kMostGpuChunks));
    Instruction& in = step.instruction;
    in.op = kOps[static_cast<std::size_t>(type)];
    if (op_reads_src(in.op)) in.src = slice(element, "srcbuf", "srcoff", count);
    if (in.op != Op::kSend && type != 5) in.dst = slice(element, "dstbuf", "dstoff", count);
    if (op_receives(in.op)) in.from = peer(element, block.recv, "recv");
    if (op_sends(in.op)) in.to = {peer(element, block.send, "send")};
    return step;
  }

  std::uint32_t peer(const XmlElement& step, std::int64_t rank, const char* attribute) const {
    if (rank < 0) fail(step, fmt::format("this step needs a peer, but its 'tb' has {}=\"-1\"", attribute));
    return static_cast<std::uint32_t>(rank);
  }

  std::vector<MscclBlock> read_blocks(const XmlElement& gpu) const {
    std::vector<MscclBlock> blocks;
    for (const XmlElement& element : gpu.children) {
      if (element.name != "tb")
        fail(element, fmt::format("element 'tb' was expected, found {}", in_quotes(element.name)));
      MscclBlock block;
      block.id = number(element, "id", 0, kMostGpuChunks);
      block.send = number_or(element, "send", -1, -1, shape_.ranks - 1);
      block.recv = number_or(element, "recv", -1, -1, shape_.ranks - 1);
      block.channel = number_or(element, "chan", 0, 0, kChannels - 1);
      std::uint32_t sent = 0;
      std::uint32_t received = 0;
      for (const XmlElement& child : element.children) {
        MscclStep step = read_step(child, block);
        const auto tag = [&](std::uint32_t& counter) {
          return static_cast<std::uint32_t>(counter++ * kChannels + block.channel);
        };
        if (op_sends(step.instruction.op) && !step.nop) step.instruction.send_tag = tag(sent);
        if (op_receives(step.instruction.op) && !step.nop) step.instruction.recv_tag = tag(received);
        block.steps.push_back(step);
      }
      blocks.push_back(std::move(block));
    }
    return blocks;
  }

  /// How far a block has been taken over into the sequence.
  struct Progress {
    std::size_t next = 0;
    std::int64_t last_taker = -1;                     ///< index of the last step that takes something in
    std::vector<std::uint32_t> sends;                 ///< indices since then that read something
    std::vector<std::uint32_t> pending;               ///< dependencies that nops have gathered
    std::vector<std::vector<std::uint32_t>> emitted;  ///< [step] indices that stand for it
  };

  // Steps of all blocks in an order in which dependencies come first.
  std::vector<Instruction> read_gpu(const XmlElement& gpu, std::uint32_t rank) const {
    const std::vector<MscclBlock> blocks = read_blocks(gpu);
    std::vector<Progress> progress(blocks.size());
    std::vector<Instruction> sequence;
    bool moved = true;
    while (moved) {
      moved = false;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        while (progress[b].next < blocks[b].steps.size() && emit(blocks, b, progress, rank, sequence)) moved = true;
      }
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (progress[b].next == blocks[b].steps.size()) continue;
      const MscclStep& stuck = blocks[b].steps[progress[b].next];
      fail(*stuck.element, fmt::format("gpu {}: this step waits for step {} of block {}, which cannot come before it",
                                       rank, stuck.dep_step, stuck.dep_block));
    }
    return sequence;
  }

  bool emit(const std::vector<MscclBlock>& blocks, std::size_t b, std::vector<Progress>& progress, std::uint32_t rank,
            std::vector<Instruction>& sequence) const {
    Progress& own = progress[b];
    const MscclStep& step = blocks[b].steps[own.next];
    std::vector<std::uint32_t> deps = own.pending;
    if (step.dep_block >= 0) {
      const auto other = std::find_if(blocks.begin(), blocks.end(),
                                      [&](const MscclBlock& block) { return block.id == step.dep_block; });
      if (other == blocks.end()) fail(*step.element, fmt::format("there is no block {}", step.dep_block));
      const Progress& theirs = progress[static_cast<std::size_t>(other - blocks.begin())];
      const auto wanted = static_cast<std::size_t>(std::max<std::int64_t>(step.dep_step, 0));
      if (wanted >= other->steps.size()) {
        fail(*step.element, fmt::format("block {} has no step {}", step.dep_block, step.dep_step));
      }
      if (theirs.next <= wanted) return false;
      deps.insert(deps.end(), theirs.emitted[wanted].begin(), theirs.emitted[wanted].end());
    }
    ++own.next;
    if (step.nop) {
      own.pending = deps;
      own.emitted.push_back(deps);
      return true;
    }
    own.pending.clear();
    if (own.last_taker >= 0) deps.push_back(static_cast<std::uint32_t>(own.last_taker));
    const auto index = static_cast<std::uint32_t>(sequence.size());
    for (const std::uint32_t send : own.sends) {
      if (overlaps(rank, sequence[send].src, step.instruction.dst)) deps.push_back(send);
    }
    std::sort(deps.begin(), deps.end());
    deps.erase(std::unique(deps.begin(), deps.end()), deps.end());
    Instruction in = step.instruction;
    in.deps = deps;
    if (in.op == Op::kSend) {
      own.sends.push_back(index);
    } else {
      own.last_taker = index;
    }
    sequence.push_back(in);
    own.emitted.push_back({index});
    return true;
  }

  bool overlaps(std::uint32_t rank, const Slice& a, const Slice& b) const {
    const Slice x = shape_.canonical(rank, a);
    const Slice y = shape_.canonical(rank, b);
    return x.buffer == y.buffer && x.first < y.first + y.count && y.first < x.first + x.count;
  }

  static constexpr std::int64_t kChannels = 64;  ///< tags of channels that join the same ranks interleave
  const std::string& name_;
  ProgramShape shape_;
};

}  // namespace

std::unique_ptr<const Program> parse_msccl_program(const std::string& text, const std::string& name) {
  return MscclImport(name).import(text);
}

}  // namespace weft::npu
