// SPDX-License-Identifier: Apache-2.0
#include "tb/build/model_builder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>

#include "base/error.h"
#include "base/read_file.h"
#include "base/scratch_folder.h"
#include "tb/build/child_output.h"
#include "tb/build/content_hash.h"
#include "tb/build/embedded_rtl.h"
#include "tb/build/private_folder.h"
#include "tb/build/rtl_interface.h"
#include "tb/build/sealed_file.h"
#include "tb/build/wrapper_text.h"

namespace weft::tb {
namespace {

using Path = std::filesystem::path;

constexpr const char* kLibrary = "model.so";
/// Verilator's run time prints through this.
constexpr const char* kPrintHeader = "weft_print.h";
constexpr const char* kPrint = "void weft_rtl_print(const char* format, ...);\n";

void write_text(const Path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush()) throw std::runtime_error(fmt::format("{} cannot be written", file.string()));
}

/// Puts a finished folder into the cache, unless another process was first.
void put_in_cache(const Path& finished, const Path& folder) {
  std::error_code error;
  std::filesystem::rename(finished, folder, error);
  if (error && !std::filesystem::exists(folder)) {
    throw std::runtime_error(
        fmt::format("{} cannot become {}: {}", finished.string(), folder.string(), error.message()));
  }
}

/// Whether a folder of the build directory is there. Throws InputError where others may have written it.
bool is_kept(const Path& folder) {
  if (!std::filesystem::exists(folder)) return false;
  require_private(folder);
  return true;
}

/// Runs one step of a build; throws InputError with what it says where it fails.
void run_step(const std::vector<std::string>& arguments, const std::string& what) {
  const ChildOutput said = run_program(arguments);
  if (said.status == 0) return;
  throw InputError(
      fmt::format("{} ends with status {}:\n{}\n{}", what, said.status, shell_words(arguments), said.text));
}

/// What the compiler sees at once, and how it is to optimise it.
struct Unit {
  Path source;
  const char* optimisation;
};

/// How much of what Verilator writes is compiled at once: its headers take as long as a third of this.
constexpr std::uintmax_t kUnitBytes = 1U << 20U;

/// Whether a file that Verilator wrote is called once per instance: the set-up, and the table of names.
bool is_called_once(const Path& source) {
  const std::string name = source.stem().string();
  return name.find("__Slow") != std::string::npos || name.find("__Syms") != std::string::npos;
}

/// Writes files into `folder` that include its sources, so many together that headers do not dominate the compilation;
/// what is called once is not optimised.
std::vector<Unit> join_sources(const Path& folder) {
  std::vector<Path> sources;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".cpp") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  std::vector<Unit> units;
  for (const bool once : {false, true}) {
    std::string text;
    std::uintmax_t bytes = 0;
    const auto finish = [&] {
      if (text.empty()) return;
      units.push_back({folder / fmt::format("joined_{}.cpp", units.size()), once ? "-O0" : "-O3"});
      write_text(units.back().source, text);
      text.clear();
      bytes = 0;
    };
    for (const Path& source : sources) {
      if (is_called_once(source) != once) continue;
      const std::uintmax_t size = std::filesystem::file_size(source);
      if (bytes + size > kUnitBytes) finish();
      text += fmt::format("#include \"{}\"\n", source.filename().string());
      bytes += size;
    }
    finish();
  }
  return units;
}

