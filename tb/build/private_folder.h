// SPDX-License-Identifier: Apache-2.0
// Folders from which code is loaded: only what their owner alone can write is trusted.
#pragma once

#include <filesystem>

namespace weft::tb {

/// Makes the folder, with those around it, for its owner alone (mode 0700); one that is there stays as it is. Throws
/// InputError where it cannot be made, and as `require_private` does.
void make_private_folder(const std::filesystem::path& folder);

/// Throws InputError, which says how to mend it, unless the folder belongs to the user of this process and nobody else
/// may write into it.
void require_private(const std::filesystem::path& folder);

/// The same for an open file, which `file` names.
void require_private_file(int descriptor, const std::filesystem::path& file);

/// The folder of this user's home: $HOME, else that of the list of users. Empty where there is none.
std::filesystem::path home_folder();

}  // namespace weft::tb
