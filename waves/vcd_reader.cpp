// SPDX-License-Identifier: Apache-2.0
#include "waves/vcd_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.h"
#include "base/whole_number.h"
#include "waves/vcd_writer.h"

namespace weft::waves {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

/// Whether GTKWave and its converters use a letter as in C.
bool letter_meaning(char letter, char& meaning) {
  static constexpr std::string_view kLetters = "abfnrtv\\\"'?";
  static constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\\"'?";
  const std::size_t at = kLetters.find(letter);
  if (at == std::string_view::npos) return false;
  meaning = kMeanings[at];
  return true;
}

bool ends_with_mark(const std::filesystem::path& path) {
  const std::string mark = kVcdEnd;
  std::ifstream in(path, std::ios::binary);
  in.seekg(0, std::ios::end);
  if (in.tellg() < static_cast<std::streamoff>(mark.size())) return false;
  in.seekg(-static_cast<std::streamoff>(mark.size()), std::ios::end);
  std::string end(mark.size(), '\0');
  in.read(end.data(), static_cast<std::streamsize>(end.size()));
  return end == mark;
}

}  // namespace

std::string vcd_unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char meaning = text[i];
    if (text[i] == '\\' && i + 1 < text.size()) {
      if (letter_meaning(text[i + 1], meaning)) {
        ++i;
      } else if (i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) && is_octal(text[i + 3])) {
        meaning = static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
        i += 3;
      }
    }
    result += meaning;
  }
  return result;
}

VcdReader::VcdReader(const std::filesystem::path& path)
    : path_(path), in_(path, std::ios::binary), complete_(ends_with_mark(path)) {
  if (!in_) throw InputError(fmt::format("'{}' cannot be read", path.string()));
  std::string line;
  while (next_line(line)) {
    if (header_line(line)) continue;
    first_change_line_ = line_;
    first_change_byte_ = whole_bytes_ = bytes_;
    return;
  }
  fail("the file ends before $enddefinitions");
}

void VcdReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}:{}: {}", path_.string(), line_, what));
}

/// False at the end, and before a last line that is not whole.
bool VcdReader::next_line(std::string& line) {
  if (!std::getline(in_, line)) return false;
  if (in_.eof()) return false;
  ++line_;
  bytes_ += line.size() + 1;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

/// False at the end of the declarations.
bool VcdReader::header_line(const std::string& first) {
  std::vector<std::string> words = words_of(first);
  if (words.empty()) return true;
  if (words[0] == "$enddefinitions") return false;
  if (words[0] == "$upscope") {
    if (scopes_.empty()) fail("$upscope without $scope");
    scopes_.pop_back();
    return true;
  }
  std::string line;
  while (words.back() != "$end" && next_line(line)) {
    const std::vector<std::string> more = words_of(line);
    words.insert(words.end(), more.begin(), more.end());
  }
  if (words.back() != "$end") fail(words[0] + " without $end");
  words.pop_back();
  if (words[0] == "$scope") {
    if (words.size() < 3) fail("$scope without a name");
    scopes_.push_back(words[2]);
  } else if (words[0] == "$timescale") {
    for (std::size_t i = 1; i < words.size(); ++i) header_.unit += words[i];
  } else if (words[0] == "$comment") {
    note_comment(first);
  } else if (words[0] == "$var") {
    declare(words);
  }
  return true;
}

/// Comments of ours: `enum a b c` before a variable, and `scope: remark`.
void VcdReader::note_comment(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  if (words.size() > 2 && words[1] == "enum") {
    enum_names_.assign(words.begin() + 2, words.end() - 1);
    return;
  }
  constexpr std::string_view kFront = "$comment ";
  constexpr std::string_view kBack = " $end";
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos || text.size() < kFront.size() + kBack.size()) return;
  const std::size_t end = text.size() - kBack.size();
  if (colon + 2 >= end) return;
  header_.remarks[text.substr(kFront.size(), colon - kFront.size())] = text.substr(colon + 2, end - colon - 2);
}

void VcdReader::declare(const std::vector<std::string>& words) {
  if (words.size() < 5) fail("$var lacks words");
  std::uint64_t bits = 0;
  if (!parse_whole(words[2], bits)) fail("$var has no width");
  WaveSignal signal;
  for (const std::string& scope : scopes_) signal.name += scope + ".";
  std::string name = words[4];
  std::string range;
  for (std::size_t i = 5; i < words.size(); ++i) range += words[i];
  const std::size_t colon = range.find(':');
  std::uint64_t lowest = 0;
  if (colon != std::string::npos &&
      parse_whole(std::string_view(range).substr(colon + 1, range.size() - colon - 2), lowest)) {
    signal.ranged = true;
    signal.lowest_bit = static_cast<int>(lowest);
  } else {
    name += range;
  }
  signal.name += name;
  signal.bits = static_cast<int>(std::max<std::uint64_t>(bits, 1));
  if (words[1] == "string") signal.kind = WaveKind::kString;
  if (words[1] == "integer") signal.kind = WaveKind::kInteger;
  if (!enum_names_.empty()) signal.kind = WaveKind::kEnum;
  signal.names = std::move(enum_names_);
  enum_names_.clear();
  signals_of_[words[3]].push_back(header_.signals.size());
  header_.signals.push_back(std::move(signal));
}

std::uint64_t VcdReader::read(const ValueVisitor& visit) {
  in_.clear();
  in_.seekg(static_cast<std::streamoff>(first_change_byte_));
  line_ = first_change_line_;
  bytes_ = whole_bytes_ = first_change_byte_;
  std::uint64_t now = 0;
  std::string line;
  for (std::uint64_t before = bytes_; next_line(line); before = bytes_) {
    if (line.empty() || line[0] == '$') continue;
    if (line[0] == '#') {
      std::uint64_t time = 0;
      if (!parse_whole(std::string_view(line).substr(1), time) || time < now) fail("'" + line + "' is no later time");
      now = time;
      whole_bytes_ = before;
    } else if (!change(line, now, visit)) {
      break;
    }
  }
  return now;
}

bool VcdReader::change(const std::string& line, std::uint64_t now, const ValueVisitor& visit) {
  const char kind = line[0];
  std::string value;
  std::string identifier;
  const bool long_value = kind == 'b' || kind == 'B' || kind == 's' || kind == 'r' || kind == 'R';
  const std::size_t blank = line.find(' ');
  if (long_value && blank != std::string::npos) {
    value = line.substr(1, blank - 1);
    identifier = line.substr(blank + 1);
  } else {
    value = line.substr(0, 1);
    identifier = line.substr(1);
  }
  const auto found = signals_of_.find(identifier);
  if (found == signals_of_.end()) fail("'" + line + "' is no value of a declared variable");
  if (kind == 's') value = vcd_unescaped(value);
  for (const std::size_t signal : found->second) {
    if (!visit(now, signal, value)) return false;
  }
  return true;
}

}  // namespace weft::waves
