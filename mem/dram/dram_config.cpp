// SPDX-License-Identifier: Apache-2.0
#include "mem/dram/dram_config.h"

#include <string>

#include "mem/dram/timing_file.h"

namespace weft::mem {

DramTiming timing_of(const MemorySpec& memory) {
  const bool is_file = memory.timing.find('/') != std::string::npos || memory.timing.find(".yaml") != std::string::npos;
  return is_file ? read_timing_file(memory.timing) : named_timing(memory.timing);
}

DramOptions options_of(const MemorySpec& memory) {
  DramOptions options;
  options.scheduler = memory.scheduler;
  options.mapping = memory.mapping;
  options.channel.queue_depth = static_cast<std::size_t>(memory.queue_depth);
  options.channel.age_limit = memory.age_limit;
  return options;
}

}  // namespace weft::mem
