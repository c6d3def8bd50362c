// SPDX-License-Identifier: Apache-2.0
#include "waves/wave_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "base/error.h"
#include "waves/fst/fst_format.h"
#include "waves/vcd_writer.h"

namespace weft::waves {
namespace {

struct Format {
  const char* ending;
  std::unique_ptr<WaveWriter> (*make)(const std::filesystem::path&, TimeUnit);
};

/// The known formats; a new writer is one more line.
constexpr std::array<Format, 2> kFormats = {{
    {".vcd",
     [](const std::filesystem::path& path, TimeUnit unit) -> std::unique_ptr<WaveWriter> {
       return std::make_unique<VcdWriter>(path, unit);
     }},
    {".fst", make_fst_writer},
}};

constexpr int kIntegerBits = 64;

}  // namespace

WaveVar WaveWriter::add(const std::string& name, WaveKind kind, int bits, std::vector<std::string> names) {
  WEFT_CHECK(!begun_, fmt::format("wave variable '{}' is declared after the first value", name));
  const auto var = static_cast<WaveVar>(variables_.size());
  WaveVariable variable;
  variable.name = name;
  variable.kind = kind;
  variable.bits = bits;
  variable.names = std::move(names);
  variable.known = kind != WaveKind::kEnum;
  if (variable.wide()) variable.text.assign((static_cast<std::size_t>(bits) + 7) / 8, '\0');
  variables_.push_back(std::move(variable));
  declare(var, variables_.back());
  return var;
}

WaveVar WaveWriter::add_wire(const std::string& name, int bits) {
  WEFT_CHECK(bits >= 1 && bits <= kMostWireBits,
             fmt::format("wave variable '{}' has {} bits, not 1 to {}", name, bits, kMostWireBits));
  return add(name, WaveKind::kWire, bits);
}

WaveVar WaveWriter::add_integer(const std::string& name) { return add(name, WaveKind::kInteger, kIntegerBits); }

WaveVar WaveWriter::add_string(const std::string& name) { return add(name, WaveKind::kString, 1); }

WaveVar WaveWriter::add_enum(const std::string& name, std::vector<std::string> names) {
  WEFT_CHECK(!names.empty(), fmt::format("enum '{}' has no values", name));
  int bits = 1;
  while (names.size() > std::size_t{1} << bits) ++bits;
  return add(name, WaveKind::kEnum, bits, std::move(names));
}

void WaveWriter::begin(std::uint64_t time) {
  WEFT_CHECK(!begun_, "a wave file begins twice");
  time_ = time;
  write_begin(time);
  begun_ = true;
}

void WaveWriter::set_time(std::uint64_t time) {
  WEFT_CHECK(time >= time_, fmt::format("wave time goes back from {} to {}", time_, time));
  time_ = time;
}

void WaveWriter::set_bytes(WaveVar var, const std::uint8_t* bytes) {
  WaveVariable& variable = variables_[static_cast<std::size_t>(var)];
  if (!variable.wide()) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes, (static_cast<std::size_t>(variable.bits) + 7) / 8);
    set(var, number);
    return;
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes), variable.text.size());
  if (variable.known && variable.text == text) return;
  variable.known = true;
  variable.text = text;
  if (begun_) write_value(var, variable);
}

void WaveWriter::set_digits(WaveVar var, std::string_view digits) {
  std::vector<std::uint8_t> bytes((static_cast<std::size_t>(variable(var).bits) + 7) / 8);
  WEFT_CHECK(digits.size() <= bytes.size() * 8, "a wave variable gets a value that is wider than it is");
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t bit = digits.size() - 1 - i;
    if (digits[i] == '1') bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | 1U << bit % 8);
  }
  set_bytes(var, bytes.data());
}

std::string WaveVariable::wide_digits() const {
  std::string digits(static_cast<std::size_t>(bits), '0');
  for (std::size_t bit = 0; bit < digits.size(); ++bit) {
    if ((static_cast<unsigned char>(text[bit / 8]) >> bit % 8 & 1) != 0) digits[digits.size() - 1 - bit] = '1';
  }
  return digits;
}

void WaveWriter::set_unknown(WaveVar var) {
  WaveVariable& variable = variables_[static_cast<std::size_t>(var)];
  if (!variable.known) return;
  variable.known = false;
  if (begun_) write_value(var, variable);
}

std::unique_ptr<WaveWriter> make_wave_writer(const std::filesystem::path& path, TimeUnit unit) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string known;
  for (const Format& format : kFormats) {
    if (ending == format.ending) return format.make(path, unit);
    known += (known.empty() ? "" : ", ") + std::string(format.ending);
  }
  throw InputError(fmt::format("waves.file: '{}' has the ending '{}', which chooses the format; known: {}",
                               path.string(), ending, known));
}

}  // namespace weft::waves
