// SPDX-License-Identifier: Apache-2.0
// Weft's own file form: YAML, one instruction per line.
#include "npu/collective/files/program_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <ostream>
#include <set>

#include "base/error.h"
#include "base/read_file.h"
#include "base/text_distance.h"
#include "npu/collective/checker/checker.h"
#include "npu/collective/form/listed_program.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {
namespace {

constexpr int kFormVersion = 1;
constexpr std::uint32_t kMostRanks = 1u << 20;
constexpr std::uint32_t kMostFragments = 1u << 24;
constexpr std::uint32_t kMostFlows = 1'000'000;

constexpr std::array<Op, 8> kOps{Op::kSend,   Op::kRecv, Op::kRecvReduce,     Op::kCopy,
                                 Op::kReduce, Op::kFlow, Op::kRecvReduceSend, Op::kRecvCopySend};

/// Reads the form; all errors carry the place.
class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  std::unique_ptr<const Program> read(const std::string& text) {
    YAML::Node root;
    try {
      root = YAML::Load(text);
    } catch (const YAML::Exception& error) {
      throw InputError(fmt::format("{}:{}:{}: {}", name_, error.mark.line + 1, error.mark.column + 1, error.msg));
    }
    if (!root.IsMap()) fail(root, "a program file is a map that begins with 'weft_program: 1'");
    keys(root, {"weft_program", "kind", "ranks", "root", "share", "scratch", "in_place", "sequences", "merges"});
    const std::uint32_t version = number(root, "weft_program", 0, 1'000'000);
    if (version != kFormVersion) {
      fail(root["weft_program"], fmt::format("version {} of the form is not known; known: {}", version, kFormVersion));
    }
    const ProgramShape shape = read_shape(root);
    ListedProgram::Sequences sequences = read_sequences(need(root, "sequences"), shape);
    number_messages(sequences, need(root, "sequences"));
    const ListedProgram::Merges merges = read_merges(root["merges"], sequences, shape);
    auto listed = std::make_unique<ListedProgram>(shape, sequences, false, merges);
    const bool in_order = check_program(*listed).in_order;
    return std::make_unique<ListedProgram>(shape, std::move(sequences), in_order, merges);
  }

 private:
  [[noreturn]] void fail(const YAML::Node& at, const std::string& what) const {
    const YAML::Mark mark = at.Mark();
    if (mark.is_null()) throw InputError(fmt::format("{}: {}", name_, what));
    throw InputError(fmt::format("{}:{}:{}: {}", name_, mark.line + 1, mark.column + 1, what));
  }

