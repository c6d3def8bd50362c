// SPDX-License-Identifier: Apache-2.0
// `weft waves`: what can be done with wave files after a run.
#include <errno.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/error.h"
#include "cli/commands.h"
#include "waves/layout.h"
#include "waves/recorder_setup.h"
#include "waves/repair.h"
#include "waves/wave_diff.h"

namespace weft::cli {
namespace {

using Path = std::filesystem::path;

/// Says PATTERN where a sentence about a pattern speaks of the key of configurations.
[[noreturn]] void refuse_pattern(std::string sentence) {
  const std::string key = "waves.scope: ";
  if (sentence.rfind(key, 0) == 0) sentence.replace(0, key.size(), "PATTERN ");
  throw InputError(sentence);
}

std::vector<waves::ScopePattern> patterns_of(const std::vector<std::string>& texts) {
  std::vector<waves::ScopePattern> patterns;
  for (const std::string& text : texts) {
    try {
      patterns.emplace_back(text);
    } catch (const InputError& error) {
      refuse_pattern(error.what());
    }
  }
  return patterns;
}

/// Refuses a pattern that matches no signal of any of these files.
void require_found(const waves::ScopePattern& pattern, const std::vector<const waves::WaveHeader*>& headers) {
  const auto each = [&](const auto& use) {
    for (const waves::WaveHeader* header : headers) {
      for (const waves::WaveSignal& signal : header->signals) use(signal.name);
    }
  };
  bool found = false;
  each([&](const std::string& name) { found = found || waves::selects(pattern, name); });
  if (found) return;
  bool inside = false;
  const std::string level = "." + std::string(waves::kInsideLevel) + ".";
  each([&](const std::string& name) { inside = inside || name.find(level) != std::string::npos; });
  if (!inside && waves::asks_inside(pattern)) {
    throw InputError(fmt::format("PATTERN '{}' matches nothing: no wires inside of FRED switches are recorded here",
                                 pattern.text()));
  }
  refuse_pattern(waves::explain_no_match(pattern, each));
}

/// The wave file that is meant: a results folder may be given for the only one in it.
Path wave_file(const Path& path) {
  if (!std::filesystem::is_directory(path)) return path;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".vcd" || ending == ".fst") files.push_back(entry.path().filename().string());
  }
  if (files.size() == 1) return path / files.front();
  if (files.empty()) {
    throw InputError(
        fmt::format("{}: holds no wave file (.vcd, .fst); a run with waves.file: run.fst records one", path.string()));
  }
  std::sort(files.begin(), files.end());
  std::string text;
  for (const std::string& file : files) text += (text.empty() ? "" : ", ") + file;
  throw InputError(fmt::format("{}: holds {} wave files; legal: one of {}", path.string(), files.size(), text));
}

std::string kind_text(const waves::WaveSignal& signal) {
  switch (signal.kind) {
    case waves::WaveKind::kWire:
      return signal.bits == 1 ? "1 bit" : fmt::format("{} bits", signal.bits);
    case waves::WaveKind::kInteger:
      return "integer";
    case waves::WaveKind::kString:
      return "text";
    case waves::WaveKind::kEnum: {
      std::string text = "one of";
      for (const std::string& name : signal.names) text += " " + name;
      return text;
    }
  }
  return "";
}

void warn_unless_complete(const waves::WaveReader& reader, const Path& file) {
  if (reader.complete() || file.extension() == ".vcd") return;
  fmt::print(stderr, "weft: warning: {} was not ended; 'weft waves repair' makes a whole file of it\n", file.string());
}

void list(const Path& file, const std::vector<std::string>& patterns, std::ostream& out) {
  const auto reader = waves::open_wave_file(file);
  const waves::WaveHeader& header = reader->header();
  const std::vector<waves::ScopePattern> wanted = patterns_of(patterns);
  for (const waves::ScopePattern& pattern : wanted) require_found(pattern, {&header});
  std::string scope;
  for (const waves::WaveSignal& signal : header.signals) {
    const bool shown = wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const auto& pattern) {
                         return waves::selects(pattern, signal.name);
                       });
    if (!shown) continue;
    const std::string above = signal.name.substr(0, std::min(signal.name.rfind('.'), signal.name.size()));
    const auto remark = header.remarks.find(above);
    if (above != scope && remark != header.remarks.end()) out << "# " << above << ": " << remark->second << "\n";
    scope = above;
    out << fmt::format("{:<52} {}\n", signal.viewer_name(), kind_text(signal));
  }
  warn_unless_complete(*reader, file);
}

