// SPDX-License-Identifier: Apache-2.0
#include "tb/report/wave_merge.h"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <utility>

#include "base/output_file.h"

namespace weft::tb {
namespace {

/// Verilator counts its short names up from one character; it never gets to those of six.
std::string short_name(std::size_t signal) { return fmt::format("~~~~~{}", signal); }

std::string declarations(const std::vector<ModelSignal>& signals) {
  std::string text = "$scope module model $end\n";
  for (std::size_t i = 0; i < signals.size(); ++i) {
    const std::string range = signals[i].width > 1 ? fmt::format(" [{}:0]", signals[i].width - 1) : "";
    // Brackets of a name would be read as a range.
    std::string name = signals[i].name;
    for (char& c : name) {
      if (c == '[') c = '_';
    }
    std::string plain;
    for (const char c : name) {
      if (c != ']') plain += c;
    }
    text += fmt::format("$var wire {} {} {}{} $end\n", signals[i].width, short_name(i), plain, range);
  }
  return text + "$upscope $end\n";
}

std::string change_text(const ModelChange& change) {
  if (change.bits.size() == 1) return change.bits + short_name(change.signal) + "\n";
  return fmt::format("b{} {}\n", change.bits, short_name(change.signal));
}

std::string bits_of(const Expected& expected) {
  if (!expected.known) return std::string(expected.width, 'x');
  std::string bits;
  for (std::uint32_t at = expected.width; at-- > 0;) bits += (expected.value[at / 8] >> (at % 8) & 1) != 0 ? '1' : '0';
  return bits;
}

}  // namespace

void merge_waves(const std::filesystem::path& rtl, const std::vector<ModelSignal>& signals,
                 const std::vector<ModelChange>& changes, const std::filesystem::path& out) {
  std::ifstream in(rtl);
  OutputFile output(out, OutputLinks::kReplace);
  std::ofstream file(output.path());
  if (!in) throw std::runtime_error(fmt::format("{} cannot be read", rtl.string()));
  std::string line;
  std::size_t next = 0;
  const auto write_until = [&](std::uint64_t time) {  // those at `time` included
    for (; next < changes.size() && changes[next].time <= time; ++next) file << change_text(changes[next]);
  };
  std::uint64_t now = 0;
  bool started = false;
  while (std::getline(in, line)) {
    if (line.rfind("$enddefinitions", 0) == 0) file << declarations(signals);
    if (!line.empty() && line[0] == '#') {
      if (started) write_until(now);
      now = std::stoull(line.substr(1));
      started = true;
    }
    file << line << '\n';
  }
  if (started) write_until(now);
  file.close();
  if (!file) throw std::runtime_error(fmt::format("{} cannot be written", out.string()));
  output.complete();
}

WaveRecorder::WaveRecorder(RtlModel& rtl, std::filesystem::path file)
    : rtl_(rtl), file_(std::move(file)), rtl_file_(file_.string() + ".rtl") {
  std::filesystem::remove(rtl_file_);  // a link that waits there would be followed
  rtl_.open_trace(rtl_file_);
}

WaveRecorder::~WaveRecorder() {
  std::error_code ignored;
  std::filesystem::remove(rtl_file_, ignored);
}

void WaveRecorder::record(std::uint64_t time, const std::vector<Expected>& expected) {
  if (signals_.empty()) {
    for (const Expected& each : expected) signals_.push_back({each.name, each.width});
    last_.resize(expected.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::string bits = bits_of(expected[i]);
    if (bits == last_[i]) continue;
    last_[i] = bits;
    changes_.push_back({time, i, std::move(bits)});
  }
}

void WaveRecorder::finish() {
  rtl_.close_trace();
  merge_waves(rtl_file_, signals_, changes_, file_);
}

}  // namespace weft::tb
