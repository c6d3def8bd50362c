// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/module_service.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft::mem {
namespace {

constexpr std::pair<std::string_view, NextStart> kServices[] = {{"pipelined", pipelined_service},
                                                                {"serial", serial_service}};

}  // namespace

ExactTime pipelined_service(const PoolModuleSpec& /*module*/, ExactTime /*start*/, ExactTime transferred) {
  return transferred;
}

ExactTime serial_service(const PoolModuleSpec& module, ExactTime /*start*/, ExactTime transferred) {
  return {transferred.edge() + module.latency + module.recovery, 0};
}

std::vector<std::string_view> service_names() {
  std::vector<std::string_view> names;
  for (const auto& [name, service] : kServices) names.push_back(name);
  return names;
}

NextStart module_service(const std::string& name) {
  for (const auto& [known, service] : kServices) {
    if (known == name) return service;
  }
  const auto names = service_names();
  throw InputError(fmt::format("unknown service {}; known: {}{}", in_quotes(name), fmt::join(names, ", "),
                               did_you_mean(name, names)));
}

}  // namespace weft::mem
