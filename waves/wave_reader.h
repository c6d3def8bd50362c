// SPDX-License-Identifier: Apache-2.0
// Reads wave files back, whatever their format: signals with their full names, then all changes in order of time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "waves/wave_writer.h"

namespace weft::waves {

/// A signal of a file.
struct WaveSignal {
  std::string name;  ///< scopes and name with dots, as GTKWave calls it but without the `[msb:0]` of wider wires
  WaveKind kind = WaveKind::kWire;
  int bits = 1;
  int lowest_bit = 0;              ///< the right number of its range
  bool ranged = false;             ///< GTKWave's name ends in `[msb:lsb]`
  std::vector<std::string> names;  ///< names of an enum's values, by value

  /// The name in GTKWave.
  std::string viewer_name() const;
};

/// What a file says before its first value.
struct WaveHeader {
  std::string unit;  ///< unit of time: "1ns"
  std::vector<WaveSignal> signals;
  std::map<std::string, std::string> remarks;  ///< by scope: "router[0,0] to router[1,0], 2 VCs, 4 credits each"
};

/// A value: time in units of the file, signal (index into the header's), digits from the highest, or text. Returns
/// false to end the reading.
using ValueVisitor = std::function<bool(std::uint64_t, std::size_t, std::string_view)>;

/// One wave file that is there. Unfinished ones are read as far as they are whole.
class WaveReader {
 public:
  virtual ~WaveReader() = default;
  WaveReader(const WaveReader&) = delete;
  WaveReader& operator=(const WaveReader&) = delete;

  const WaveHeader& header() const { return header_; }
  /// Calls `visit` for every value in order of time; may be called again. Returns the last time of the file. Throws
  /// InputError where the file is damaged.
  virtual std::uint64_t read(const ValueVisitor& visit) = 0;
  /// Whether the file was ended as it should.
  virtual bool complete() const = 0;

 protected:
  WaveReader() = default;
  WaveHeader header_;
};

/// The reader for the ending of `path` (`.vcd`, `.fst`). Throws InputError for another ending or a file that cannot be
/// read.
std::unique_ptr<WaveReader> open_wave_file(const std::filesystem::path& path);

/// `digits` of a wire without leading zeros ("0" at least); `x` for one that has nothing else.
std::string plain_digits(std::string_view digits);
/// A value in words: the name of an enum's value, a decimal number, a quoted text, `x`.
std::string value_text(const WaveSignal& signal, std::string_view value);

}  // namespace weft::waves
