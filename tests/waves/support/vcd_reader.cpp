// SPDX-License-Identifier: Apache-2.0
#include "tests/waves/support/vcd_reader.h"

#include <stdlib.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace weft::waves::test {
namespace {

/// Octal escapes, and the letters that GTKWave's tools use as in C.
std::string unescaped(const std::string& text) {
  static const std::string kLetters = "abfnrtv\\\"'?";
  static const std::string kMeanings = "\a\b\f\n\r\t\v\\\"'?";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      result += text[i];
      continue;
    }
    const std::size_t letter = kLetters.find(text.at(i + 1));
    if (letter != std::string::npos) {
      result += kMeanings[letter];
      ++i;
    } else {
      result += static_cast<char>(std::stoi(text.substr(i + 1, 3), nullptr, 8));
      i += 3;
    }
  }
  return result;
}

std::string without_leading_zeros(const std::string& digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string::npos ? "0" : digits.substr(first);
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : in_(path) {
    if (!in_) throw std::runtime_error("cannot open " + path.string());
  }

  VcdFile read() {
    for (std::string line; std::getline(in_, line);) {
      ++line_;
      if (in_.eof()) fail("the last line is cut off");
      if (header_) {
        header(line, words_of(line));
      } else {
        change(line);
      }
    }
    if (header_) fail("no $enddefinitions");
    return file_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("line " + std::to_string(line_) + ": " + what);
  }

  void header(const std::string& line, const std::vector<std::string>& words) {
    if (words.empty()) return;
    if (words[0] == "$scope") scopes_.push_back(words.at(2));
    if (words[0] == "$upscope") {
      if (scopes_.empty()) fail("$upscope without $scope");
      scopes_.pop_back();
    }
    if (words[0] == "$timescale") {
      std::string text = line;
      while (text.find("$end") == std::string::npos && std::getline(in_, line_text_)) {
        ++line_;
        text += " " + line_text_;
      }
      for (const std::string& word : words_of(text)) {
        if (word[0] != '$') file_.timescale += word;
      }
    }
    if (words[0] == "$comment" && words.size() > 3 && words[1] == "enum") {
      enum_names_.assign(words.begin() + 2, words.end() - 1);
    }
    if (words[0] == "$var") variable(words);
    if (words[0] == "$enddefinitions") {
      if (!scopes_.empty()) fail("a scope is left open");
      header_ = false;
    }
  }

  void variable(const std::vector<std::string>& words) {
    if (words.back() != "$end") fail("$var without $end");
    std::string name;
    for (const std::string& scope : scopes_) name += scope + ".";
    for (std::size_t i = 4; i + 1 < words.size(); ++i) name += words[i];
    VcdSignal signal;
    signal.type = words[1];
    signal.bits = std::stoi(words[2]);
    signal.names.swap(enum_names_);
    enum_names_.clear();
    if (!file_.signals.emplace(name, signal).second) fail(name + " is declared twice");
    if (!names_.emplace(words[3], name).second) fail("identifier " + words[3] + " is used twice");
  }

  void change(const std::string& line) {
    if (line.empty()) fail("empty line among the values");
    if (line[0] == '$') return;
    if (line[0] == '#') {
      const std::uint64_t time = std::stoull(line.substr(1));
      if (timed_ && time <= file_.end) fail("time does not go on");
      if (!timed_) file_.begin = time;
      timed_ = true;
      file_.end = time;
      return;
    }
    const std::size_t blank = line.find(' ');
    const bool scalar = blank == std::string::npos;
    const std::string identifier = scalar ? line.substr(1) : line.substr(blank + 1);
    const auto found = names_.find(identifier);
    if (found == names_.end()) fail("unknown identifier " + identifier);
    VcdSignal& signal = file_.signals[found->second];
    std::string value = scalar ? line.substr(0, 1) : line.substr(1, blank - 1);
    if (line[0] == 's') value = unescaped(value);
    if (line[0] == 'b') value = without_leading_zeros(value);
    if ((line[0] == 's') != (signal.type == "string")) fail("kind of value and variable differ");
    if (line[0] == 'b' && value.size() > static_cast<std::size_t>(signal.bits)) fail("value wider than its variable");
    if (!signal.names.empty() && value != "x") value = signal.names.at(std::stoul(value, nullptr, 2));
    signal.changes.emplace_back(file_.end, value);
  }

  std::ifstream in_;
  std::string line_text_;
  int line_ = 0;
  bool header_ = true;
  bool timed_ = false;
  std::vector<std::string> scopes_;
  std::vector<std::string> enum_names_;
  std::map<std::string, std::string> names_;
  VcdFile file_;
};

}  // namespace

std::string VcdSignal::digits(const std::string& value) const {
  const auto place = std::find(names.begin(), names.end(), value);
  if (place == names.end()) return value;
  std::string digits;
  for (auto rest = place - names.begin(); digits.empty() || rest > 0; rest /= 2) {
    digits.insert(0, 1, rest % 2 == 0 ? '0' : '1');
  }
  return digits;
}

std::string VcdSignal::at(std::uint64_t time) const {
  std::string value;
  for (const auto& [when, what] : changes) {
    if (when > time) break;
    value = what;
  }
  return value;
}

std::uint64_t VcdSignal::number_at(std::uint64_t time) const {
  const std::string digits = at(time);
  if (digits.empty() || digits.find_first_not_of("01") != std::string::npos) {
    throw std::runtime_error("'" + digits + "' is not a number");
  }
  return std::stoull(digits, nullptr, 2);
}

const VcdSignal& VcdFile::operator[](const std::string& name) const {
  const auto found = signals.find(name);
  if (found == signals.end()) throw std::runtime_error("the file has no " + name);
  return found->second;
}

VcdFile read_vcd(const std::filesystem::path& path) { return Reader(path).read(); }

}  // namespace weft::waves::test