constexpr std::size_t kShown = 20;

void print_missing(const std::vector<std::string>& names, const Path& where, std::ostream& out) {
  if (names.empty()) return;
  out << fmt::format("only in {}: {} signals, the first {}\n", where.string(), names.size(), names.front());
}

/// 0 = the same, 1 = not.
int diff(const Path& first, const Path& second, const std::vector<std::string>& patterns, std::ostream& out) {
  const auto a = waves::open_wave_file(first);
  const auto b = waves::open_wave_file(second);
  const std::vector<waves::ScopePattern> wanted = patterns_of(patterns);
  for (const waves::ScopePattern& pattern : wanted) require_found(pattern, {&a->header(), &b->header()});
  const waves::WaveDifference found = waves::first_difference(*a, *b, wanted);
  print_missing(found.only_first, first, out);
  print_missing(found.only_second, second, out);
  if (!found.differ) {
    out << fmt::format("the same up to {:.15g} ns: {} signals\n", found.time_ns, found.compared);
    if (found.first_end_ns != found.second_end_ns) {
      out << fmt::format("{} ends at {:.15g} ns, {} at {:.15g} ns\n", first.string(), found.first_end_ns,
                         second.string(), found.second_end_ns);
    }
    return found.only_first.empty() && found.only_second.empty() && found.first_end_ns == found.second_end_ns ? 0 : 1;
  }
  out << fmt::format("first difference at {:.15g} ns, in {} of {} signals\n", found.time_ns, found.signals.size(),
                     found.compared);
  for (std::size_t i = 0; i < std::min(kShown, found.signals.size()); ++i) {
    const waves::SignalDifference& signal = found.signals[i];
    out << fmt::format("  {}: {} in {}, {} in {}\n", signal.signal, signal.first, first.string(), signal.second,
                       second.string());
  }
  if (found.signals.size() > kShown) out << fmt::format("  and {} more\n", found.signals.size() - kShown);
  return 1;
}

/// Times of the first and the last change.
std::pair<std::uint64_t, std::uint64_t> span_of(waves::WaveReader& reader) {
  std::uint64_t first = ~std::uint64_t{0};
  const std::uint64_t last = reader.read([&](std::uint64_t time, std::size_t, std::string_view) {
    first = std::min(first, time);
    return true;
  });
  return {std::min(first, last), last};
}

/// A layout that is asked for must not be one of something else.
void require_answer(const std::string& question, const waves::WaveHeader& header, const Path& file) {
  if (waves::answers(question, header)) return;
  std::string others;
  for (const std::string& other : waves::layout_names()) {
    if (waves::answers(other, header)) others += (others.empty() ? "" : ", ") + other;
  }
  throw InputError(fmt::format("--layout {}: {} has no signals for it; layouts that it has signals for: {}", question,
                               file.string(), others.empty() ? "none" : others));
}

Path make_layout_file(const Path& file, const std::string& question, const Path& out) {
  const auto reader = waves::open_wave_file(file);
  require_answer(question, reader->header(), file);
  constexpr double kPixels = 1000;
  const auto [first, last] = span_of(*reader);
  waves::GtkwView view;
  view.start = first;
  view.units_per_pixel = std::max(1e-3, static_cast<double>(last - first) / kPixels);
  const Path layout = !out.empty() ? out : Path(file).replace_extension("." + question + ".gtkw");
  waves::write_layout(layout, file, question, reader->header(), view);
  return layout;
}

/// The first question that the file has signals for.
std::string first_answer(const Path& file) {
  const auto reader = waves::open_wave_file(file);
  for (const std::string& question : waves::layout_names()) {
    if (waves::answers(question, reader->header())) return question;
  }
  throw InputError(fmt::format("{}: has signals for no layout", file.string()));
}

