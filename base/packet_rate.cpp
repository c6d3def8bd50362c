// SPDX-License-Identifier: Apache-2.0
#include "base/packet_rate.h"

#include <deque>
#include <mutex>

namespace weft {

const PacketRateSpec& lasting_rate(const PacketRateSpec& spec) {
  static std::mutex mutex;
  static std::deque<PacketRateSpec> specs;  // few: links of a fabric are of few kinds
  const std::lock_guard<std::mutex> lock(mutex);
  for (const PacketRateSpec& known : specs) {
    if (known.flits_per_cycle.num == spec.flits_per_cycle.num &&
        known.flits_per_cycle.den == spec.flits_per_cycle.den && known.flit_bytes == spec.flit_bytes &&
        known.header_bytes == spec.header_bytes) {
      return known;
    }
  }
  return specs.emplace_back(spec);
}

}  // namespace weft