/// Compiles `units` into objects in `folder`, several at a time.
void compile(const Tools& tools, const std::vector<std::string>& flags, const std::vector<Unit>& units,
             const Path& folder) {
  std::size_t next = 0;
  std::mutex mutex;
  std::exception_ptr failed;
  const auto work = [&] {
    for (;;) {
      Unit unit;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (next == units.size() || failed) return;
        unit = units[next++];
      }
      try {
        std::vector<std::string> arguments = tools.compiler;
        arguments.insert(arguments.end(), flags.begin(), flags.end());
        for (const std::string& each : {std::string(unit.optimisation), std::string("-c"), unit.source.string(),
                                        std::string("-o"), (folder / unit.source.stem()).string() + ".o"}) {
          arguments.push_back(each);
        }
        run_step(arguments, "the C++ compiler");
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        failed = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  const std::size_t count = std::min<std::size_t>(units.size(), std::max(1U, std::thread::hardware_concurrency()));
  for (std::size_t i = 1; i < count; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (failed) std::rethrow_exception(failed);
}

}  // namespace

Path default_build_dir() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (!variable("WEFT_RTL_DIR").empty()) return variable("WEFT_RTL_DIR");
  const Path cache = variable("XDG_CACHE_HOME");
  if (cache.is_absolute()) return cache / "weft" / "rtl";
  const Path home = home_folder();
  if (!home.empty()) return home / ".cache" / "weft" / "rtl";
  throw InputError(
      fmt::format("there is no directory for built models of RTL: WEFT_RTL_DIR is not set, XDG_CACHE_HOME and HOME "
                  "name no absolute "
                  "path, and user {} has no home directory; set WEFT_RTL_DIR, or give --build-dir where there is one",
                  geteuid()));
}

ModelBuilder::ModelBuilder(Path build_dir, Say say, Path runtime_dir)
    : build_dir_(std::move(build_dir)), runtime_dir_(std::move(runtime_dir)), say_(std::move(say)) {
  if (build_dir_.empty()) build_dir_ = default_build_dir();
  if (runtime_dir_.empty()) runtime_dir_ = build_dir_;
  for (Path* folder : {&build_dir_, &runtime_dir_}) {
    *folder = std::filesystem::absolute(*folder);
    require_readable_output(*folder);
    make_private_folder(*folder);
  }
}

const Tools& ModelBuilder::tools() {
  if (!tools_) tools_ = find_tools();
  return *tools_;
}

RtlInterface ModelBuilder::interface(const RtlDesign& design) { return read_interface(design, tools()); }

Path ModelBuilder::own_rtl() { return keep("rtl", embedded_rtl()); }

Path ModelBuilder::faulty_rtl() {
  std::map<std::string, std::string> files = embedded_rtl();
  for (const auto& [name, text] : embedded_faults()) files[name] = text;
  return keep("faulty-rtl", files);
}

Path ModelBuilder::keep(const std::string& name, const std::map<std::string, std::string>& files) {
  ContentHash hash;
  for (const auto& [file, text] : files) hash.add(file).add(text);
  Path folder = build_dir_ / fmt::format("{}-{}", name, hash.text());
  if (is_kept(folder)) return folder;
  const ScratchFolder scratch(build_dir_);
  const Path made = scratch.path() / "made";
  make_private_folder(made);
  for (const auto& [file, text] : files) write_text(made / file, text);
  put_in_cache(made, folder);
  return folder;
}

std::string ModelBuilder::key_of(const RtlDesign& design, const std::vector<Path>& files) {
  ContentHash hash;
  hash.add(tools().verilator_version).add(tools().compiler_version).add(design.top);
  hash.add(fmt::format("{}{}{} abi {} sealed", design.trace ? "t" : "", design.asserts ? "a" : "",
                       design.coverage ? "c" : "", kRtlAbi));
  for (const auto& [name, value] : design.parameters) hash.add(name).add(value);
  for (const std::string& each : design.defines) hash.add(each);
  for (const Path& file : files) hash.add(file.filename().string()).add(read_file(file.string(), kMostSideFileBytes));
  return hash.text();
}

std::shared_ptr<const RtlLibrary> ModelBuilder::build(const RtlDesign& design) {
  // Lists and folders may name more files than those given: Verilator knows which.
  const bool plain = design.lists.empty() && design.includes.empty();
  std::optional<RtlInterface> known;
  if (!plain) known = interface(design);
  const std::string key = key_of(design, known ? known->files : design.files);
  const Path folder = build_dir_ / fmt::format("{}-{}", design.top, key);
  auto& library = libraries_[folder.string()];
  if (library) return library;
  if (!std::filesystem::exists(folder / kLibrary)) {
    if (say_) say_(fmt::format("building {} in {}", design.top, folder.string()));
    if (!known) known = interface(design);
    const ScratchFolder scratch(build_dir_);
    const Path made = scratch.path() / "made";
    make_private_folder(made);
    make(design, *known, made);
    seal(made / kLibrary);
    put_in_cache(made, folder);
  }
  library = std::make_shared<const RtlLibrary>(folder / kLibrary);
  return library;
}

/// Objects of Verilator's run time, compiled once for all models.
std::vector<Path> ModelBuilder::runtime(const RtlDesign& design) {
  std::vector<Path> objects;
  std::vector<std::string> names = {"verilated", "verilated_threads"};
  if (design.trace) names.emplace_back("verilated_vcd_c");
  if (design.coverage) names.emplace_back("verilated_cov");
  for (const std::string& name : names) {
    const Path source = tools().include / (name + ".cpp");
    ContentHash hash;
    hash.add(tools().compiler_version).add(tools().verilator_version).add(source.string());
    hash.add(design.coverage ? "coverage" : "");
    const Path folder = runtime_dir_ / fmt::format("runtime-{}", hash.text());
    objects.push_back(folder / (name + ".o"));
    if (is_kept(folder)) continue;
    const ScratchFolder scratch(runtime_dir_);
    const Path made = scratch.path() / "made";
    make_private_folder(made);
    write_text(scratch.path() / kPrintHeader, kPrint);
    compile(tools(), flags(design, scratch.path()), {{source, "-O3"}}, made);
    put_in_cache(made, folder);
  }
  return objects;
}

/// Compiler flags of every compilation; `folder` holds the model's headers.
std::vector<std::string> ModelBuilder::flags(const RtlDesign& design, const Path& folder) {
  const Path& include = tools().include;
  return {"-std=c++17",
          "-fPIC",
          "-w",
          "-fvisibility=hidden",
          "-faligned-new",
          "-DVL_USER_FINISH",
          "-DVL_USER_STOP",
          "-DVL_USER_FATAL",
          "-DVL_USER_WARN",
          "-DVL_PRINTF=weft_rtl_print",
          fmt::format("-DVM_COVERAGE={}", design.coverage ? 1 : 0),
          fmt::format("-DVM_TRACE={}", design.trace ? 1 : 0),
          "-DVM_SC=0",
          "-include",
          (folder / kPrintHeader).string(),
          "-I" + folder.string(),
          "-I" + include.string(),
          "-I" + (include / "vltstd").string()};
}

/// Verilates and compiles into `folder`: the library alone stays there.
void ModelBuilder::make(const RtlDesign& design, const RtlInterface& interface, const Path& folder) {
  const Path work = folder.parent_path() / "work";
  std::vector<std::string> verilate = {tools().verilator.string(),
                                       "--cc",
                                       "-O3",
                                       "--x-initial",
                                       "unique",
                                       "-Wno-fatal",
                                       "-Wno-lint",
                                       "-Wno-style",
                                       "--output-split",
                                       "20000",
                                       "--prefix",
                                       kVerilatedClass,
                                       "--Mdir",
                                       work.string()};
  if (design.trace) verilate.insert(verilate.end(), {"--trace", "--trace-max-width", "1048576"});
  verilate.emplace_back(design.asserts ? "--assert" : "-DWEFT_NO_ASSERTIONS");
  if (design.coverage) verilate.insert(verilate.end(), {"--coverage-line", "--coverage-toggle"});
  for (const std::string& each : source_arguments(design)) verilate.push_back(each);
  for (const std::string& each : parameter_arguments(design)) verilate.push_back(each);
  run_step(verilate, "Verilator");
  write_text(work / "weft_wrapper.cpp", wrapper_text(design, interface));
  write_text(work / kPrintHeader, kPrint);

  const std::vector<Unit> units = join_sources(work);
  compile(tools(), flags(design, work), units, work);
  std::vector<std::string> link = tools().compiler;
  link.insert(link.end(), {"-shared", "-Wl,-Bsymbolic", "-o", (folder / kLibrary).string()});
  for (const Unit& unit : units) link.push_back((work / unit.source.stem()).string() + ".o");
  for (const Path& object : runtime(design)) link.push_back(object.string());
  link.insert(link.end(), {"-pthread", "-lm"});
  run_step(link, "the linker");
}

}  // namespace weft::tb
