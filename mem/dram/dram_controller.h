// SPDX-License-Identifier: Apache-2.0
// The channels of one DRAM behind a port.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mem/controller.h"
#include "mem/dram/channel.h"
#include "mem/dram/mapping/mapping.h"
#include "mem/dram/scheduler/scheduler.h"

namespace weft::mem {

struct DramOptions {
  ChannelOptions channel;
  std::string scheduler = "fr_fcfs";
  std::string mapping = "row_bank_column_group";
};

/// Deals requests to the channels. Its cycles are those of the timing's clock: step it in a clock domain of that
/// frequency.
class DramController final : public Controller, public Channel::Owner {
 public:
  /// Throws InputError for an unknown scheduler or mapping, a queue depth outside 1..64, and an interleave that is no
  /// power of two or smaller than a burst.
  DramController(const DramTiming& timing, const DramOptions& options);

  void take(Request& request, Cycle at) override;
  void advance(Cycle now) override;
  Cycle deadline() const override;
  Cycle lookahead() const override;
  std::uint64_t size() const override { return timing_.bytes(); }
  void count_refused(const Request& request) override;
  void part_served(Request& request, Cycle at) override;

  const DramTiming& timing() const { return timing_; }
  std::uint32_t channels() const { return static_cast<std::uint32_t>(channels_.size()); }
  /// Figures of a channel up to the last edge advanced to.
  ChannelFigures figures(std::uint32_t channel);
  /// Hash of all state that influences what comes, relative to `now`, to which all channels are advanced. When they
  /// were looked at before is not in it.
  std::uint64_t state_hash(Cycle now);
  void set_observer(std::uint32_t channel, CommandObserver* observer) { channels_[channel]->set_observer(observer); }

 private:
  void take_part(std::uint32_t channel, Request& request, Cycle at);
  std::uint32_t channel_of(std::uint64_t granule) const;

  const DramTiming timing_;
  std::unique_ptr<Mapping> mapping_;
  std::unique_ptr<Scheduler> scheduler_;
  std::vector<std::unique_ptr<Channel>> channels_;
  std::vector<std::uint32_t> busy_;  // channels with work; the others are looked at when they get some
  std::vector<bool> is_busy_;
  const unsigned granule_shift_;
  Cycle now_ = 0;
};

}  // namespace weft::mem
