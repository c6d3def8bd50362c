// SPDX-License-Identifier: Apache-2.0
// Keys of the log that a run keeps.
#include "config/key_builders.h"

namespace weft {

void add_log_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(word_key(
      "log.level", log_level_names(), "ranks",
      "What log.sqlite and timeline.json keep of traces and collectives: nothing, what each rank did, also messages of "
      "collectives step by step and the critical path, also every packet. Of synthetic traffic: every packet, with "
      "packets "
      "only.",
      [](auto& c) -> auto& { return c.log.level; }));
  keys.push_back(integer_key(
      "log.windows", 0, 10'000, "128",
      "Windows of time in which the flits of each link are counted (link_windows.csv): at most so many of equal "
      "length, "
      "fewer in big fabrics; 0 = none. Results do not depend on it.",
      [](auto& c) -> auto& { return c.log.windows; }));
}

}  // namespace weft
