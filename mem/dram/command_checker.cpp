// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/command_checker.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::mem {
namespace {

bool is_column(const DramCommand& command) {
  return command.kind == CommandKind::kRead || command.kind == CommandKind::kWrite;
}

std::string text(const DramCommand& command) {
  return fmt::format("{} of bank {} at {}", command_name(command.kind), command.bank, command.at);
}

}  // namespace

void CommandChecker::fail(const char* rule, const DramCommand& now, const std::string& sentence) {
  findings_.push_back(fmt::format("{}: {} {}", rule, text(now), sentence));
}

void CommandChecker::need(const DramCommand& before, const DramCommand& now, Rule rule) {
  if (now.at < before.at + rule.distance)
    fail(rule.name, now,
         fmt::format("comes {} cycles after {}; {} needed", now.at - before.at, text(before), rule.distance));
}

void CommandChecker::command(const DramCommand& command) {
  ++commands_;
  if (!past_.empty() && command.at < past_.back().at) fail("order", command, "is earlier than the command before");
  for (const DramCommand& before : past_) check_pair(before, command);
  check_window(command);
  check_state(command);
  past_.push_back(command);
  const Cycle reach = std::max({timing_.t_rfc, timing_.t_faw, timing_.t_rc,
                                timing_.t_cwl + timing_.t_bl + timing_.t_wr + timing_.t_wtr_l, timing_.t_rtw,
                                timing_.t_ccd_l_wr, timing_.t_cl + timing_.t_bl});
  while (!past_.empty() && past_.front().at + reach < command.at) past_.pop_front();
}

void CommandChecker::check_pair(const DramCommand& before, const DramCommand& now) {
  check_bus(before, now);
  switch (now.kind) {
    case CommandKind::kActivate:
      return check_activate(before, now);
    case CommandKind::kRead:
    case CommandKind::kWrite:
      return check_column(before, now);
    case CommandKind::kPrecharge:
    case CommandKind::kPrechargeAll:
      return check_precharge(before, now);
    case CommandKind::kRefresh:
      return check_refresh(before, now);
  }
}

void CommandChecker::check_bus(const DramCommand& before, const DramCommand& now) {
  if (before.at == now.at && (timing_.command_buses == 1 || is_column(before) == is_column(now)))
    fail("bus", now, fmt::format("shares its cycle with {}", text(before)));
}

void CommandChecker::check_activate(const DramCommand& before, const DramCommand& now) {
  const bool same_bank = before.bank == now.bank;
  if (before.kind == CommandKind::kRefresh) need(before, now, {"tRFC", timing_.t_rfc});
  if (before.kind == CommandKind::kPrechargeAll) need(before, now, {"tRP", timing_.t_rp});
  if (before.kind == CommandKind::kPrecharge && same_bank) need(before, now, {"tRP", timing_.t_rp});
  if (before.kind != CommandKind::kActivate) return;
  if (same_bank) need(before, now, {"tRC", timing_.t_rc});
  if (group(before) == group(now)) need(before, now, {"tRRD_L", timing_.t_rrd_l});
  need(before, now, {"tRRD_S", timing_.t_rrd_s});
}

void CommandChecker::check_column(const DramCommand& before, const DramCommand& now) {
  if (before.kind == CommandKind::kActivate && before.bank == now.bank) need(before, now, {"tRCD", timing_.t_rcd});
  if (!is_column(before)) return;
  const bool same_group = group(before) == group(now);
  const bool was_write = before.kind == CommandKind::kWrite;
  const bool is_write = now.kind == CommandKind::kWrite;
  if (was_write == is_write) {
    need(before, now, {"tCCD_S", timing_.t_ccd_s});
    if (same_group && is_write) need(before, now, {"tCCD_L_WR", timing_.t_ccd_l_wr});
    if (same_group && !is_write) need(before, now, {"tCCD_L", timing_.t_ccd_l});
  } else if (is_write) {
    need(before, now, {"tRTW", timing_.t_rtw});
  } else {
    const Cycle data_end = timing_.t_cwl + timing_.t_bl;
    need(before, now, {"tWTR_S", data_end + timing_.t_wtr_s});
    if (same_group) need(before, now, {"tWTR_L", data_end + timing_.t_wtr_l});
  }
  // The data themselves: a burst must have left the bus when the next one comes.
  const Cycle earlier = before.at + (was_write ? timing_.t_cwl : timing_.t_cl) + timing_.t_bl;
  const Cycle later = now.at + (is_write ? timing_.t_cwl : timing_.t_cl);
  if (later < earlier)
    fail("data_bus", now, fmt::format("has its data on the bus before those of {} are through", text(before)));
}

void CommandChecker::check_precharge(const DramCommand& before, const DramCommand& now) {
  if (now.kind == CommandKind::kPrecharge && before.bank != now.bank) return;
  if (before.kind == CommandKind::kActivate) need(before, now, {"tRAS", timing_.t_ras});
  if (before.kind == CommandKind::kRead) need(before, now, {"tRTP", timing_.t_rtp});
  if (before.kind == CommandKind::kWrite) need(before, now, {"tWR", timing_.t_cwl + timing_.t_bl + timing_.t_wr});
}

void CommandChecker::check_refresh(const DramCommand& before, const DramCommand& now) {
  const bool closes = before.kind == CommandKind::kPrecharge || before.kind == CommandKind::kPrechargeAll;
  if (closes) need(before, now, {"tRP", timing_.t_rp});
  if (before.kind == CommandKind::kActivate) need(before, now, {"tRC", timing_.t_rc});
  if (before.kind == CommandKind::kRefresh) need(before, now, {"tRFC", timing_.t_rfc});
}

void CommandChecker::check_window(const DramCommand& now) {
  if (now.kind != CommandKind::kActivate) return;
  int seen = 0;
  for (auto before = past_.rbegin(); before != past_.rend(); ++before) {
    if (before->kind != CommandKind::kActivate || ++seen < 4) continue;
    need(*before, now, {"tFAW", timing_.t_faw});
    return;
  }
}

void CommandChecker::check_state(const DramCommand& now) {
  if (now.kind == CommandKind::kPrechargeAll) {
    std::fill(open_row_.begin(), open_row_.end(), kClosed);
    return;
  }
  if (now.kind == CommandKind::kRefresh) {
    if (std::any_of(open_row_.begin(), open_row_.end(), [](std::uint64_t row) { return row != kClosed; }))
      fail("open", now, "while a bank is open");
    // Each is due at a multiple of tREFI and may wait only for the banks to close.
    const Cycle due = (last_refresh_ / timing_.t_refi + 1) * timing_.t_refi;
    if (now.at < due || now.at >= due + timing_.t_refi) fail("tREFI", now, fmt::format("was due at {}", due));
    last_refresh_ = now.at;
    return;
  }
  std::uint64_t& row = open_row_[now.bank];
  if (now.kind == CommandKind::kActivate) {
    if (row != kClosed) fail("open", now, "while the bank is open");
    row = now.row;
  } else if (now.kind == CommandKind::kPrecharge) {
    row = kClosed;
  } else if (row != now.row) {
    fail("row", now, fmt::format("of row {} while row {} is open", now.row, row));
  }
  const Cycle due = (last_refresh_ / timing_.t_refi + 1) * timing_.t_refi;
  if (now.at >= due && now.kind != CommandKind::kPrecharge)
    fail("tREFI", now, fmt::format("while a refresh is due since {}", due));
}

}  // namespace weft::mem
