// SPDX-License-Identifier: Apache-2.0
// In the place of FST where fstapi was not found at configuration.
#include "base/error.h"
#include "waves/fst/fst_format.h"

namespace weft::waves {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& path) { throw InputError("'" + path.string() + "': " + kNoFst); }

}  // namespace

std::unique_ptr<WaveWriter> make_fst_writer(const std::filesystem::path& path, TimeUnit) { refuse(path); }
std::unique_ptr<WaveReader> make_fst_reader(const std::filesystem::path& path) { refuse(path); }
bool has_fst() { return false; }

}  // namespace weft::waves
