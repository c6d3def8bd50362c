// SPDX-License-Identifier: Apache-2.0
// What the recorder sees of a wave file, whatever its format: scopes, variables, time, values. The values live here, so
// that every format writes changes only and a window may begin in the middle of a run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "waves/time_axis.h"

namespace weft::waves {

/// A variable of one wave file, in the order of declaration.
enum class WaveVar : std::uint32_t {};

enum class WaveKind : std::uint8_t {
  kWire,     ///< any number of bits; those of more than 64 are bytes, lowest first
  kInteger,  ///< shown as a number
  kString,   ///< any bytes but 0
  kEnum,     ///< a number with a name for each value
};

/// Bits of the widest wire.
inline constexpr int kMostWireBits = 1 << 20;
/// Bits of a value that is a number; wider ones are bytes.
inline constexpr int kMostNumberBits = 64;

/// One variable as declared and its value now.
struct WaveVariable {
  std::string name;  ///< without its scope
  WaveKind kind = WaveKind::kWire;
  int bits = 1;
  bool known = true;  ///< false: the value is x
  std::uint64_t number = 0;
  std::string text;                ///< a text, or the bytes of a wide wire
  std::vector<std::string> names;  ///< names of an enum's values

  bool wide() const { return bits > kMostNumberBits; }
  /// A wide value as binary digits, the highest first, all of them.
  std::string wide_digits() const;
};

/// A file that cannot be written any further, for example because the disk is full; says what of it can be read.
class WaveFileFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes one wave file. Declare scopes and variables, then `begin`, then times and values, then `close`. Values set
/// before `begin` become the values that the file starts with.
class WaveWriter {
 public:
  virtual ~WaveWriter() = default;
  WaveWriter(const WaveWriter&) = delete;
  WaveWriter& operator=(const WaveWriter&) = delete;

  /// Opens a scope within the open one. The name must be printable and hold no blank.
  virtual void open_scope(const std::string& name) = 0;
  virtual void close_scope() = 0;
  /// A remark for people who read the file; viewers skip it.
  virtual void comment(const std::string& text) = 0;

  /// Declares a wire of 1 to kMostWireBits bits, 0 at first.
  WaveVar add_wire(const std::string& name, int bits);
  /// Declares a number of up to 64 bits, 0 at first.
  WaveVar add_integer(const std::string& name);
  /// Declares a text, "" at first.
  WaveVar add_string(const std::string& name);
  /// Declares a number whose values 0, 1, ... have these names, without blanks; unknown at first.
  WaveVar add_enum(const std::string& name, std::vector<std::string> names);
  const WaveVariable& variable(WaveVar var) const { return variables_[static_cast<std::size_t>(var)]; }

  /// Ends the declarations; all variables have their present values at `time` (in units of the axis).
  void begin(std::uint64_t time);
  bool begun() const { return begun_; }
  /// Changes that follow happen at `time`, which never goes back. Nothing is written until something changes.
  void set_time(std::uint64_t time);
  void set(WaveVar var, std::uint64_t value) {
    WaveVariable& variable = variables_[static_cast<std::size_t>(var)];
    if (variable.known && variable.number == value) return;
    variable.known = true;
    variable.number = value;
    if (begun_) write_value(var, variable);
  }
  void set(WaveVar var, std::string_view text) {
    WaveVariable& variable = variables_[static_cast<std::size_t>(var)];
    if (variable.text == text) return;
    variable.text = text;
    if (begun_) write_value(var, variable);
  }
  /// Sets a wire of any width by its bytes, lowest first; bits above its width are 0.
  void set_bytes(WaveVar var, const std::uint8_t* bytes);
  /// Sets a wire of any width by its binary digits, the highest first.
  void set_digits(WaveVar var, std::string_view digits);
  /// The value is x from now on; not for texts.
  void set_unknown(WaveVar var);
  /// Everything set so far is in the file when this returns. Throws WaveFileFull.
  virtual void flush() = 0;
  /// Ends the file at `time`, or where the last change is if that is later. Throws as `flush` does.
  virtual void close(std::uint64_t time) = 0;

 protected:
  WaveWriter() = default;

  std::uint64_t time() const { return time_; }
  const std::vector<WaveVariable>& variables() const { return variables_; }

 private:
  virtual void declare(WaveVar var, const WaveVariable& variable) = 0;
  virtual void write_begin(std::uint64_t time) = 0;
  virtual void write_value(WaveVar var, const WaveVariable& variable) = 0;

  WaveVar add(const std::string& name, WaveKind kind, int bits, std::vector<std::string> names = {});

  std::vector<WaveVariable> variables_;
  std::uint64_t time_ = 0;
  bool begun_ = false;
};

/// The writer for the ending of `path` (`.vcd`, `.fst`), its time in units of `unit`. Throws InputError for another
/// ending, with the known ones, or if the file cannot be created.
std::unique_ptr<WaveWriter> make_wave_writer(const std::filesystem::path& path, TimeUnit unit);

}  // namespace weft::waves
