// SPDX-License-Identifier: Apache-2.0
// Value change dump (IEEE 1364-2005, clause 18) with the `string` variables that GTKWave reads.
#pragma once

#include <string>
#include <string_view>

#include "waves/line_file.h"
#include "waves/wave_writer.h"

namespace weft::waves {

/// Streams a VCD file. Strings are `sTEXT id`; blanks, backslashes and bytes outside ASCII are written as `\ooo`, which
/// GTKWave and vcd2fst turn back. The names of an enum's values stand in a comment before it: `enum mp pp dp`. The file
/// is whole lines at any moment.
class VcdWriter : public WaveWriter {
 public:
  VcdWriter(const std::filesystem::path& path, TimeUnit unit);

  void open_scope(const std::string& name) override;
  void close_scope() override;
  void comment(const std::string& text) override;
  void flush() override;
  void close(std::uint64_t time) override;

 private:
  void declare(WaveVar var, const WaveVariable& variable) override;
  void write_begin(std::uint64_t time) override;
  void write_value(WaveVar var, const WaveVariable& variable) override;
  /// Appends the change without its time.
  void append_value(WaveVar var, const WaveVariable& variable);
  void append_time(std::uint64_t time);

  LineFile file_;
  int open_scopes_ = 0;
  std::uint64_t written_time_ = 0;
};

/// The last line of a file that was ended as it should.
inline constexpr const char* kVcdEnd = "$comment complete $end\n";

/// Short name of the n-th variable: 94 printable characters, the least significant first; readers that index by this
/// order need no hash table.
std::string vcd_identifier(std::uint32_t n);
/// `text` as it stands in a value line.
std::string vcd_escaped(std::string_view text);

}  // namespace weft::waves
