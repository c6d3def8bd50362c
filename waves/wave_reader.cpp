// SPDX-License-Identifier: Apache-2.0
#include "waves/wave_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "base/error.h"
#include "waves/fst/fst_format.h"
#include "waves/vcd_reader.h"

namespace weft::waves {
namespace {

constexpr std::size_t kMostDecimalBits = 64;

std::string hex_text(std::string_view digits) {
  constexpr std::size_t kBitsPerDigit = 4;
  std::string text = "0x";
  std::size_t value = 0;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    value = value << 1 | static_cast<std::size_t>(digits[i] - '0');
    if ((digits.size() - 1 - i) % kBitsPerDigit != 0) continue;
    text += "0123456789abcdef"[value];
    value = 0;
  }
  return text;
}

std::string number_text(std::string_view digits) {
  if (digits.find_first_not_of("01") != std::string_view::npos) return std::string(digits);
  if (digits.size() > kMostDecimalBits) return hex_text(digits);
  std::uint64_t number = 0;
  for (const char digit : digits) number = number << 1 | static_cast<std::uint64_t>(digit - '0');
  return std::to_string(number);
}

}  // namespace

std::string WaveSignal::viewer_name() const {
  return ranged ? fmt::format("{}[{}:{}]", name, lowest_bit + bits - 1, lowest_bit) : name;
}

std::string plain_digits(std::string_view digits) {
  if (digits.empty()) return "x";
  if (digits.find_first_not_of("xX") == std::string_view::npos) return "x";
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size() - 1);
  return std::string(digits.substr(first));
}

std::string value_text(const WaveSignal& signal, std::string_view value) {
  if (signal.kind == WaveKind::kString) return fmt::format("'{}'", value);
  std::string text = number_text(plain_digits(value));
  if (signal.names.empty() || text.find_first_not_of("0123456789") != std::string::npos) return text;
  const std::size_t number = std::stoul(text);
  return number < signal.names.size() ? signal.names[number] : text;
}

std::unique_ptr<WaveReader> open_wave_file(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::error_code error;
  if (!std::filesystem::exists(path, error)) {
    throw InputError(fmt::format("'{}': there is no such file or folder", path.string()));
  }
  if (ending != ".vcd" && ending != ".fst") {
    throw InputError(fmt::format("'{}' has the ending '{}', which says the format of a wave file; known: .vcd, .fst",
                                 path.string(), ending));
  }
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InputError(fmt::format("'{}' cannot be read: it is not a file", path.string()));
  }
  if (ending == ".fst") return make_fst_reader(path);
  return std::make_unique<VcdReader>(path);
}

}  // namespace weft::waves
