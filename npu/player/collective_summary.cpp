// SPDX-License-Identifier: Apache-2.0
#include "npu/player/collective_summary.h"

#include <algorithm>
#include <utility>

namespace weft::npu {

void CollectiveMerger::add(const RankCollective& record, bool finished) {
  const auto [found, fresh] = rows_.try_emplace({record.group, record.signature, record.instance});
  Row& row = found->second;
  CollectiveSummary& summary = row.summary;
  if (fresh) {
    row.order = rows_.size();
    summary.kind = record.kind;
    summary.algorithm = record.algorithm;
    summary.group = record.group == 0 ? "all" : record.group_name;
    summary.members = record.group_size;
    summary.bytes = record.bytes;
  }
  if (fresh || record.start_cycle < summary.start_cycle) {
    summary.name = record.name;
    summary.start_cycle = record.start_cycle;
  }
  if (!finished) return;
  ++row.done;
  summary.end_cycle = std::max(summary.end_cycle, record.end_cycle);
}

std::vector<HalfDoneCollective> CollectiveMerger::half_done() const {
  std::vector<HalfDoneCollective> list;
  for (const auto& [key, row] : rows_) {
    if (row.done < row.summary.members) list.push_back({key, row.summary});
  }
  return list;
}

std::vector<CollectiveSummary> CollectiveMerger::rows(Cycle now) const {
  std::vector<const Row*> sorted;
  for (const auto& [key, row] : rows_) sorted.push_back(&row);
  std::sort(sorted.begin(), sorted.end(), [](const Row* a, const Row* b) {
    return std::make_pair(a->summary.start_cycle, a->order) < std::make_pair(b->summary.start_cycle, b->order);
  });
  std::vector<CollectiveSummary> list;
  for (const Row* row : sorted) {
    list.push_back(row->summary);
    list.back().finished = row->done == row->summary.members;
    if (!list.back().finished) list.back().end_cycle = now;
  }
  return list;
}

}  // namespace weft::npu
