// SPDX-License-Identifier: Apache-2.0
// GTKWave layouts made for a question: which signals of a file answer it, in which groups and how they are shown.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "waves/gtkw_layout.h"
#include "waves/wave_reader.h"

namespace weft::waves {

/// The questions: collective (who is at which collective, and what goes over the links), router, switch, npu (what one
/// does, with all it has), lockstep (RTL beside model).
const std::vector<std::string>& layout_names();

/// Whether a file has signals that answer `question`. Throws as `make_layout` does.
bool answers(const std::string& question, const WaveHeader& header);

/// The layout that answers `question` from the signals of a file; all signals if none of them does. Throws InputError
/// for an unknown question, with the nearest one.
GtkwLayout make_layout(const std::string& question, const WaveHeader& header);

/// Writes it for `wave` to `file`. VCD files have no names for numbers: files that translate them,
/// `<stem>.<signal>.txt`, come beside it.
void write_layout(const std::filesystem::path& file, const std::filesystem::path& wave, const std::string& question,
                  const WaveHeader& header, const GtkwView& view);

}  // namespace weft::waves
