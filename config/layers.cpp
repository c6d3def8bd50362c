// SPDX-License-Identifier: Apache-2.0
#include "config/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/text_distance.h"
#include "config/names.h"
#include "config/renamed_keys.h"

namespace weft {
namespace {

constexpr std::size_t kMaxIncludes = 100;
constexpr std::size_t kMaxIncludeDepth = 20;

class LayerReader {
 public:
  LayerReader(const ConfigFiles& files, ConfigErrors& errors) : files_(files), errors_(errors) {}

  RawNode read(const std::string& text, const std::string& name) {
    open_.push_back(canonical(name));
    RawNode tree = parse_yaml(text, name, false, errors_);
    rename_old_keys(tree, "", errors_);
    RawNode base;
    base.kind = RawNode::Kind::kMap;
    base.origin = tree.origin;
    for (const RawNode& included : take_includes(tree)) merge_config(base, read_included(included, name));
    merge_config(base, std::move(tree));
    open_.pop_back();
    return base;
  }

 private:
  static std::string canonical(const std::string& name) {
    return std::filesystem::path(name).lexically_normal().string();
  }

  /// Removes the key `include` and gives its file names.
  std::vector<RawNode> take_includes(RawNode& tree) {
    const auto is_include = [](const RawNode::Entry& entry) { return entry.key == "include"; };
    const auto at = std::find_if(tree.entries.begin(), tree.entries.end(), is_include);
    if (at == tree.entries.end()) return {};
    RawNode value = std::move(at->value);
    tree.entries.erase(at);
    std::vector<RawNode> names;
    if (value.kind == RawNode::Kind::kList) {
      names = std::move(value.items);
    } else {
      names.push_back(std::move(value));
    }
    const auto is_bad = [&](const RawNode& name) {
      if (name.kind == RawNode::Kind::kScalar && !name.scalar.empty() && name.scalar.find('\0') == std::string::npos)
        return false;
      errors_.add_blinding(
          name.origin,
          fmt::format("include: {} cannot be used; legal: the name of a file, or a list of them", name.describe()));
      return true;
    };
    names.erase(std::remove_if(names.begin(), names.end(), is_bad), names.end());
    return names;
  }

  RawNode read_included(const RawNode& name, const std::string& includer) {
    RawNode nothing;
    nothing.origin = name.origin;
    const std::string path = beside(includer, name.scalar);
    if (std::find(open_.begin(), open_.end(), canonical(path)) != open_.end()) {
      errors_.add_blinding(name.origin, fmt::format("include: {} includes itself: {} -> {}", in_quotes(name.scalar),
                                                    fmt::join(open_, " -> "), canonical(path)));
      return nothing;
    }
    if (open_.size() >= kMaxIncludeDepth || ++includes_ > kMaxIncludes) {
      // Said once: what follows from a runaway include is not worth a line each.
      if (!is_runaway_)
        errors_.add_blinding(
            name.origin, fmt::format("include: more than {} files, or more than {} inside of each other", kMaxIncludes,
                                     kMaxIncludeDepth));
      is_runaway_ = true;
      return nothing;
    }
    try {
      return read(files_.read(path), path);
    } catch (const InputError& error) {
      errors_.add_blinding(name.origin, fmt::format("include: {}", error.what()));
      return nothing;
    }
  }

  const ConfigFiles& files_;
  ConfigErrors& errors_;
  std::vector<std::string> open_;
  std::size_t includes_ = 0;
  bool is_runaway_ = false;
};

/// One step of a path: a key, or an index of a list.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
};

/// "a.b[0]" -> a, b, [0]. Throws InputError.
std::vector<Step> parse_path(std::string_view path) {
  std::vector<Step> steps;
  const auto bad = [&](const char* reason) {
    throw InputError(fmt::format("{} is no path of keys: {}; legal: a.b or a.b[0]", in_quotes(path), reason));
  };
  std::size_t at = 0;
  while (true) {
    const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
    if (end == at) bad("a name is missing");
    steps.push_back({std::string(path.substr(at, end - at)), std::nullopt});
    at = end;
    while (at < path.size() && path[at] == '[') {
      const std::size_t close = path.find(']', at);
      const std::string digits(close == std::string_view::npos ? "" : path.substr(at + 1, close - at - 1));
      if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != std::string::npos)
        bad("an index must be a number in brackets");
      steps.push_back({"", static_cast<std::size_t>(std::atoi(digits.c_str()))});
      at = close + 1;
    }
    if (at == path.size()) return steps;
    if (path[at] != '.') bad("'.' or '[' expected");
    ++at;
  }
}

