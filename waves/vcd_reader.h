// SPDX-License-Identifier: Apache-2.0
// Reads value change dumps: our own, Verilator's, and those of GTKWave's converters.
#pragma once

#include <fstream>
#include <string>
#include <unordered_map>
#include <vector>

#include "waves/wave_reader.h"

namespace weft::waves {

/// Takes one command or change per line, as all these tools write them.
class VcdReader final : public WaveReader {
 public:
  /// Reads the declarations. Throws InputError, with the line, for what cannot be understood.
  explicit VcdReader(const std::filesystem::path& path);

  std::uint64_t read(const ValueVisitor& visit) override;
  /// Whether the file ends with our mark; other programs write none.
  bool complete() const override { return complete_; }
  /// After `read`: the bytes before the last instant.
  std::uint64_t whole_bytes() const { return whole_bytes_; }

 private:
  [[noreturn]] void fail(const std::string& what) const;
  bool next_line(std::string& line);
  bool header_line(const std::string& line);
  void declare(const std::vector<std::string>& words);
  void note_comment(const std::string& text);
  bool change(const std::string& line, std::uint64_t now, const ValueVisitor& visit);
  bool is_signal(const std::string& identifier) const { return signals_of_.count(identifier) != 0; }

  std::filesystem::path path_;
  std::ifstream in_;
  bool complete_;
  std::uint64_t line_ = 0;
  std::uint64_t bytes_ = 0;  ///< bytes in the lines read
  std::uint64_t first_change_line_ = 0;
  std::uint64_t first_change_byte_ = 0;
  std::uint64_t whole_bytes_ = 0;
  std::vector<std::string> scopes_;
  std::vector<std::string> enum_names_;  ///< value names of the enum that comes
  std::unordered_map<std::string, std::vector<std::size_t>> signals_of_;
};

/// The text of a string variable's value, its escapes undone.
std::string vcd_unescaped(std::string_view text);

}  // namespace weft::waves
