// SPDX-License-Identifier: Apache-2.0
#include "network/names.h"

#include <fmt/format.h>

#include <charconv>

namespace weft::network {
namespace {

constexpr std::string_view kFabric = "fabric.";

/// Takes parts off the front of a name.
class NameReader {
 public:
  explicit NameReader(std::string_view text) : rest_(text) {}
  std::string_view rest() const { return rest_; }
  bool take(std::string_view text) {
    if (rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  /// A number without a sign; false, with `value` and the name as they were, where there is none.
  bool take_number(int* value) {
    int found = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), found);
    if (error != std::errc() || rest_.front() == '-') return false;
    *value = found;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return true;
  }
  /// `text[value]`
  bool take_indexed(std::string_view text, int* value) {
    return take(text) && take("[") && take_number(value) && take("]");
  }

 private:
  std::string_view rest_;
};

bool take_router(NameReader& name, NameParts* parts) {
  if (!name.take("router[") || !name.take_number(&parts->x)) return false;
  if (name.take("]")) {
    parts->number = parts->x;
    parts->x = -1;
    return true;
  }
  return name.take(",") && name.take_number(&parts->y) && name.take("]");
}

bool take_switch(NameReader& name, SwitchNumbers* numbers) {
  if (!name.take("l") || !name.take_number(&numbers->level) || !name.take_indexed("", &numbers->group)) return false;
  const auto take_level = [&name](std::string_view level, int* value) {
    NameReader ahead = name;
    if (ahead.take(level) && ahead.take_number(value) && ahead.take("]")) name = ahead;
  };
  take_level(".slice[", &numbers->slice);
  take_level(".plane[", &numbers->plane);
  return true;
}

/// The node at the front of a name, which is left with what follows it.
NameParts take_node(NameReader& name) {
  const NameReader whole = name;
  NameParts parts;
  const auto as = [&](NameKind kind) {
    parts.kind = kind;
    return parts;
  };
  if (name.take_indexed("npu", &parts.number)) return as(NameKind::kNpu);
  name = whole;
  if (name.take_indexed("io", &parts.number)) return as(NameKind::kIo);
  name = whole;
  if (take_router(name, &parts)) return as(NameKind::kRouter);
  name = whole;
  if (take_switch(name, &parts.in_switch)) return as(NameKind::kSwitch);
  return {};
}

}  // namespace

std::string npu_name(std::size_t number) { return fmt::format("npu[{}]", number); }
std::string io_name(std::size_t number) { return fmt::format("io[{}]", number); }
std::string router_name(std::size_t number) { return fmt::format("router[{}]", number); }
std::string router_name(int x, int y) { return fmt::format("router[{},{}]", x, y); }
std::string router_name(std::string_view x, std::string_view y) { return fmt::format("router[{},{}]", x, y); }

std::string switch_name(const SwitchNumbers& numbers) {
  std::string name = fmt::format("l{}[{}]", numbers.level, numbers.group);
  if (numbers.slice >= 0) name += fmt::format(".slice[{}]", numbers.slice);
  if (numbers.plane >= 0) name += fmt::format(".plane[{}]", numbers.plane);
  return name;
}

std::string in_fabric(std::string_view node) { return fmt::format("{}{}", kFabric, node); }

std::string numbered_port(std::string_view port, std::size_t number) { return fmt::format("{}[{}]", port, number); }
std::string link_name(std::string_view node, std::string_view port) {
  return fmt::format("{}{}.{}", kFabric, node, port);
}
std::string out_link_name(std::string_view node) { return fmt::format("{}.out", node); }
std::string out_link_name(std::string_view node, int plane) { return fmt::format("{}.out.plane[{}]", node, plane); }

NameParts take_apart(std::string_view name) {
  NameReader reader(name);
  const NameParts parts = take_node(reader);
  return reader.rest().empty() ? parts : NameParts{};
}

NameParts node_in_front(std::string_view name) {
  NameReader reader(name);
  const bool within = reader.take(kFabric);
  const NameParts parts = take_node(reader);
  const bool of_fabric = parts.kind == NameKind::kRouter || parts.kind == NameKind::kSwitch;
  const bool ends = reader.rest().empty() || reader.rest().front() == '.';
  return ends && within == of_fabric ? parts : NameParts{};
}

}  // namespace weft::network
