// SPDX-License-Identifier: Apache-2.0
// Layers of a configuration: included files below the file, `--set` options on top.
#pragma once

#include <string>
#include <vector>

#include "config/load.h"
#include "config/tree.h"

namespace weft {

/// Reads text and everything that it includes into one tree.
RawNode read_layers(const std::string& text, const std::string& name, const ConfigFiles& files, ConfigErrors& errors);

/// Applies "path=value" options in their order. `value` is YAML; `a.b[0]` names an element of a list, one past the end
/// appends.
void apply_sets(RawNode& tree, const std::vector<std::string>& sets, ConfigErrors& errors);

/// `name` as written in `source` (a file): beside that file when `found` says so, else as it is.
std::string beside(const std::string& source, const std::string& name);

}  // namespace weft
