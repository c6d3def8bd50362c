// SPDX-License-Identifier: Apache-2.0
#include "tb/build/wrapper_text.h"

#include <fmt/format.h>

#include "tb/build/rtl_abi.h"

namespace weft::tb {
namespace {

constexpr const char* kHead = R"(#include "Vdut.h"

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include "verilated.h"
#if WEFT_TRACE
#include "verilated_vcd_c.h"
#endif
#if WEFT_COVERAGE
#include "verilated_cov.h"
#endif

namespace {

struct Instance {
  VerilatedContext context;  // first: it must outlive the model
  std::unique_ptr<Vdut> model;
#if WEFT_TRACE
  std::unique_ptr<VerilatedVcdC> waves;
#endif
  std::string said;
  std::string failure;

  // Scopes sign off at the context of the thread, which is that of the instance that ran last and may be gone.
  ~Instance() {
    Verilated::threadContextp(&context);
#if WEFT_TRACE
    waves.reset();
#endif
    model.reset();
  }
};

thread_local Instance* running = nullptr;

void keep(const char* text) {
  if (running != nullptr && running->said.size() < 4096) running->said += text;
}

Instance& of(void* instance) { return *static_cast<Instance*>(instance); }

}  // namespace

// What Verilator's run time calls where it would print or end the process.
void weft_rtl_print(const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  keep(text);
}
void vl_stop(const char* file, int line, const char*) {
  if (running == nullptr || !running->failure.empty()) return;
  const std::string place = std::string(file) + ":" + std::to_string(line) + ": stopped";
  running->failure = running->said.empty() ? place : running->said;
}
void vl_finish(const char* file, int line, const char* scope) { vl_stop(file, line, scope); }
void vl_fatal(const char* file, int line, const char* scope, const char* text) {
  keep(text);
  vl_stop(file, line, scope);
}
void vl_warn(const char*, int, const char*, const char* text) { keep(text); }

namespace {

void* create(std::uint64_t seed) {
  std::unique_ptr<Instance> instance(new Instance);
  // 2 = random bits instead of X; seed 0 would draw one from the clock.
  instance->context.randReset(2);
  instance->context.randSeed(static_cast<int>((seed ^ seed >> 31) & 0x7ffffffe) + 1);
  instance->context.fatalOnError(false);
#if WEFT_TRACE
  instance->context.traceEverOn(true);
#endif
  instance->model.reset(new Vdut(&instance->context));
  return instance.release();
}

void destroy(void* instance) { delete &of(instance); }

int eval(void* instance) {
  Instance& it = of(instance);
  if (!it.failure.empty()) return 0;
  running = &it;
  it.model->eval();
  running = nullptr;
  return it.failure.empty() ? 1 : 0;
}

const char* failure(void* instance) { return of(instance).failure.c_str(); }

int trace_open(void* instance, const char* path) {
#if WEFT_TRACE
  Instance& it = of(instance);
  it.waves.reset(new VerilatedVcdC);
  it.model->trace(it.waves.get(), 99);
  it.waves->open(path);
  return it.waves->isOpen() ? 1 : 0;
#else
  (void)instance, (void)path;
  return 0;
#endif
}

void trace_dump(void* instance, std::uint64_t time) {
#if WEFT_TRACE
  if (of(instance).waves) of(instance).waves->dump(time);
#else
  (void)instance, (void)time;
#endif
}

void trace_close(void* instance) {
#if WEFT_TRACE
  of(instance).waves.reset();
#else
  (void)instance;
#endif
}

int write_coverage(void* instance, const char* path) {
#if WEFT_COVERAGE
  of(instance).context.coveragep()->write(path);
  return 1;
#else
  (void)instance, (void)path;
  return 0;
#endif
}
)";

constexpr const char* kTail = R"(
const char* port_name(std::uint32_t port) { return kNames[port]; }
std::uint32_t port_width(std::uint32_t port) { return kWidths[port]; }
std::uint32_t port_direction(std::uint32_t port) { return kDirections[port]; }

struct Abi {
  std::uint32_t version;
  std::uint32_t ports;
  const char* (*port_name)(std::uint32_t);
  std::uint32_t (*port_width)(std::uint32_t);
  std::uint32_t (*port_direction)(std::uint32_t);
  void* (*create)(std::uint64_t);
  void (*destroy)(void*);
  void* (*port_bytes)(void*, std::uint32_t);
  int (*eval)(void*);
  const char* (*failure)(void*);
  int (*trace_open)(void*, const char*);
  void (*trace_dump)(void*, std::uint64_t);
  void (*trace_close)(void*);
  int (*write_coverage)(void*, const char*);
};

}  // namespace
)";

}  // namespace

std::string wrapper_text(const RtlDesign& design, const RtlInterface& interface) {
  std::string text =
      fmt::format("#define WEFT_TRACE {}\n#define WEFT_COVERAGE {}\n", design.trace ? 1 : 0, design.coverage ? 1 : 0);
  text += kHead;
  std::string names;
  std::string widths;
  std::string directions;
  std::string cases;
  std::uint32_t number = 0;
  for (const RtlPort& port : interface.ports) {
    names += fmt::format("\"{}\", ", port.name);
    widths += fmt::format("{}, ", port.width);
    directions += port.direction == PortDirection::kInput ? "0, " : "1, ";
    cases += fmt::format("    case {}: return &model.{};\n", number++, port.name);
  }
  text += fmt::format("\nconst char* const kNames[] = {{{}nullptr}};\n", names);
  text += fmt::format("const std::uint32_t kWidths[] = {{{}0}};\n", widths);
  text += fmt::format("const std::uint32_t kDirections[] = {{{}0}};\n", directions);
  text += "\nvoid* port_bytes(void* instance, std::uint32_t port) {\n  Vdut& model = *of(instance).model;\n";
  text += "  switch (port) {\n" + cases + "    default: return nullptr;\n  }\n}\n";
  text += kTail;
  text += fmt::format(
      "\nextern \"C\" {{\n__attribute__((visibility(\"default\"))) extern const Abi {0};\n"
      "const Abi {0} = {{{1}, {2}, port_name, port_width, port_direction, create, destroy, port_bytes, eval, failure,\n"
      "    trace_open, trace_dump, trace_close, write_coverage}};\n}}\n",
      kRtlAbiSymbol, kRtlAbi, interface.ports.size());
  return text;
}

}  // namespace weft::tb
