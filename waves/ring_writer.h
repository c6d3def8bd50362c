// SPDX-License-Identifier: Apache-2.0
// Keeps the last part of a recording in memory and writes it when the recording ends.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "waves/wave_writer.h"

namespace weft::waves {

/// A writer before another one: holds back all changes and gives those of the last `span` units of time to `file` when
/// it is closed, whatever the reason. What came before them shows in the file's first values. Memory: 40 bytes for a
/// change, and its text.
class RingWriter final : public WaveWriter {
 public:
  RingWriter(std::unique_ptr<WaveWriter> file, std::uint64_t span) : file_(std::move(file)), span_(span) {}

  void open_scope(const std::string& name) override { file_->open_scope(name); }
  void close_scope() override { file_->close_scope(); }
  void comment(const std::string& text) override { file_->comment(text); }
  /// Nothing is in the file before `close`.
  void flush() override {}
  void close(std::uint64_t time) override;

 private:
  struct Change {
    std::uint64_t time = 0;
    std::uint64_t number = 0;
    std::uint32_t var = 0;
    bool known = true;
    std::unique_ptr<std::string> text;  ///< value of a text, or of a wide wire
  };

  void declare(WaveVar var, const WaveVariable& variable) override;
  void write_begin(std::uint64_t time) override;
  void write_value(WaveVar var, const WaveVariable& variable) override;
  void remember(WaveVar var, const WaveVariable& variable);
  void give(const Change& change);
  /// Gives away what happened at `time` and before.
  void forget(std::uint64_t time);

  std::unique_ptr<WaveWriter> file_;
  std::uint64_t span_;
  std::uint64_t begin_ = 0;
  std::deque<Change> changes_;
};

}  // namespace weft::waves
