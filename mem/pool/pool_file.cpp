// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/pool_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/name_pattern.h"
#include "base/read_file.h"
#include "base/text_distance.h"
#include "mem/map_reader.h"
#include "mem/pool/module_service.h"
#include "mem/pool/pool_file_access.h"

namespace weft::mem {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 62;

/// The part of a file about what the pool is made of.
class Reader {
 public:
  Reader(const std::string& text, const std::string& source, Rational hertz)
      : root_(parse_yaml(text, source, false, errors_)), hertz_(hertz) {
    file_.source = source;
  }

  PoolFile read() {
    if (errors_.is_blind()) errors_.throw_if_any();  // not even YAML
    if (root_.find("modules") == nullptr && root_.find("timing") != nullptr) {
      errors_.add(root_.origin, "this is the timing of a DRAM (memory.timing), where a pool is expected");
      errors_.throw_if_any();
    }
    const MapReader top(&root_, root_.origin, "",
                        {"name", "size", "flit", "packet", "interleave", "mapping", "controllers", "switches", "groups",
                         "modules", "links", "module", "access", "grants"},
                        errors_);
    if (root_.kind != RawNode::Kind::kMap) errors_.throw_if_any();
    read_pool(top);
    PoolAccessReader(top, hertz_, errors_).read(file_);
    errors_.throw_if_any();
    check(top);
    errors_.throw_if_any();
    return file_;
  }

 private:
  void read_pool(const MapReader& top) {
    PoolSpec& spec = file_.spec;
    std::string name;
    top.text("name", name, kOptional);
    top.bytes("size", file_.size, 4096, kMostBytes, kNeeded);
    top.bytes("flit", spec.flit_bytes, 1, 1u << 20, kOptional);
    top.bytes("packet", spec.packet_bytes, 1, std::uint64_t{1} << 40, kOptional);
    top.bytes("interleave", spec.interleave_bytes, 1, std::uint64_t{1} << 40, kOptional);
    top.word("mapping", spec.mapping, pool_mappings().names(), kOptional);
    top.whole("switches", spec.switches, 1, 1024, kOptional);
    top.whole("groups", spec.groups, 1, 1u << 20, kOptional);
    top.whole("modules", spec.modules, 1, 1u << 20, kNeeded);
    read_controllers(top.child("controllers", {"count", "bandwidth", "outstanding"}));
    const MapReader links = top.child("links", {"controller", "group", "module"});
    read_link(links.child("controller", kLinkKeys), spec.controller_link);
    read_link(links.child("group", kLinkKeys), spec.group_link);
    read_link(links.child("module", kLinkKeys), spec.module_link);
    read_module(top.child("module", {"latency", "bandwidth", "service", "recovery", "queue"}));
  }

  void read_controllers(const MapReader& map) {
    file_.has_controllers = map.find("count") != nullptr;
    file_.count_origin = map.origin_of("count");
    map.whole("count", file_.spec.controllers, 1, 1u << 20, kOptional);
    map.rate("bandwidth", file_.spec.controller_flits_per_cycle, file_.spec.flit_bytes, hertz_, kNeeded);
    map.whole("outstanding", file_.spec.outstanding, 1, 1u << 30, kOptional);
  }

  void read_link(const MapReader& map, PoolLinkSpec& link) {
    map.rate("bandwidth", link.flits_per_cycle, file_.spec.flit_bytes, hertz_, kNeeded);
    map.cycles("latency", link.latency, 1, hertz_, kNeeded);
    std::uint64_t buffer = std::uint64_t{link.buffer_flits} * file_.spec.flit_bytes;
    map.bytes("buffer", buffer, file_.spec.flit_bytes, file_.spec.flit_bytes << 20, kOptional);
    link.buffer_flits = static_cast<std::uint32_t>(buffer / file_.spec.flit_bytes);
  }

  void read_module(const MapReader& map) {
    PoolModuleSpec& module = file_.spec.module;
    map.cycles("latency", module.latency, 0, hertz_, kNeeded);
    map.rate("bandwidth", module.flits_per_cycle, file_.spec.flit_bytes, hertz_, kNeeded);
    map.word("service", module.service, service_policies().names(), kOptional);
    map.cycles("recovery", module.recovery, 0, hertz_, kOptional);
    map.whole("queue", module.queue, 1, 1u << 20, kOptional);
    if (module.recovery > 0 && module.service == "pipelined")
      map.refuse("recovery", "has no effect with service pipelined; legal: with service serial");
  }

  // Between values that are good by themselves.
  void check(const MapReader& top) {
    const PoolSpec& spec = file_.spec;
    if (spec.packet_bytes < spec.flit_bytes)
      top.refuse("packet", fmt::format("{} bytes are less than a flit of {}; legal: a flit or more", spec.packet_bytes,
                                       spec.flit_bytes));
    else if (spec.packet_bytes % spec.flit_bytes != 0)
      top.refuse("packet", fmt::format("{} bytes are no whole flits of {}; legal: {} or {}", spec.packet_bytes,
                                       spec.flit_bytes, spec.packet_bytes / spec.flit_bytes * spec.flit_bytes,
                                       (spec.packet_bytes / spec.flit_bytes + 1) * spec.flit_bytes));
    if (spec.all_modules() > (1u << 20))
      top.refuse("modules", fmt::format("{} groups of {} are {} modules; legal: up to {}", spec.groups, spec.modules,
                                        spec.all_modules(), 1u << 20));
    if (spec.mapping == "own" && top.find("interleave") != nullptr)
      top.refuse("interleave", "has no effect with mapping own; legal: with mapping interleaved");
    const std::uint64_t round = spec.interleave_bytes * spec.all_modules();
    if (spec.mapping == "interleaved" && file_.size < round)
      top.refuse("size", fmt::format("{} bytes do not reach all {} modules in pieces of {}; legal: {} and more",
                                     file_.size, spec.all_modules(), spec.interleave_bytes, round));
    try {
      check_pool(spec);
    } catch (const InputError& error) {
      errors_.add(root_.origin, error.what());
    }
  }

  static inline const std::vector<std::string_view> kLinkKeys{"bandwidth", "latency", "buffer"};

  ConfigErrors errors_;
  RawNode root_;
  Rational hertz_;
  PoolFile file_;
};

}  // namespace

bool contains(const RankSet& ranks, std::uint32_t rank) {
  return std::any_of(ranks.begin(), ranks.end(), [rank](const RankRange& range) { return range.contains(rank); });
}

bool means(const PoolGrant& grant, const PoolTensor& tensor) {
  if (!matches_pattern(grant.tensor, tensor.name)) return false;
  if (grant.group) return tensor.group == *grant.group;
  if (grant.of) return tensor.group.empty() && contains(*grant.of, tensor.rank);
  return true;
}

const PoolGrant* deciding_grant(const std::vector<PoolGrant>& grants, const PoolTensor& tensor) {
  const auto found =
      std::find_if(grants.begin(), grants.end(), [&](const PoolGrant& grant) { return means(grant, tensor); });
  return found == grants.end() ? nullptr : &*found;
}

PoolFile parse_pool(const std::string& text, const std::string& source, Rational hertz) {
  return Reader(text, source, hertz).read();
}

PoolFile read_pool_file(const std::string& path, Rational hertz) {
  return parse_pool(read_file(path, kMaxConfigBytes), path, hertz);
}

}  // namespace weft::mem
