// SPDX-License-Identifier: Apache-2.0
// Keys that had another name before. Files and options with the old name are read for a while, with a warning.
#pragma once

#include <string>

#include "config/tree.h"

namespace weft {

/// The name that the key `name` of `section` ("" = the whole file) has now; warns at `origin` where it is another one.
std::string new_key_name(const std::string& section, const std::string& name, const Origin& origin,
                         ConfigErrors& errors);
/// Gives all keys in `node`, the value of `section`, their new names. That a map has the old and the new name of a key
/// is an error.
void rename_old_keys(RawNode& node, const std::string& section, ConfigErrors& errors);

}  // namespace weft
