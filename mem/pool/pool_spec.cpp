// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_spec.h"

#include <fmt/format.h>

#include "base/error.h"
#include "mem/pool/module_service.h"

namespace weft::mem {
namespace {

/// Collects what is wrong.
class Findings {
 public:
  void require(bool holds, const std::string& sentence) {
    if (!holds) text_ += (text_.empty() ? "" : "\n") + sentence;
  }
  void range(std::string_view what, std::uint64_t value, std::uint64_t low, std::uint64_t high) {
    require(value >= low && value <= high,
            fmt::format("{}: {} is out of range; legal: {} to {}", what, value, low, high));
  }
  void rate(std::string_view what, Rational rate) {
    constexpr std::uint64_t kMost = 1'000'000'000;
    require(
        rate.num > 0 && rate.den > 0 && rate.num <= kMost && rate.den <= kMost,
        fmt::format("{}: {}/{} flits per cycle; legal: above 0, numbers up to {}", what, rate.num, rate.den, kMost));
  }
  void link(const std::string& what, const PoolLinkSpec& link) {
    rate(what, link.flits_per_cycle);
    range(what + " latency", link.latency, 1, 1'000'000);
    range(what + " buffer_flits", link.buffer_flits, 1, 1u << 20);
  }
  void throw_if_any() const {
    if (!text_.empty()) throw InputError(text_);
  }

 private:
  std::string text_;
};

}  // namespace

void check_pool(const PoolSpec& spec) {
  Findings findings;
  findings.range("controllers", spec.controllers, 1, 1u << 20);
  findings.range("switches", spec.switches, 1, 1024);
  findings.range("groups", spec.groups, 1, 1u << 20);
  findings.range("modules", spec.modules, 1, 1u << 20);
  findings.range("flit_bytes", spec.flit_bytes, 1, 1u << 20);
  findings.range("packet_bytes", spec.packet_bytes, 1, std::uint64_t{1} << 40);
  findings.range("interleave_bytes", spec.interleave_bytes, 1, std::uint64_t{1} << 40);
  findings.range("outstanding", spec.outstanding, 1, 1u << 30);
  findings.rate("controller", spec.controller_flits_per_cycle);
  findings.link("controller_link", spec.controller_link);
  findings.link("group_link", spec.group_link);
  findings.link("module_link", spec.module_link);
  findings.rate("module", spec.module.flits_per_cycle);
  findings.range("module queue", spec.module.queue, 1, 1u << 20);
  findings.range("module latency", spec.module.latency, 0, 1'000'000'000);
  findings.range("module recovery", spec.module.recovery, 0, 1'000'000'000);
  findings.throw_if_any();
  pool_mapping(spec.mapping);
  service_policies().at(spec.module.service);
}

// Each is in a file mapping_NAME.cpp.
const PoolMapping& interleaved_mapping();
const PoolMapping& own_mapping();

const PolicyList<PoolMapping>& pool_mappings() {
  static const PolicyList<PoolMapping> list("unknown mapping", {&interleaved_mapping(), &own_mapping()});
  return list;
}

const PoolMapping& pool_mapping(const std::string& name) { return pool_mappings().at(name); }

}  // namespace weft::mem