struct SetOption {
  Origin origin;
  std::vector<Step> steps;
  RawNode value;
};

/// Gives keys that an option names by old names their new ones.
void rename_old_keys(SetOption& option, ConfigErrors& errors) {
  std::string path;
  for (Step& step : option.steps) {
    if (step.index) return;
    step.key = new_key_name(path, step.key, option.origin, errors);
    path += (path.empty() ? "" : ".") + step.key;
  }
  rename_old_keys(option.value, path, errors);
}

std::optional<SetOption> parse_set(const std::string& text, ConfigErrors& errors) {
  SetOption option;
  const std::string shown = fmt::format("--set {}", text.size() > 200 ? text.substr(0, 200) + "..." : text);
  option.origin = {std::make_shared<const std::string>(shown), 0, 0};
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    errors.add(option.origin, "no '='; legal: path=value, for example --set fabric.router.vcs=8");
    return std::nullopt;
  }
  try {
    option.steps = parse_path(std::string_view(text).substr(0, equals));
  } catch (const InputError& error) {
    errors.add(option.origin, error.what());
    return std::nullopt;
  }
  const std::size_t errors_before = errors.size();
  option.value = parse_yaml(text.substr(equals + 1), shown, true, errors);
  if (errors.size() != errors_before) return std::nullopt;
  rename_old_keys(option, errors);
  return option;
}

RawNode& step_into_map(RawNode& node, const std::string& key, const Origin& origin) {
  if (node.kind != RawNode::Kind::kMap) {
    node = RawNode();
    node.kind = RawNode::Kind::kMap;
    node.origin = origin;
  }
  if (RawNode* found = node.find(key)) return *found;
  RawNode empty;
  empty.origin = origin;
  node.entries.push_back({key, origin, empty});
  return node.entries.back().value;
}

RawNode& step_into_list(RawNode& node, std::size_t index, const Origin& origin) {
  if (node.kind == RawNode::Kind::kNull) node.kind = RawNode::Kind::kList;
  if (node.kind != RawNode::Kind::kList)
    throw InputError(fmt::format("[{}] asks for an element of {}, which is not a list", index, node.describe()));
  if (index > node.items.size())
    throw InputError(fmt::format("[{}] is out of range; the list has {} elements, legal: 0 to {}", index,
                                 node.items.size(), node.items.size()));
  if (index == node.items.size()) {
    node.items.emplace_back();
    node.items.back().origin = origin;
  }
  return node.items[index];
}

void apply_set(RawNode& tree, const SetOption& option) {
  if (option.steps[0].key == "include") throw InputError("'include' cannot be set; it belongs into a file");
  RawNode* node = &tree;
  for (const Step& step : option.steps)
    node = step.index ? &step_into_list(*node, *step.index, option.origin)
                      : &step_into_map(*node, step.key, option.origin);
  if (option.value.kind == RawNode::Kind::kNull) {
    *node = option.value;
  } else {
    merge_config(*node, option.value);
  }
}

/// Kinds of workload that an option names.
void add_workload_kinds(const SetOption& option, std::vector<std::string>& kinds) {
  if (option.steps[0].key != "workload") return;
  if (option.steps.size() > 1) {
    if (is_workload_kind(option.steps[1].key)) kinds.push_back(option.steps[1].key);
    return;
  }
  for (const RawNode::Entry& entry : option.value.entries)
    if (is_workload_kind(entry.key)) kinds.push_back(entry.key);
}

}  // namespace

std::string beside(const std::string& source, const std::string& name) {
  const std::filesystem::path path(name);
  if (path.is_absolute()) return name;
  return (std::filesystem::path(source).parent_path() / path).lexically_normal().string();
}

RawNode read_layers(const std::string& text, const std::string& name, const ConfigFiles& files, ConfigErrors& errors) {
  return LayerReader(files, errors).read(text, name);
}

void apply_sets(RawNode& tree, const std::vector<std::string>& sets, ConfigErrors& errors) {
  if (tree.kind != RawNode::Kind::kMap) return;  // not a configuration; the reader of keys says so
  std::vector<SetOption> options;
  std::vector<std::string> kinds;
  for (const std::string& text : sets) {
    auto option = parse_set(text, errors);
    if (!option) continue;
    add_workload_kinds(*option, kinds);
    options.push_back(std::move(*option));
  }
  keep_workload_kinds(tree, kinds);
  for (const SetOption& option : options) {
    try {
      apply_set(tree, option);
    } catch (const InputError& error) {
      errors.add(option.origin, error.what());
    }
  }
}

}  // namespace weft
