// SPDX-License-Identifier: Apache-2.0
#include "waves/repair.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "waves/fst/fst_format.h"
#include "waves/vcd_reader.h"
#include "waves/vcd_writer.h"
#include "waves/wave_diff.h"

namespace weft::waves {
namespace {

std::string time_text(std::uint64_t time, const WaveHeader& header) {
  // Fifteen digits are what a double holds; more would be noise of the product.
  return fmt::format("{:.15g} ns", static_cast<double>(time) * unit_ns(header.unit));
}

std::string repair_vcd(const std::filesystem::path& path) {
  std::uint64_t keep = 0;
  std::uint64_t last = 0;
  std::string unit_text;
  {
    VcdReader reader(path);
    if (reader.complete()) return fmt::format("{} is complete; nothing was changed", path.string());
    std::uint64_t last_change = 0;
    reader.read([&](std::uint64_t time, std::size_t, std::string_view) {
      if (time != last_change) last = last_change;
      last_change = time;
      return true;
    });
    keep = reader.whole_bytes();
    unit_text = time_text(last, reader.header());
  }
  const std::uint64_t cut = std::filesystem::file_size(path) - keep;
  std::filesystem::resize_file(path, keep);
  std::ofstream(path, std::ios::binary | std::ios::app) << kVcdEnd;
  return fmt::format(
      "{}: its program was ended while it wrote. Cut off: the last instant, {} bytes, because it may lack values. The "
      "file now ends with the changes of {}; what came later and was not written is lost",
      path.string(), cut, unit_text);
}

TimeUnit unit_of(const WaveHeader& header) {
  for (const TimeUnit unit : {TimeUnit::kNanosecond, TimeUnit::kPicosecond, TimeUnit::kFemtosecond}) {
    if (header.unit == std::string("1") + unit_name(unit)) return unit;
  }
  throw InputError(fmt::format("a file with the time unit {} cannot be repaired; known: 1ns, 1ps, 1fs", header.unit));
}

/// Declares in `writer` what a file has.
std::vector<WaveVar> declare(const WaveHeader& header, WaveWriter& writer) {
  std::vector<WaveVar> vars;
  std::vector<std::string> open;
  for (const WaveSignal& signal : header.signals) {
    std::vector<std::string> scopes;
    std::size_t start = 0;
    for (std::size_t dot = signal.name.find('.'); dot != std::string::npos; dot = signal.name.find('.', start)) {
      scopes.push_back(signal.name.substr(start, dot - start));
      start = dot + 1;
    }
    const auto common = static_cast<std::size_t>(
        std::mismatch(open.begin(), open.end(), scopes.begin(), scopes.end()).first - open.begin());
    for (; open.size() > common; open.pop_back()) writer.close_scope();
    for (std::size_t level = common; level < scopes.size(); ++level) writer.open_scope(scopes[level]);
    const bool is_new = open != scopes;
    open = scopes;
    if (is_new && start > 0) {
      const auto remark = header.remarks.find(signal.name.substr(0, start - 1));
      if (remark != header.remarks.end()) writer.comment(remark->first + ": " + remark->second);
    }
    const std::string leaf = signal.name.substr(start);
    switch (signal.kind) {
      case WaveKind::kWire:
        vars.push_back(writer.add_wire(leaf, signal.bits));
        break;
      case WaveKind::kInteger:
        vars.push_back(writer.add_integer(leaf));
        break;
      case WaveKind::kString:
        vars.push_back(writer.add_string(leaf));
        break;
      case WaveKind::kEnum:
        vars.push_back(writer.add_enum(leaf, signal.names));
        break;
    }
  }
  return vars;
}

void put(WaveWriter& writer, WaveVar var, std::string_view value) {
  if (writer.variable(var).kind == WaveKind::kString) {
    writer.set(var, value);
  } else if (value.find_first_not_of("01") != std::string_view::npos) {
    writer.set_unknown(var);
  } else {
    writer.set_digits(var, value);
  }
}

std::string repair_fst(const std::filesystem::path& path) {
  const std::unique_ptr<WaveReader> reader = make_fst_reader(path);
  if (reader->complete()) return fmt::format("{} is complete; nothing was changed", path.string());
  OutputFile output(std::filesystem::canonical(path), OutputLinks::kReplace);
  const std::filesystem::path& fresh = output.path();
  std::uint64_t last = 0;
  {
    const std::unique_ptr<WaveWriter> writer = make_fst_writer(fresh, unit_of(reader->header()));
    const std::vector<WaveVar> vars = declare(reader->header(), *writer);
    bool any = false;
    reader->read([&](std::uint64_t time, std::size_t signal, std::string_view value) {
      if (any && !writer->begun() && time != last) writer->begin(last);
      if (writer->begun()) writer->set_time(time);
      put(*writer, vars[signal], value);
      any = true;
      last = time;
      return true;
    });
    if (!any) {
      std::filesystem::remove(fresh.string() + ".hier");
      throw InputError(fmt::format("'{}': no change was written before its program was ended", path.string()));
    }
    if (!writer->begun()) writer->begin(last);
    writer->close(last);
  }
  output.complete();
  std::filesystem::remove(path.string() + ".hier");
  return fmt::format(
      "{}: it was not ended; its program was, or the disk was full. It now holds everything up to the last change that "
      "was written, at {}; what came later is lost",
      path.string(), time_text(last, reader->header()));
}

}  // namespace

std::string repair_wave_file(const std::filesystem::path& path) {
  const std::unique_ptr<WaveReader> reader = open_wave_file(path);  // says what is wrong with it
  return dynamic_cast<const VcdReader*>(reader.get()) != nullptr ? repair_vcd(path) : repair_fst(path);
}

}  // namespace weft::waves
