// SPDX-License-Identifier: Apache-2.0
#include "network/network.h"

#include <fmt/format.h>

namespace weft::network {

std::string npu_name(std::size_t number) { return fmt::format("npu[{}]", number); }
std::string io_name(std::size_t number) { return fmt::format("io[{}]", number); }

}  // namespace weft::network
