// SPDX-License-Identifier: Apache-2.0
// Checks the command log of a channel against every time of its DRAM, by looking back at the commands before.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "mem/dram/command.h"
#include "mem/dram/timing.h"

namespace weft::mem {

/// Knows nothing of schedulers or of ChannelState: each new command is compared with all earlier ones that can still
/// matter, pair by pair. Remembers each violation as a sentence that begins with the name of the time or rule.
class CommandChecker final : public CommandObserver {
 public:
  explicit CommandChecker(const DramTiming& timing) : timing_(timing), open_row_(timing.banks(), kClosed) {}

  void command(const DramCommand& command) override;

  const std::vector<std::string>& findings() const { return findings_; }
  std::uint64_t commands() const { return commands_; }

 private:
  static constexpr std::uint64_t kClosed = ~std::uint64_t{0};

  struct Rule {
    const char* name;
    Cycle distance;
  };

  std::uint32_t group(const DramCommand& command) const { return command.bank / timing_.banks_per_group; }
  void check_pair(const DramCommand& before, const DramCommand& now);
  void check_activate(const DramCommand& before, const DramCommand& now);
  void check_column(const DramCommand& before, const DramCommand& now);
  void check_precharge(const DramCommand& before, const DramCommand& now);
  void check_refresh(const DramCommand& before, const DramCommand& now);
  void check_window(const DramCommand& now);
  void check_state(const DramCommand& now);
  void check_bus(const DramCommand& before, const DramCommand& now);
  void need(const DramCommand& before, const DramCommand& now, Rule rule);
  void fail(const char* rule, const DramCommand& now, const std::string& sentence);

  const DramTiming timing_;
  std::vector<std::uint64_t> open_row_;
  std::deque<DramCommand> past_;
  Cycle last_refresh_ = 0;
  std::uint64_t commands_ = 0;
  std::vector<std::string> findings_;
};

}  // namespace weft::mem
