// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/error.h"
#include "cli/advise/reduce_advice.h"
#include "cli/checked_config.h"
#include "config/names.h"
#include "npu/collective/algorithms/wafer_forms.h"

namespace weft::cli {
namespace {

constexpr std::uint32_t kMostPerSide = 4096;
constexpr std::uint64_t kMostElements = std::uint64_t{1} << 28;
constexpr std::uint64_t kElementBytes = 4;

bool is_line(const AdviceRequest& request) { return request.rows == 1 || request.columns == 1; }
std::uint32_t cores(const AdviceRequest& request) { return request.columns * request.rows; }
bool all_reduces(const AdviceRequest& request) { return request.kind == CollectiveKind::kAllReduce; }

/// What the command sets, by its key; nullptr where it leaves a key alone.
const char* option_of(const std::string& path) {
  static const std::map<std::string, const char*> options{{"fabric.size", "--p"},
                                                          {"workload.collective.kind", "--kind"},
                                                          {"workload.collective.algorithm", "every algorithm"},
                                                          {"workload.collective.size", "--b"},
                                                          {"workload.collective.group", "--p"},
                                                          {"workload.collective.root", "the first core"},
                                                          {"workload.collective.chunks", "one chunk"}};
  for (const auto& [key, option] : options) {
    const bool below = path.rfind(key, 0) == 0 && (path.size() == key.size() || path[key.size()] == '[');
    const bool above = key.rfind(path + ".", 0) == 0;
    if (below || above) return option;
  }
  return nullptr;
}

void check_request(const AdviceRequest& request) {
  if (request.elements == 0 || request.elements > kMostElements) {
    throw InputError(
        fmt::format("--b {}: legal are 1 to {} wavelets of 4 bytes per vector", request.elements, kMostElements));
  }
  for (const std::string& setting : request.settings) {
    const std::string path = setting.substr(0, setting.find('='));
    const char* option = option_of(path);
    if (option == nullptr) continue;
    throw InputError(fmt::format("--set {}: `weft advise reduce` sets {} itself ({})", setting, path, option));
  }
}

std::vector<std::string> settings_for(const AdviceRequest& request, const std::string& algorithm) {
  std::vector<std::string> settings = request.settings;
  settings.push_back(fmt::format("fabric.size=[{}, {}]", request.columns, request.rows));
  settings.push_back(fmt::format("workload.collective.kind={}", name_of(request.kind)));
  settings.push_back("workload.collective.algorithm=" + algorithm);
  settings.push_back(fmt::format("workload.collective.size={} B", kElementBytes * request.elements));
  settings.emplace_back("workload.collective.group=all");
  settings.emplace_back("workload.collective.root=0");
  settings.emplace_back("workload.collective.chunks=1");
  return settings;
}

// Without colours messages go through VCs, which no closed form describes and no router adds to. Too few are found by
// the algorithm itself.
void check_fabric(const AdviceRequest& request, const Config& config) {
  if (config.fabric.router.colours > 0) return;
  const int needed = all_reduces(request) ? 3 : 2;
  throw InputError(
      fmt::format("{}: fabric.router.colours is 0: {} on a wafer takes {} routes that are set up before the run; legal "
                  "here: {} to 24, as by --set fabric.router.colours=24",
                  request.config, name_of(request.kind), needed, needed));
}

npu::WaferCost cost_of(const FabricSpec& fabric) {
  return {fabric.local.latency_cycles, fabric.link.latency_cycles + fabric.router.hop_cycles,
          fabric.router.turn_cycles};
}

/// The forms know one element per flit, flits that go on their own, adds of one cycle, and one length of a hop.
std::string why_no_forms(const AdviceRequest& request, const Config& config) {
  if (config.fabric.flit_bytes != kElementBytes || config.npu.packet_bytes != kElementBytes) {
    return fmt::format("fabric.flit_bytes is {} B and npu.packet_bytes {} B; they hold for wavelets of {} B",
                       config.fabric.flit_bytes, config.npu.packet_bytes, kElementBytes);
  }
  if (config.npu.add_cycles != 1) {
    return fmt::format("npu.add_cycles is {}; they hold for adds of one cycle", config.npu.add_cycles);
  }
  if (config.fabric.link_y && config.fabric.link_y->latency_cycles != config.fabric.link.latency_cycles &&
      request.rows > 1) {
    return "links along x and y differ";
  }
  return "";
}

std::optional<double> form_of(const AdviceRequest& request, const std::string& algorithm, const npu::WaferCost& cost) {
  const std::uint64_t b = request.elements;
  const std::uint32_t p = cores(request);
  if (algorithm == "ring") return is_line(request) ? std::optional(npu::ring_cycles(p, b, cost)) : std::nullopt;
  if (algorithm == "in_router") return std::nullopt;
  const bool snake = algorithm == "snake";
  const npu::LineForm line = snake ? npu::LineForm(npu::chain_cycles) : npu::reduce_form(algorithm);
  WEFT_CHECK(line != nullptr, "an algorithm without a form: " + algorithm);
  // A form of one core is 0, so this is the line's where there is one row.
  double cycles = snake ? line(p, b, cost) : npu::reduce_2d_cycles(line, request.rows, request.columns, b, cost);
  if (!all_reduces(request)) return cycles;
  cycles += is_line(request) ? npu::broadcast_cycles(p, b, cost)
                             : npu::broadcast_2d_cycles(request.rows, request.columns, b, cost);
  return cycles;
}

std::vector<std::string> candidates(const AdviceRequest& request) {
  std::vector<std::string> names{"star", "chain", "tree", "two_phase", "auto_gen", "in_router"};
  if (!is_line(request)) names.emplace_back("snake");
  if (all_reduces(request)) names.emplace_back("ring");
  return names;
}

}  // namespace

void parse_cores(const std::string& text, AdviceRequest& request) {
  const auto number = [&](const std::string& digits) {
    std::uint32_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [at, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc() || at != end || value == 0 || value > kMostPerSide) {
      throw InputError(
          fmt::format("--p {}: legal are a row of 2 to {} cores, as 64, or columns x rows, as 8x8, of 1 to "
                      "{} each",
                      text, kMostPerSide, kMostPerSide));
    }
    return value;
  };
  const std::size_t cross = text.find('x');
  request.columns = number(text.substr(0, cross));
  request.rows = cross == std::string::npos ? 1 : number(text.substr(cross + 1));
  if (cores(request) < 2)
    throw InputError(fmt::format("--p {}: one core has nothing to reduce; legal: at least 2", text));
}

Advice plan_advice(const AdviceRequest& request) {
  check_request(request);
  const Config config = load_checked(request.config, settings_for(request, "chain"));
  check_fabric(request, config);
  Advice advice;
  advice.cost = cost_of(config.fabric);
  advice.no_forms = why_no_forms(request, config);
  const bool forms = advice.no_forms.empty();
  if (forms && is_line(request) && !all_reduces(request)) {
    advice.lower_bound = npu::lower_bound_cycles(cores(request), request.elements, advice.cost);
  }
  for (const std::string& name : candidates(request)) {
    if (name == "ring" && request.elements % cores(request) != 0) {
      advice.left_out.push_back(
          {name, fmt::format("{} wavelets cannot be shared evenly by {} cores", request.elements, cores(request))});
      continue;
    }
    AdvicePoint point;
    point.algorithm = name;
    point.settings = settings_for(request, name);
    if (forms) point.form = form_of(request, name, advice.cost);
    advice.points.push_back(std::move(point));
  }
  return advice;
}

}  // namespace weft::cli
