// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/dram_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/state_hash.h"

namespace weft::mem {
namespace {

const ChannelOptions& checked(const DramTiming& timing, const ChannelOptions& options) {
  if (options.queue_depth == 0 || options.queue_depth > 64)
    throw InputError(fmt::format("queue depth: {}; from 1 to 64", options.queue_depth));
  const std::uint64_t interleave = options.interleave_bytes;
  if (interleave == 0 || (interleave & (interleave - 1)) != 0)
    throw InputError(fmt::format("interleave: {} bytes; a power of two", interleave));
  if (interleave < timing.burst_bytes || interleave > timing.channel_bytes())
    throw InputError(fmt::format("interleave: {} bytes; from a burst, {} bytes, to a channel, {}", interleave,
                                 timing.burst_bytes, timing.channel_bytes()));
  return options;
}

}  // namespace

DramController::DramController(const DramTiming& timing, const DramOptions& options)
    : timing_(timing),
      mapping_(make_mapping(options.mapping, timing)),
      scheduler_(make_scheduler(options.scheduler, options.channel.age_limit)),
      is_busy_(timing.channels, false),
      granule_shift_(static_cast<unsigned>(__builtin_ctzll(checked(timing, options.channel).interleave_bytes))) {
  for (std::uint32_t i = 0; i < timing.channels; ++i)
    channels_.push_back(std::make_unique<Channel>(i, timing_, options.channel, *mapping_, *scheduler_, *this));
}

std::uint32_t DramController::channel_of(std::uint64_t granule) const {
  return static_cast<std::uint32_t>(granule % timing_.channels) ^ mapping_->channel_mask(granule / timing_.channels);
}

void DramController::take(Request& request, Cycle at) {
  request.last_part = 0;
  request.open_parts = 1;
  const std::uint64_t first = request.physical >> granule_shift_;
  const std::uint64_t last = (request.physical + request.bytes - 1) >> granule_shift_;
  if (first == last) {
    take_part(channel_of(first), request, at);
    return;
  }
  for (std::uint32_t i = 0; i < channels(); ++i) {
    if (!channels_[i]->concerns(request)) continue;
    ++request.open_parts;
    take_part(i, request, at);
  }
  --request.open_parts;  // held while the parts were dealt
}

void DramController::take_part(std::uint32_t channel, Request& request, Cycle at) {
  channels_[channel]->take(request, at);
  if (is_busy_[channel]) return;
  is_busy_[channel] = true;
  busy_.push_back(channel);
}

void DramController::advance(Cycle now) {
  now_ = now;
  std::size_t kept = 0;
  for (const std::uint32_t number : busy_) {
    channels_[number]->advance(now);
    is_busy_[number] = channels_[number]->is_busy();
    if (is_busy_[number]) busy_[kept++] = number;
  }
  busy_.resize(kept);
}

Cycle DramController::deadline() const {
  Cycle first = kNever;
  for (const std::uint32_t number : busy_) first = std::min(first, channels_[number]->earliest_served());
  return first;
}

ChannelFigures DramController::figures(std::uint32_t channel) {
  channels_[channel]->advance(now_);
  return channels_[channel]->figures();
}

std::uint64_t DramController::state_hash(Cycle now) {
  advance(now);
  StateHash hash;
  for (const auto& channel : channels_) {
    channel->advance(now);
    hash.add(channel->state_hash(now));
  }
  return hash.value();
}

Cycle DramController::lookahead() const { return std::min(timing_.t_cl, timing_.t_cwl) + timing_.t_bl; }

void DramController::part_served(Request& request, Cycle at) {
  request.last_part = std::max(request.last_part, at);
  if (--request.open_parts == 0) request.owner->served(request, request.last_part);
}

void DramController::count_refused(const Request& request) {
  channels_[channel_of((request.address % size()) >> granule_shift_)]->count_refused();
}

}  // namespace weft::mem
