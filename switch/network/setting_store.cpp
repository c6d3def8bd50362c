// SPDX-License-Identifier: Apache-2.0
#include "switch/network/setting_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace weft::fred {
namespace {

constexpr const char* kOthers = " or another";

/// Both only copy, from and to the same ports.
bool copy_alike(const Flow& a, const Flow& b) {
  return a.inputs.size() == 1 && a.inputs == b.inputs && a.outputs == b.outputs;
}

}  // namespace

std::uint32_t SettingStore::add(const FlowSet& flows, const SwitchSetting& setting) {
  check_flows(net_, flows);
  verify_setting(net_, flows, setting);
  const bool taken = overflow_ == kCount || (overflow_ == kReload && capacity() > 0);
  if (size() > capacity() && !taken) {
    throw InputError(
        fmt::format("{}: no room for stored setting {}: {} bytes of memory for stored settings hold {} of {} bits; "
                    "legal: a larger fabric.setting_memory, or fabric.reload_cycles above 0 and room for one",
                    net_.name(), size(), memory_bytes_, capacity(), bits()));
  }
  StoredSetting stored;
  stored.flows = flows;
  stored.uswitch_settings = setting;
  stored.datapaths = make_datapath_plans(net_, flows, setting, timing_);
  stored.flow_of_input.assign(net_.ports, -1);
  stored.flow_of_output.assign(net_.ports, -1);
  for (std::size_t f = 0; f < flows.size(); ++f) {
    for (const PortId port : flows[f].inputs) stored.flow_of_input[index(port)] = static_cast<int>(f);
    for (const PortId port : flows[f].outputs) stored.flow_of_output[index(port)] = static_cast<int>(f);
  }
  stored_.push_back(std::move(stored));
  if (residents_.size() < capacity()) {
    residents_.insert(residents_.begin() + static_cast<std::ptrdiff_t>(unused_), size() - 1);
    ++unused_;
  }
  return size() - 1;
}

bool SettingStore::activate(std::uint32_t index) {
  if (index == kUnicasts) return false;
  const auto found = std::find(residents_.begin(), residents_.end(), index);
  const bool loads = found == residents_.end();
  const auto leaves = loads ? residents_.begin() : found;
  if (leaves < residents_.begin() + static_cast<std::ptrdiff_t>(unused_)) --unused_;
  residents_.erase(leaves);
  residents_.push_back(index);
  return loads;
}

bool SettingStore::resident(std::uint32_t index) const {
  return index == kUnicasts || std::find(residents_.begin(), residents_.end(), index) != residents_.end();
}

std::uint32_t SettingStore::share(const FlowSet& flows) {
  for (std::uint32_t i = 1; i < size(); ++i) {
    FlowSet& there = stored_[i].flows;
    if (!std::equal(there.begin(), there.end(), flows.begin(), flows.end(), copy_alike)) continue;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (there[f].name == flows[f].name) continue;
      if (there[f].name.find(kOthers) == std::string::npos) there[f].name += kOthers;
    }
    return i;
  }
  return 0;
}

std::uint32_t SettingStore::add(const FlowSet& flows) {
  const RouteResult result = route_flows(net_, flows);
  if (result.status != RouteStatus::kRouted) throw InputError(describe(net_, flows, result));
  return add(flows, result.setting);
}

}  // namespace weft::fred
