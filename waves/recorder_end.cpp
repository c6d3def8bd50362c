// SPDX-License-Identifier: Apache-2.0
// How a recording ends: the last edges, what the user should know, and what the layout shows at first.
#include <fmt/format.h>

#include <algorithm>

#include "waves/layout.h"
#include "waves/recorder.h"

namespace weft::waves {

void Recorder::finish(Cycle end, std::size_t clock) {
  // The run may have ended later than a file can show, after the last thing that is recorded.
  std::uint64_t last = axis_.edge_shown(clock, end);
  const std::uint64_t run_end = axis_.edge_shown(clock, end == 0 ? 0 : end - 1);
  if (done_) {
    warn_of_window(run_end);
    return;
  }
  for (const Domain& domain : domains_) {
    if (domain.open) last = std::max(last, domain.open_time);
  }
  write_before(last + 1);
  if (done_) {
    warn_of_window(run_end);
    return;
  }
  if (last < from_) {
    warning_ = fmt::format("waves: the window begins at {} ns but the run ended at {} ns; the file holds no change",
                           axis_.ns(from_), axis_.ns(run_end));
  } else if (triggered_ > last) {
    warn_of_trigger(run_end);
  }
  try {
    end_file(std::min(last, to_));
  } catch (const WaveFileFull& full) {
    give_up(full);
  }
}

void Recorder::end_file(std::uint64_t time) {
  done_ = true;
  if (!writer_->begun()) {
    begun_at_ = triggered_ == 0 ? std::min(from_, time) : time;
    writer_->begin(begun_at_);
  }
  writer_->close(time);
  if (last_cycles_ > 0) begun_at_ = std::max(begun_at_, time - std::min(time, axis_.edge_shown(0, last_cycles_)));
  show_end(time);
}

// The window was over before the run, which ended at `last`.
void Recorder::warn_of_window(std::uint64_t last) {
  if (!warning_.empty()) return;
  if (triggered_ > to_) {
    warn_of_trigger(to_);
  } else if (last_cycles_ > 0) {
    warning_ = fmt::format(
        "waves.last_cycles: the file holds the last {} cycles of the window, which ended at {} ns (waves.to), not "
        "those "
        "before the end of the run at {} ns",
        last_cycles_, axis_.ns(to_), axis_.ns(last));
  }
}

void Recorder::warn_of_trigger(std::uint64_t last) {
  const bool queue = trigger_.kind == Trigger::Kind::kQueue;
  warning_ =
      fmt::format("waves: {} until the end at {} ns; the file holds no change",
                  queue ? fmt::format("the queue behind {} was never full", trigger_.name)
                        : fmt::format("no collective '{}'{} began", trigger_.name,
                                      trigger_.group.empty() ? "" : fmt::format(" of group '{}'", trigger_.group)),
                  axis_.ns(last));
}

GtkwView Recorder::close_view(std::uint64_t start) const {
  constexpr Cycle kCyclesShown = 16;  // wide enough to read the packet of a single flit
  constexpr double kPixels = 640;
  return {start, static_cast<double>(axis_.edge(0, kCyclesShown)) / kPixels, marker_};
}

/// What NPUs do is seen in the whole, what links do from near; an instant that is marked in the middle.
void Recorder::show_end(std::uint64_t last) const {
  constexpr double kPixels = 1000;
  GtkwView view = close_view(begun_at_);
  const std::uint64_t half = axis_.edge(0, 12);
  if (marker_) {
    view.start = std::max(begun_at_, *marker_ - std::min(*marker_, half));
  } else if ((question_ == "collective" || question_ == "npu") && last > begun_at_) {
    view.units_per_pixel = static_cast<double>(last - begun_at_) / kPixels;
  }
  set_gtkw_view(layout_file_, view);
  if (!differs_.empty()) show_difference(view);
}

/// Only what the switch has; the file itself says what that is.
void Recorder::show_difference(GtkwView view) const {
  WaveHeader header = open_wave_file(file_)->header();
  auto& signals = header.signals;
  const std::string front = differs_ + ".";
  const auto other = [&front](const WaveSignal& signal) {
    return signal.name.rfind(front, 0) != 0 && signal.name.find(".cycle") == std::string::npos;
  };
  signals.erase(std::remove_if(signals.begin(), signals.end(), other), signals.end());
  if (std::none_of(signals.begin(), signals.end(), [](const WaveSignal& signal) {
        return signal.name.find("." + std::string(kShadowLevel) + ".") != std::string::npos;
      })) {
    return;
  }
  constexpr Cycle kCyclesShown = 24;
  constexpr double kPixels = 1000;
  view.units_per_pixel = static_cast<double>(axis_.edge(0, kCyclesShown)) / kPixels;
  write_layout(std::filesystem::path(file_).replace_extension(".lockstep.gtkw"), file_, "lockstep", header, view);
}

}  // namespace weft::waves
