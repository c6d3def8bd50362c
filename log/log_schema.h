// SPDX-License-Identifier: Apache-2.0
// Tables and views of log.sqlite. docs/log.md explains them.
#pragma once

#include <string>

namespace weft::log {

/// Goes up when a table or view changes its meaning.
inline constexpr int kLogVersion = 2;

/// SQL that makes the tables.
std::string log_tables();
/// SQL that makes indices and views, once the tables are full.
std::string log_views();

}  // namespace weft::log
