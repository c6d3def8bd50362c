// SPDX-License-Identifier: Apache-2.0
// The key table as text for editors and readers.
#pragma once

#include <string>

namespace weft {

/// JSON Schema (draft 7) of configuration files, with descriptions, for editors.
std::string config_schema();
/// The reference page of all keys in Markdown (docs/config.md).
std::string config_reference();

}  // namespace weft