/// Becomes GTKWave, or says how it would be called.
void open(const Path& file, const std::string& question, bool only_show) {
  Path layout = Path(file).replace_extension(".gtkw");
  if (!question.empty()) {
    layout = make_layout_file(file, question, {});
  } else if (!std::filesystem::exists(layout)) {
    layout = make_layout_file(file, first_answer(file), {});
  } else {
    waves::open_wave_file(file);  // says what is wrong with it
  }
  if (only_show) {
    std::cout << "gtkwave " << file.string() << " " << layout.string() << "\n";
    return;
  }
  // GTKWave would show its usage and report success.
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr)
    throw InputError(fmt::format("there is no display to open GTKWave on; the layout is {}", layout.string()));
  std::cout << std::flush;
  ::execlp("gtkwave", "gtkwave", file.c_str(), layout.c_str(), static_cast<char*>(nullptr));
  throw InputError(
      fmt::format("gtkwave cannot be started: {}; it is in Debian's package gtkwave", std::strerror(errno)));
}

struct Request {
  std::string file;
  std::string second;
  std::vector<std::string> patterns;
  std::string question;
  std::string out;
  bool only_show = false;
};

Option add_file(const Command& command, std::string& file, const char* name, const char* help) {
  return command.option(name, file, help).required().type_name("");
}

void add_question(const Command& command, Request& request, const std::string& help) {
  command.option("--layout", request.question, help + ": collective, router, switch, npu, lockstep")
      .type_name("QUESTION");
}

}  // namespace

void add_waves_command(const Command& app, int& status) {
  const Command command = app.subcommand("waves", "List, compare, lay out, open and repair waveforms");
  command.require_subcommand();
  auto request = std::make_shared<Request>();
  const Command listing = command.subcommand("list", "Signals of a file, with what their values mean");
  add_file(listing, request->file, "FILE", "run.vcd or run.fst, or the folder that holds it");
  listing.option("PATTERN", request->patterns, "only these, as in waves.scope").type_name("");
  listing.footer(R"(Examples:
  weft waves list results/demo-1
  weft waves list run.fst '**.stall' 'npu[0-3].*')");
  listing.action([request] { list(wave_file(request->file), request->patterns, std::cout); });

  const Command comparison =
      command.subcommand("diff", "First difference between two runs, in words; status 1 = differ");
  add_file(comparison, request->file, "FIRST", "wave file");
  add_file(comparison, request->second, "SECOND", "wave file, of either format");
  comparison.option("PATTERN", request->patterns, "compare only these, as in waves.scope").type_name("");
  comparison.footer(R"(Examples:
  weft waves diff before/run.vcd after/run.vcd
  weft waves diff results/mesh-1 results/mesh-2 'fabric.router[0,0].*')");
  comparison.action([request, &status] {
    status = diff(wave_file(request->file), wave_file(request->second), request->patterns, std::cout);
  });

  const Command layout = command.subcommand("layout", "Write a GTKWave layout made for a question");
  add_file(layout, request->file, "FILE", "run.vcd or run.fst, or the folder that holds it");
  add_question(layout, *request, "what it shall answer");
  layout.option("--out", request->out, "layout file (default: FILE.QUESTION.gtkw)").type_name("FILE");
  layout.footer(R"(Examples:
  weft waves layout run.fst --layout router
  weft waves layout results/demo-1 --layout npu --out npu.gtkw)");
  layout.action([request] {
    const std::string question = request->question.empty() ? "collective" : request->question;
    std::cout << make_layout_file(wave_file(request->file), question, request->out).string() << "\n";
  });

  const Command opening = command.subcommand("open", "Show a file in GTKWave");
  add_file(opening, request->file, "FILE", "run.vcd or run.fst, or the folder that holds it");
  add_question(opening, *request, "a layout for this instead of the one beside the file");
  opening.flag("--show-command", request->only_show, "only print the call of gtkwave");
  opening.footer(R"(Examples:
  weft waves open results/demo-1
  weft waves open run.fst --layout switch --show-command)");
  opening.action([request] { open(wave_file(request->file), request->question, request->only_show); });

  const Command repair = command.subcommand("repair", "Make a whole file of one whose program was killed");
  add_file(repair, request->file, "FILE", "run.vcd or run.fst; changed in place");
  repair.footer(R"(Example:
  weft waves repair results/demo-1/run.fst)");
  repair.action([request] { std::cout << waves::repair_wave_file(wave_file(request->file)) << "\n"; });
  command.footer(R"(Examples:
  weft waves list run.fst '**.stall'
  weft waves diff before/run.vcd after/run.vcd
  weft waves open run.fst --layout switch)");
}

}  // namespace weft::cli
