// SPDX-License-Identifier: Apache-2.0
// Keys of the log that a run keeps.
#include "kernel/config_key_builders.h"

namespace weft {

void add_log_keys(std::vector<ConfigKey>& keys) {
  keys.push_back(word_key(
      "log.level", log_level_names(), "ranks",
      "What log.sqlite and timeline.json keep of traces and collectives: nothing, what each rank did, also messages of "
      "collectives step by step and the critical path, also every packet.",
      [](auto& c) -> auto& { return c.log.level; }));
}

}  // namespace weft
