// SPDX-License-Identifier: Apache-2.0
#include "config/plane_rate.h"

#include <fmt/format.h>

#include "base/counted.h"
#include "base/error.h"
#include "base/rational_math.h"
#include "base/units.h"

namespace weft {

Rational rate_in_plane(const Config& c, Rational bandwidth, int links, const std::string& what) {
  const Rational total = flits_per_cycle(bandwidth, c.fabric.flit_bytes, c.clock.hertz);
  const auto parts = static_cast<std::uint64_t>(links) * static_cast<std::uint64_t>(c.fabric.fred.planes);
  const auto rate = checked_divide(total, Rational{parts, 1});
  constexpr std::uint64_t kMostRatePart = std::uint64_t{1} << 40;
  if (!rate || rate->num > kMostRatePart || rate->den > kMostRatePart)
    throw InputError(
        "is a fraction of the flits of a cycle that is too fine to be kept exactly; round the bandwidth, "
        "clock or flit_bytes");
  if (Rational{1, 1} < *rate) throw InputError(too_wide_text(c, bandwidth, links, what));
  return *rate;
}

std::string bandwidth_in_all_planes(const Config& c, Rational rate, int links) {
  const auto parts = static_cast<std::uint64_t>(links) * static_cast<std::uint64_t>(c.fabric.fred.planes);
  const auto total = checked_multiply(rate, Rational{parts, 1});
  if (!total) throw InputError("the bandwidth of these links in bytes per second does not fit 64 bits");
  return format_quantity(bandwidth_of(*total, c.fabric.flit_bytes, c.clock.hertz), Dimension::kBandwidth);
}

std::string too_wide_text(const Config& config, Rational bandwidth, int links, const std::string& what) {
  const auto show = [](Rational amount) { return format_quantity(amount, Dimension::kBandwidth); };
  const auto planes = static_cast<std::uint64_t>(config.fabric.fred.planes);
  const auto count = static_cast<std::uint64_t>(links);
  const Rational line = bandwidth_of(Rational{1, 1}, config.fabric.flit_bytes, config.clock.hertz);
  const auto each = checked_divide(bandwidth, Rational{planes * count, 1});
  const auto most = checked_multiply(line, Rational{planes * count, 1});
  const auto lines = checked_divide(bandwidth, line);
  if (!each || !most || !lines)
    return fmt::format("{} is more than {} x {} planes carry with a flit per cycle each", show(bandwidth), links,
                       planes);
  const std::uint64_t needed = round_up(*lines);  // links x planes that would do
  const std::uint64_t more_planes = (needed + count - 1) / count;
  std::string legal = fmt::format("at most {}", show(*most));
  if (more_planes <= kMostPlanes) legal += fmt::format(", or at least {} planes", more_planes);
  if (what == "uplinks") legal += fmt::format(", or at least {} uplinks", (needed + planes - 1) / planes);
  return fmt::format("{} over {}{} is {} each; one carries at most flit_bytes x clock = {}; legal: {}", show(bandwidth),
                     what == "uplinks" ? fmt::format("{} uplinks x ", links) : "", counted(planes, "plane"),
                     show(*each), show(line), legal);
}

}  // namespace weft
