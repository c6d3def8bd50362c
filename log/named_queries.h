// SPDX-License-Identifier: Apache-2.0
// Questions that are asked often, as SQL on log.sqlite.
#pragma once

#include <string_view>
#include <vector>

#include "config/config.h"

namespace weft::log {

struct NamedQuery {
  std::string_view name;
  std::string_view question;
  LogLevel needs = LogLevel::kRanks;  ///< the log has the answer from this level on
  const char* sql = "";
};

const std::vector<NamedQuery>& named_queries();
/// Null if there is none of this name.
const NamedQuery* find_query(std::string_view name);

}  // namespace weft::log