  void keys(const YAML::Node& map, const std::vector<std::string_view>& known) const {
    std::set<std::string> seen;
    for (const auto& entry : map) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(entry.first, fmt::format("unknown key {}; known: {}{}", in_quotes(key), fmt::join(known, ", "),
                                      did_you_mean(key, known)));
      }
      if (!seen.insert(key).second) fail(entry.first, fmt::format("key {} stands here twice", in_quotes(key)));
    }
  }

  YAML::Node need(const YAML::Node& map, const char* key) const {
    const YAML::Node value = map[key];
    if (!value) fail(map, fmt::format("key '{}' is missing", key));
    return value;
  }

  std::string text_of(const YAML::Node& value, const char* key) const {
    if (!value.IsScalar()) fail(value, fmt::format("{} must be a single value", key));
    return value.Scalar();
  }

  std::uint32_t number_of(const YAML::Node& value, const char* key, std::uint32_t least, std::uint32_t most) const {
    const std::string text = text_of(value, key);
    std::uint32_t result = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result);
    if (error != std::errc() || end != text.data() + text.size() || result < least || result > most) {
      fail(value, fmt::format("{} must be a whole number {}..{}, found {}", key, least, most, in_quotes(text)));
    }
    return result;
  }
  std::uint32_t number(const YAML::Node& map, const char* key, std::uint32_t least, std::uint32_t most) const {
    return number_of(need(map, key), key, least, most);
  }
  std::uint32_t number_or(const YAML::Node& map, const char* key, std::uint32_t otherwise, std::uint32_t least,
                          std::uint32_t most) const {
    return map[key] ? number(map, key, least, most) : otherwise;
  }

  // One number or a list of them.
  std::vector<std::uint32_t> numbers(const YAML::Node& map, const char* key, std::uint32_t most) const {
    std::vector<std::uint32_t> result;
    const YAML::Node value = map[key];
    if (!value) return result;
    if (value.IsScalar()) return {number_of(value, key, 0, most)};
    if (!value.IsSequence()) fail(value, fmt::format("{} must be a number or a list of numbers", key));
    for (const YAML::Node& each : value) result.push_back(number_of(each, key, 0, most));
    return result;
  }

  ProgramShape read_shape(const YAML::Node& root) const {
    ProgramShape shape;
    const YAML::Node kind = need(root, "kind");
    const std::optional<CollectiveKind> known = kind_from_name(text_of(kind, "kind"));
    if (!known) {
      std::vector<std::string_view> names;
      for (const CollectiveKind each : all_kinds()) names.emplace_back(kind_name(each));
      fail(kind, fmt::format("unknown kind {}; known: {}{}", in_quotes(kind.Scalar()), fmt::join(names, ", "),
                             did_you_mean(kind.Scalar(), names)));
    }
    shape.kind = *known;
    shape.ranks = number(root, "ranks", 1, kMostRanks);
    shape.root = number_or(root, "root", 0, 0, shape.ranks - 1);
    shape.share = number_or(root, "share", 1, 1, kMostFragments / shape.ranks);
    shape.scratch = number_or(root, "scratch", 0, 0, kMostFragments);
    shape.in_place = shape.kind != CollectiveKind::kAllToAll;
    if (const YAML::Node in_place = root["in_place"]) {
      if (!YAML::convert<bool>::decode(in_place, shape.in_place)) {
        fail(in_place,
             fmt::format("in_place must be true or false, found {}", in_quotes(text_of(in_place, "in_place"))));
      }
      if (shape.in_place && shape.kind == CollectiveKind::kAllToAll) {
        fail(in_place, "all_to_all needs an output buffer of its own: in_place must be false");
      }
    }
    return shape;
  }

  ListedProgram::Sequences read_sequences(const YAML::Node& list, const ProgramShape& shape) const {
    if (!list.IsSequence() || list.size() != shape.ranks) {
      fail(list, fmt::format("sequences must be a list of {} sequences, one per rank, found {}", shape.ranks,
                             list.IsSequence() ? std::to_string(list.size()) : "something else"));
    }
    ListedProgram::Sequences sequences(shape.ranks);
    for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
      const YAML::Node sequence = list[rank];
      if (sequence.IsNull()) continue;
      if (!sequence.IsSequence()) fail(sequence, "a sequence is a list of instructions");
      for (const YAML::Node& instruction : sequence) sequences[rank].push_back(read_instruction(instruction, shape));
    }
    return sequences;
  }

  // "merges: {0: [[into, from], ...]}". Without it all operands of a flow are added to the first, in the order of
  // ranks.
  ListedProgram::Merges read_merges(const YAML::Node& map, const ListedProgram::Sequences& sequences,
                                    const ProgramShape& shape) const {
    std::map<int, std::vector<std::uint32_t>> operands;
    for (std::uint32_t rank = 0; rank < sequences.size(); ++rank) {
      for (const Instruction& in : sequences[rank]) {
        if (in.op == Op::kFlow && in.src.count > 0) operands[in.hints.flow].push_back(rank);
      }
    }
    ListedProgram::Merges merges;
    for (const auto& [flow, ranks] : operands) {
      for (std::size_t i = 1; i < ranks.size(); ++i) merges[flow].push_back({ranks.front(), ranks[i]});
    }
    if (!map) return merges;
    if (!map.IsMap()) fail(map, "merges must be a map from flows to lists of [into, from]");
    for (const auto& entry : map) {
      const int flow = static_cast<int>(number_of(entry.first, "a flow of merges", 0, kMostFlows));
      if (operands.count(flow) == 0) fail(entry.first, fmt::format("no instruction belongs to flow {}", flow));
      if (!entry.second.IsSequence()) fail(entry.second, "the merges of a flow must be a list of [into, from]");
      merges[flow].clear();
      for (const YAML::Node& pair : entry.second) {
        if (!pair.IsSequence() || pair.size() != 2) fail(pair, "a merge must be [into, from], two ranks");
        merges[flow].push_back(
            {number_of(pair[0], "into", 0, shape.ranks - 1), number_of(pair[1], "from", 0, shape.ranks - 1)});
      }
    }
    return merges;
  }

  Instruction read_instruction(const YAML::Node& map, const ProgramShape& shape) const {
    if (!map.IsMap()) fail(map, "an instruction is a map with the key 'op'");
    keys(map, {"op", "from", "to", "src", "dst", "tag", "recv_tag", "send_tag", "deps", "priority", "queue", "vc_class",
               "colour", "flow", "path"});
    Instruction in;
    in.op = read_op(need(map, "op"));
    if (map["from"]) in.from = number(map, "from", 0, shape.ranks - 1);
    in.to = numbers(map, "to", shape.ranks - 1);
    if (map["src"]) in.src = read_slice(map["src"], "src");
    if (map["dst"]) in.dst = read_slice(map["dst"], "dst");
    const std::uint32_t tag = number_or(map, "tag", kNoTag, 0, kMaxSteps - 1);
    in.recv_tag = number_or(map, "recv_tag", tag, 0, kMaxSteps - 1);
    in.send_tag = number_or(map, "send_tag", tag, 0, kMaxSteps - 1);
    in.deps = numbers(map, "deps", ~std::uint32_t{0} - 1);
    in.hints.priority = static_cast<std::uint8_t>(number_or(map, "priority", 0, 0, 255));
    in.hints.queue = static_cast<std::uint8_t>(number_or(map, "queue", 0, 0, 255));
    if (map["vc_class"]) in.hints.vc_class = static_cast<int>(number(map, "vc_class", 0, 255));
    if (map["colour"]) in.hints.colour = static_cast<int>(number(map, "colour", 0, 65535));
    if (map["flow"]) in.hints.flow = static_cast<int>(number(map, "flow", 0, kMostFlows));
    in.hints.path = numbers(map, "path", shape.ranks - 1);
    // A reduction in place may name its fragments once.
    if (in.op == Op::kRecvReduce && in.src.count == 0) in.src = in.dst;
    if (in.op == Op::kFlow) {
      if (!map["flow"]) fail(map, "flow needs the key 'flow', its number");
      if (tag == kNoTag) in.send_tag = static_cast<std::uint32_t>(in.hints.flow) % kMaxSteps;
      in.recv_tag = in.send_tag;
    }
    if (op_receives(in.op) && in.from == kNoRank) fail(map, fmt::format("{} needs the key 'from'", op_name(in.op)));
    if (op_sends(in.op) && in.to.empty()) fail(map, fmt::format("{} needs the key 'to'", op_name(in.op)));
    return in;
  }

  Op read_op(const YAML::Node& value) const {
    const std::string text = text_of(value, "op");
    std::vector<std::string_view> names;
    for (const Op op : kOps) {
      if (text == op_name(op)) return op;
      names.emplace_back(op_name(op));
    }
    fail(value,
         fmt::format("unknown op {}; known: {}{}", in_quotes(text), fmt::join(names, ", "), did_you_mean(text, names)));
  }

  // "input[3]", "input[0..3]" or "input[1,3..7]".
  Slice read_slice(const YAML::Node& value, const char* key) const {
    const std::string text = text_of(value, key);
    const auto wrong = [&] {
      fail(value, fmt::format("{} must be like input[3], output[0..3] or scratch[1,3..7] (every second), found {}", key,
                              in_quotes(text)));
    };
    const std::size_t open = text.find('[');
    if (open == std::string::npos || text.back() != ']') wrong();
    Slice slice;
    bool known = false;
    for (const Buffer buffer : {Buffer::kInput, Buffer::kOutput, Buffer::kScratch}) {
      if (text.compare(0, open, buffer_name(buffer)) != 0) continue;
      slice.buffer = buffer;
      known = true;
    }
    if (!known) wrong();
    std::string inside = text.substr(open + 1, text.size() - open - 2);
    const auto take = [&](const std::string& digits) {
      std::uint32_t result = 0;
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
      if (error != std::errc() || end != digits.data() + digits.size() || result >= kMostFragments) wrong();
      return result;
    };
    std::uint32_t last = 0;
    const std::size_t dots = inside.find("..");
    if (dots != std::string::npos) {
      last = take(inside.substr(dots + 2));
      inside.resize(dots);
    }
    const std::size_t comma = inside.find(',');
    slice.first = take(inside.substr(0, comma));
    if (comma != std::string::npos) {
      const std::uint32_t second = take(inside.substr(comma + 1));
      if (second <= slice.first || dots == std::string::npos) wrong();
      slice.stride = second - slice.first;
    }
    slice.count = 1;
    if (dots != std::string::npos) {
      if (last < slice.first || (last - slice.first) % slice.stride != 0) wrong();
      slice.count = (last - slice.first) / slice.stride + 1;
    }
    return slice;
  }

  // Without tags the k-th message from a to b is received by b's k-th receive from a.
  void number_messages(ListedProgram::Sequences& sequences, const YAML::Node& at) const {
    bool tagged = false;
    bool untagged = false;
    for (const auto& sequence : sequences) {
      for (const Instruction& in : sequence) {
        for (const bool missing :
             {op_receives(in.op) && in.recv_tag == kNoTag, op_sends(in.op) && in.send_tag == kNoTag}) {
          untagged = untagged || missing;
        }
        tagged = tagged || (op_receives(in.op) && in.recv_tag != kNoTag) || (op_sends(in.op) && in.send_tag != kNoTag);
      }
    }
    if (tagged && untagged) fail(at, "either all messages of a program have tags or none");
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> sends;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> receives;
    for (std::uint32_t rank = 0; rank < sequences.size(); ++rank) {
      for (Instruction& in : sequences[rank]) {
        if (in.op == Op::kFlow) continue;
        if (!op_receives(in.op)) in.recv_tag = 0;
        if (!op_sends(in.op)) in.send_tag = 0;
        if (!untagged) continue;
        if (in.to.size() > 1) fail(at, "an instruction that sends to several ranks needs a tag");
        if (op_receives(in.op)) in.recv_tag = receives[{in.from, rank}]++;
        if (op_sends(in.op)) in.send_tag = sends[{rank, in.to.front()}]++;
      }
    }
  }

  static constexpr std::uint32_t kNoTag = ~std::uint32_t{0};
  std::string name_;
};

