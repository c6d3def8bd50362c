// SPDX-License-Identifier: Apache-2.0
// The table memory.csv: what every channel did.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "mem/dram/channel.h"

namespace weft::mem {

/// A line of the table: channel `channel` of the memory called `memory`.
struct MemoryRow {
  std::string memory;
  std::uint32_t channel = 0;
  ChannelFigures figures;
};

/// Names of the columns: memory,channel,reads,...
std::string memory_csv_columns();
/// The table with its line of column names. Latencies are cycles of the memory's clock, empty where nothing was served.
void write_memory_csv(const std::vector<MemoryRow>& rows, std::ostream& out);

}  // namespace weft::mem
