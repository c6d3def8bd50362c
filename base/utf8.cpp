// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <fmt/format.h>

namespace weft {
namespace {

/// Bytes of the well-formed character at the start of `text`, which is not empty; 0 where there is none.
std::size_t character_bytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (text.size() < bytes) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  // Overlong forms, surrogates and code points above U+10FFFF differ from legal ones in the second byte.
  if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
      (lead == 0xf4 && second > 0x8f)) {
    return 0;
  }
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) return 0;
  }
  return bytes;
}

}  // namespace

std::optional<std::size_t> ill_formed_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = character_bytes(text.substr(at));
    if (bytes == 0) return at;
    at += bytes;
  }
  return std::nullopt;
}

std::string escaped_utf8(std::string_view text) {
  std::string escaped;
  while (const auto bad = ill_formed_utf8(text)) {
    escaped += text.substr(0, *bad);
    escaped += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[*bad]));
    text.remove_prefix(*bad + 1);
  }
  return escaped.append(text);
}

}  // namespace weft
