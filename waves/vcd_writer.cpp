// SPDX-License-Identifier: Apache-2.0
#include "waves/vcd_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace weft::waves {
namespace {

constexpr std::uint32_t kIdentifierBase = 94;
constexpr char kFirstIdentifier = '!';

/// Puts the identifier at `at`, up to 5 characters, and returns its end.
char* put_identifier(char* at, std::uint32_t n) {
  std::uint64_t rest = std::uint64_t{n} + 1;
  do {
    --rest;
    *at++ = static_cast<char>(kFirstIdentifier + static_cast<char>(rest % kIdentifierBase));
    rest /= kIdentifierBase;
  } while (rest != 0);
  return at;
}

bool is_plain(char c) { return c > ' ' && c < 0x7f && c != '\\'; }

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    if (is_plain(c)) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += '\\';
    out += static_cast<char>('0' + (byte >> 6));
    out += static_cast<char>('0' + ((byte >> 3) & 7));
    out += static_cast<char>('0' + (byte & 7));
  }
}

/// Puts the value at `at` without leading zeros, up to 64 characters, and returns its end.
char* put_binary(char* at, std::uint64_t value) {
  const int top = value == 0 ? 0 : 63 - __builtin_clzll(value);
  for (int bit = top; bit >= 0; --bit) *at++ = static_cast<char>('0' + ((value >> bit) & 1));
  return at;
}

void check_name(const std::string& name) {
  bool good = !name.empty();
  for (const char c : name) good = good && c > ' ' && c < 0x7f;
  WEFT_CHECK(good, fmt::format("'{}' cannot be a name in a VCD file", name));
}

const char* type_name(WaveKind kind) {
  switch (kind) {
    case WaveKind::kWire:
      return "wire";
    case WaveKind::kInteger:
      return "integer";
    case WaveKind::kString:
      return "string";
    case WaveKind::kEnum:
      break;
  }
  return "wire";
}

}  // namespace

std::string vcd_identifier(std::uint32_t n) {
  char name[8];
  return {name, put_identifier(name, n)};
}

std::string vcd_escaped(std::string_view text) {
  std::string result;
  append_escaped(result, text);
  return result;
}

VcdWriter::VcdWriter(const std::filesystem::path& path, TimeUnit unit) : file_(path) {
  file_.buffer() += fmt::format("$version Weft $end\n$timescale 1 {} $end\n", unit_name(unit));
}

void VcdWriter::open_scope(const std::string& name) {
  check_name(name);
  file_.buffer() += "$scope module " + name + " $end\n";
  ++open_scopes_;
  file_.line_end();
}

void VcdWriter::close_scope() {
  WEFT_CHECK(open_scopes_ > 0, "a wave scope is closed that was never opened");
  file_.buffer() += "$upscope $end\n";
  --open_scopes_;
}

void VcdWriter::comment(const std::string& text) {
  WEFT_CHECK(text.find('$') == std::string::npos, "a VCD comment cannot hold '$'");
  file_.buffer() += "$comment " + text + " $end\n";
}

void VcdWriter::declare(WaveVar var, const WaveVariable& variable) {
  check_name(variable.name);
  std::string& out = file_.buffer();
  if (!variable.names.empty()) out += fmt::format("$comment enum {} $end\n", fmt::join(variable.names, " "));
  out += fmt::format("$var {} {} ", type_name(variable.kind), variable.bits);
  out += vcd_identifier(static_cast<std::uint32_t>(var));
  out += ' ';
  out += variable.name;
  const bool vector = variable.kind == WaveKind::kWire || variable.kind == WaveKind::kEnum;
  if (vector && variable.bits > 1) out += fmt::format(" [{}:0]", variable.bits - 1);
  out += " $end\n";
  file_.line_end();
}

void VcdWriter::write_begin(std::uint64_t time) {
  while (open_scopes_ > 0) close_scope();
  file_.buffer() += "$enddefinitions $end\n";
  append_time(time);
  file_.buffer() += "$dumpvars\n";
  for (std::uint32_t n = 0; n < variables().size(); ++n) append_value(static_cast<WaveVar>(n), variables()[n]);
  file_.buffer() += "$end\n";
  file_.line_end();
}

void VcdWriter::append_time(std::uint64_t time) {
  char digits[24];
  digits[0] = '#';
  char* const end = std::to_chars(digits + 1, digits + sizeof digits - 1, time).ptr;
  *end = '\n';
  file_.buffer().append(digits, static_cast<std::size_t>(end + 1 - digits));
  written_time_ = time;
}

void VcdWriter::write_value(WaveVar var, const WaveVariable& variable) {
  if (written_time_ != time()) {
    file_.line_end();  // blocks end with whole instants
    append_time(time());
  }
  append_value(var, variable);
}

void VcdWriter::append_value(WaveVar var, const WaveVariable& variable) {
  std::string& out = file_.buffer();
  char rest[80];  // of the line, behind what can be of any length
  char* at = rest;
  if (variable.kind == WaveKind::kString) {
    out += 's';
    append_escaped(out, variable.text);
    *at++ = ' ';
  } else if (variable.bits == 1) {
    *at++ = variable.known ? static_cast<char>('0' + (variable.number & 1)) : 'x';
  } else if (variable.known && variable.wide()) {
    const std::string digits = variable.wide_digits();
    out += 'b';
    out.append(digits, std::min(digits.find('1'), digits.size() - 1));
    *at++ = ' ';
  } else {
    *at++ = 'b';
    if (variable.known)
      at = put_binary(at, variable.number);
    else
      *at++ = 'x';
    *at++ = ' ';
  }
  at = put_identifier(at, static_cast<std::uint32_t>(var));
  *at++ = '\n';
  out.append(rest, static_cast<std::size_t>(at - rest));
}

void VcdWriter::flush() { file_.flush(); }

void VcdWriter::close(std::uint64_t time) {
  if (begun() && time > written_time_) append_time(time);
  if (begun()) file_.buffer() += kVcdEnd;
  file_.close();
}

}  // namespace weft::waves