std::string list_text(const ShortList& values) {
  if (values.size() == 1) return std::to_string(values.front());
  return fmt::format("[{}]", fmt::join(values, ", "));
}

std::string instruction_line(const Instruction& in) {
  std::string line = fmt::format("{{op: {}", op_name(in.op));
  if (op_receives(in.op)) line += fmt::format(", from: {}", in.from);
  if (op_sends(in.op)) line += fmt::format(", to: {}", list_text(in.to));
  if (in.src.count > 0) line += fmt::format(", src: \"{}\"", to_text(in.src));
  if (in.dst.count > 0) line += fmt::format(", dst: \"{}\"", to_text(in.dst));
  if (op_receives(in.op) && op_sends(in.op) && in.recv_tag != in.send_tag) {
    line += fmt::format(", recv_tag: {}, send_tag: {}", in.recv_tag, in.send_tag);
  } else if (op_receives(in.op) || op_sends(in.op) || in.op == Op::kFlow) {
    line += fmt::format(", tag: {}", op_receives(in.op) ? in.recv_tag : in.send_tag);
  }
  if (!in.deps.empty()) line += fmt::format(", deps: {}", list_text(in.deps));
  if (in.hints.priority != 0) line += fmt::format(", priority: {}", in.hints.priority);
  if (in.hints.queue != 0) line += fmt::format(", queue: {}", in.hints.queue);
  if (in.hints.vc_class >= 0) line += fmt::format(", vc_class: {}", in.hints.vc_class);
  if (in.hints.colour >= 0) line += fmt::format(", colour: {}", in.hints.colour);
  if (in.op == Op::kFlow) line += fmt::format(", flow: {}", in.hints.flow);
  if (!in.hints.path.empty()) line += fmt::format(", path: [{}]", fmt::join(in.hints.path, ", "));
  return line + "}";
}

