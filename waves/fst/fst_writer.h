// SPDX-License-Identifier: Apache-2.0
// FST, GTKWave's own compressed format, with names for the values of enums.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "waves/wave_writer.h"

namespace weft::waves {

/// Writes an FST file with GTKWave's fstapi. Until it is closed, the names lie in `<path>.hier` beside it: readers take
/// both, and what is missing after a kill is what came after the last flush, which happens after so many changes.
class FstWriter final : public WaveWriter {
 public:
  FstWriter(const std::filesystem::path& path, TimeUnit unit);
  ~FstWriter() override;

  void open_scope(const std::string& name) override;
  void close_scope() override;
  void comment(const std::string& text) override;
  void flush() override;
  void close(std::uint64_t time) override;

 private:
  void declare(WaveVar var, const WaveVariable& variable) override;
  void write_begin(std::uint64_t time) override;
  void write_value(WaveVar var, const WaveVariable& variable) override;
  void emit(std::uint32_t handle, const WaveVariable& variable);
  void move_to(std::uint64_t time);
  /// Throws WaveFileFull once a write has failed.
  void check();

  std::filesystem::path path_;
  TimeUnit unit_;
  void* file_ = nullptr;
  int error_ = 0;  ///< errno of the write that failed
  std::vector<std::uint32_t> handles_;
  std::map<std::vector<std::string>, std::uint32_t> tables_;  ///< handles of enums, by the names of their values
  int open_scopes_ = 0;
  std::uint64_t written_time_ = 0;
  std::uint64_t flushed_time_ = 0;
  std::uint64_t changes_ = 0;  ///< since the last flush
};

}  // namespace weft::waves
