// SPDX-License-Identifier: Apache-2.0
// The points of a sweep on disk: OUT/points/<key>/ holds a point's results directory and point.json, which is written
// when the point has ended. A sweep that starts again finds there what it need not run again.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/directory_claim.h"
#include "cli/sweep/axis.h"

namespace weft::cli {

/// How one run of a point ended.
struct PointOutcome {
  int status = 0;          ///< exit status of the run, 128 + signal where it was killed
  std::string error;       ///< what it said on standard error, one line
  nlohmann::json summary;  ///< its summary.json; null when there is none
};

/// The points below one output directory.
class PointStore {
 public:
  /// Makes the directory and claims it. Throws InputError when it cannot be written or another process writes there.
  explicit PointStore(const std::filesystem::path& out);
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  const std::filesystem::path& out() const { return claim_.path(); }
  /// Where the point's results lie.
  std::filesystem::path directory(const std::string& key) const { return out() / "points" / key; }
  /// Where the point's run writes its errors.
  std::filesystem::path error_file(const std::string& key) const { return directory(key) / "stderr.txt"; }

  /// The outcome of a point that finished with status 0 earlier; none for all others, which are run again.
  std::optional<PointOutcome> finished(const std::string& key) const;
  /// Makes the point's directory ready for a run; an old outcome in it is forgotten.
  void begin(const std::string& key) const;
  /// Reads what the run left, writes point.json, and returns the outcome. A run that ended with 0 but left no
  /// summary counts as failed with status 1.
  PointOutcome end(const std::string& key, const Point& point, int status) const;
  /// Stores a point that could not be run at all.
  PointOutcome refuse(const std::string& key, const Point& point, int status, const std::string& error) const;

 private:
  PointOutcome store(const std::string& key, const Point& point, PointOutcome outcome) const;

  DirectoryClaim claim_;
};

/// 16 hexadecimal digits that name `text`: FNV-1a, 64 bits.
std::string key_of(const std::string& text);

}  // namespace weft::cli