void store_merges(const Program& program, std::ostream& out) {
  std::set<int> flows;
  for (std::uint32_t rank = 0; rank < program.ranks(); ++rank) {
    for (std::uint32_t i = 0; i < program.length(rank); ++i) {
      const Instruction in = program.at(rank, i);
      if (in.op == Op::kFlow) flows.insert(in.hints.flow);
    }
  }
  if (!flows.empty()) out << "merges:\n";
  for (const int flow : flows) {
    std::vector<std::string> merges;
    for (const FlowMerge merge : program.flow_merges(flow)) {
      merges.push_back(fmt::format("[{}, {}]", merge.into, merge.from));
    }
    out << fmt::format("  {}: [{}]\n", flow, fmt::join(merges, ", "));
  }
}

}  // namespace

std::unique_ptr<const Program> parse_weft_program(const std::string& text, const std::string& name) {
  return Reader(name).read(text);
}

std::unique_ptr<const Program> parse_program(const std::string& text, const std::string& name) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) throw InputError(name + ": the file is empty; a program was expected");
  return text[first] == '<' ? parse_msccl_program(text, name) : parse_weft_program(text, name);
}

std::unique_ptr<const Program> load_program(const std::string& path) {
  return parse_program(read_file(path, kMostSideFileBytes), path);
}

void store_program(const Program& program, std::ostream& out) {
  const ProgramShape& shape = program.shape();
  out << "weft_program: " << kFormVersion << "\nkind: " << kind_name(shape.kind) << "\nranks: " << shape.ranks
      << "\nroot: " << shape.root << "\nshare: " << shape.share << "\nscratch: " << shape.scratch
      << "\nin_place: " << (shape.in_place ? "true" : "false") << "\n";
  store_merges(program, out);
  out << "sequences:\n";
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
    const std::uint32_t length = program.length(rank);
    out << "  -  # rank " << rank << (length == 0 ? ": nothing\n    []\n" : "\n");
    for (std::uint32_t i = 0; i < length; ++i) out << "    - " << instruction_line(program.at(rank, i)) << "\n";
  }
}

}  // namespace weft::npu
