// SPDX-License-Identifier: Apache-2.0
// Tables and views of log.sqlite. docs/log.md explains them.
#pragma once

namespace weft::log {

/// Goes up when a table or view changes its meaning.
inline constexpr int kLogVersion = 2;

/// SQL that makes the tables.
extern const char* const kLogTables;
/// SQL that makes indices and views, once the tables are full.
extern const char* const kLogViews;

}  // namespace weft::log
