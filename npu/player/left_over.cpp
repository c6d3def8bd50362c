// SPDX-License-Identifier: Apache-2.0
#include "npu/player/left_over.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"
#include "base/position_of.h"
#include "npu/collective/form/shape.h"
#include "npu/player/node_rules.h"
#include "npu/player/npu_array.h"
#include "npu/trace/trace_files.h"
#include "npu/trace/trace_reader.h"

namespace weft::npu {
namespace {

constexpr std::size_t kSendsShown = 4;

/// Receiver, tag and bytes of a rank's sends, and their names.
using SendKey = std::tuple<RankId, std::uint64_t, std::uint64_t>;
using Sends = std::map<SendKey, std::vector<std::string>>;

Sends sends_of(RankId rank, const std::string& file, const GroupTable& groups) {
  Sends sends;
  const NodeRules rules(rank, groups);
  const auto reader = open_trace(file);
  while (const auto record = reader->next()) {
    const TraceNode& node = record->node;
    if (node.type != TraceNodeType::kSend) continue;
    sends[{rules.receiver_of(node), node.tag, node.comm_bytes}].push_back(
        fmt::format("'{}' (node {})", node.name, node.id));
  }
  return sends;
}

constexpr std::size_t kRanksShown = 16;

std::string first_of(const std::vector<std::uint32_t>& ranks) {
  const auto shown = static_cast<std::ptrdiff_t>(std::min(ranks.size(), kRanksShown));
  std::string text = fmt::format("{}", fmt::join(ranks.begin(), ranks.begin() + shown, ", "));
  if (ranks.size() > kRanksShown) text += fmt::format(" and {} more", ranks.size() - kRanksShown);
  return text;
}

/// Receives take messages of one kind in their order, so the last ones are left.
std::string last_of(const std::vector<std::string>& sends, std::uint64_t count) {
  const std::size_t all = std::min<std::size_t>(count, sends.size());
  const std::size_t shown = std::min(all, kSendsShown);
  const auto first = sends.end() - static_cast<std::ptrdiff_t>(all);
  std::string text = fmt::format("{}", fmt::join(first, first + static_cast<std::ptrdiff_t>(shown), ", "));
  if (all > shown) text += fmt::format(" and {} more", all - shown);
  return text;
}

}  // namespace

std::vector<std::string> describe_unreceived(const TraceWorkload& trace, const GroupTable& groups,
                                             const std::vector<UnreceivedMessages>& messages) {
  const std::vector<std::string> files = find_trace_files(trace.chakra);
  std::map<RankId, Sends> read;
  std::vector<std::string> sentences;
  for (const UnreceivedMessages& each : messages) {
    const auto [sends, fresh] = read.try_emplace(each.from);
    if (fresh) sends->second = sends_of(each.from, files.at(index(each.from)), groups);
    sentences.push_back(
        fmt::format("rank {} never receives {} of {} bytes from rank {}, tag {}: sent by {}", index(each.to),
                    each.count == 1 ? "a message" : fmt::format("{} messages", each.count), each.bytes,
                    index(each.from), each.tag, last_of(sends->second[{each.to, each.tag, each.bytes}], each.count)));
  }
  return sentences;
}

// A collective in which nothing is sent ends at once, and one whose data is only sent may end without the others.
std::string NpuArray::describe(const HalfDoneCollective& collective) const {
  const ProcessGroup& group = *groups_->by_number().at(collective.key.group);
  std::vector<std::uint32_t> issued;
  std::vector<std::uint32_t> missing;
  for (const RankId rank : group.members) {
    const std::vector<RankCollective>& records = npus_.at(index(rank))->statistics().collectives;
    const bool found = std::any_of(records.begin(), records.end(), [&](const RankCollective& record) {
      return record.group == collective.key.group && record.signature == collective.key.signature &&
             record.instance == collective.key.instance;
    });
    (found ? issued : missing).push_back(index(rank));
  }
  const CollectiveSummary& summary = collective.summary;
  return fmt::format("collective '{}' ({} {} of {}, {} bytes): issued by rank{} {}, never by rank{} {}", summary.name,
                     kind_name(summary.kind), collective.key.instance,
                     group.number == 0 ? "all ranks" : fmt::format("group {}", group.name), summary.bytes,
                     issued.size() == 1 ? "" : "s", first_of(issued), missing.size() == 1 ? "" : "s",
                     first_of(missing));
}

std::vector<std::string> NpuArray::left_over(std::size_t most) const {
  const std::vector<HalfDoneCollective> collectives = merged_collectives().half_done();
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < std::min(most, collectives.size()); ++i) lines.push_back(describe(collectives[i]));
  std::vector<UnreceivedMessages> messages;
  std::size_t left = 0;
  for (const auto& npu : npus_) {
    for (const auto& [key, count] : npu->unreceived()) {
      ++left;
      if (lines.size() + messages.size() >= most) continue;
      const auto sender = position_of(config_.npu.placement, key.src);
      WEFT_CHECK(sender.has_value(), "a message comes from a node without a rank");
      messages.push_back({RankId{static_cast<std::uint32_t>(*sender)}, npu->rank(), key.tag, key.bytes, count});
    }
  }
  if (!messages.empty()) {
    for (std::string& line : describe_unreceived(std::get<TraceWorkload>(config_.workload), *groups_, messages))
      lines.push_back(std::move(line));
  }
  const std::size_t all = collectives.size() + left;
  if (all > lines.size()) lines.push_back(fmt::format("and {} more", all - lines.size()));
  if (!lines.empty()) return lines;
  for (const auto& npu : npus_) {
    const std::string unasked = npu->unasked_data();
    if (!unasked.empty()) lines.push_back(fmt::format("rank {}: {}", index(npu->rank()), unasked));
  }
  return lines;
}

}  // namespace weft::npu
