// SPDX-License-Identifier: Apache-2.0
// Reads FST with GTKWave's fstapi.
#include <fmt/format.h>
#include <fstapi.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/error.h"
#include "waves/fst/fst_format.h"
#include "waves/fst/fst_unit.h"

/// fstapi found something that it cannot go on with, or lacks memory.
class FstGaveUp : public weft::InputError {
 public:
  FstGaveUp() : InputError("an FST file is damaged, or memory is short") {}
};

extern "C" void weft_fst_give_up(int) { throw FstGaveUp(); }

namespace weft::waves {
namespace {

struct FstClose {
  void operator()(void* file) const { fstReaderClose(file); }
};

/// The names of signals stand in a block of their own, the last thing that is written.
bool has_names(std::istream& in) {
  for (std::uint64_t at = 0;;) {
    unsigned char head[9] = {};
    in.seekg(static_cast<std::streamoff>(at));
    if (!in.read(reinterpret_cast<char*>(head), sizeof head)) return false;
    if (head[0] == FST_BL_HIER || head[0] == FST_BL_HIER_LZ4 || head[0] == FST_BL_HIER_LZ4DUO ||
        head[0] == FST_BL_ZWRAPPER) {
      return true;
    }
    std::uint64_t bytes = 0;  // behind the kind
    for (std::size_t i = 1; i < sizeof head; ++i) bytes = bytes << 8 | head[i];
    if (bytes == 0 || bytes > static_cast<std::uint64_t>(std::numeric_limits<std::streamoff>::max()) - at - 1) {
      return false;
    }
    at += 1 + bytes;
  }
}

/// Nonzero times stand in the head of a file that was ended; on a full disk they may without the names.
bool was_ended(const std::filesystem::path& path) {
  constexpr std::streamoff kTimes = 9;
  std::ifstream in(path, std::ios::binary);
  in.seekg(kTimes);
  char bytes[16] = {};
  in.read(bytes, sizeof bytes);
  return std::any_of(bytes, bytes + sizeof bytes, [](char c) { return c != 0; }) && has_names(in);
}

class FstReader final : public WaveReader {
 public:
  explicit FstReader(const std::filesystem::path& path) : path_(path), complete_(was_ended(path)) {
    file_.reset(fstReaderOpen(path.c_str()));
    const std::filesystem::path names = path.string() + ".hier";
    if (file_ == nullptr || fstReaderGetVarCount(file_.get()) == 0) {
      throw InputError(fmt::format("'{}' cannot be read: {}", path.string(),
                                   complete_ || std::filesystem::exists(names)
                                       ? "it is no FST file, or damaged"
                                       : "it is no FST file, or it was not ended and the names of its signals, '" +
                                             names.filename().string() + "', are not beside it"));
    }
    header_.unit = unit_of(fstReaderGetTimescale(file_.get()));
    signals_of_.resize(fstReaderGetMaxHandle(file_.get()) + std::size_t{1});
    read_hierarchy();
  }

  bool complete() const override { return complete_; }

  std::uint64_t read(const ValueVisitor& visit) override {
    Reading reading{this, &visit};
    fstReaderSetFacProcessMaskAll(file_.get());
    bool good = false;
    try {
      good = fstReaderIterBlocks2(file_.get(), one_value, one_text, &reading, nullptr) != 0;
    } catch (const FstGaveUp&) {
      // `good` stays false.
    }
    if (!good) throw InputError(fmt::format("'{}' is damaged", path_.string()));
    return fstReaderGetEndTime(file_.get());
  }

 private:
  struct Reading {
    FstReader* reader;
    const ValueVisitor* visit;
    bool ended = false;
  };

  static std::string unit_of(int exponent) {
    static const char* const kUnits[] = {"s", "ms", "us", "ns", "ps", "fs"};
    constexpr int kDecades = 3;
    const int below = -exponent;
    if (below < 0 || below > 15) return fmt::format("1e{}s", exponent);
    const int unit = (below + kDecades - 1) / kDecades;
    std::string count = "1";
    for (int zeros = unit * kDecades - below; zeros > 0; --zeros) count += "0";
    return count + kUnits[unit];
  }

  static void one_value(void* reading, std::uint64_t time, fstHandle handle, const unsigned char* value) {
    const auto* const text = reinterpret_cast<const char*>(value);
    tell(reading, time, handle, std::string_view(text, std::strlen(text)));
  }
  static void one_text(void* reading, std::uint64_t time, fstHandle handle, const unsigned char* value,
                       std::uint32_t size) {
    tell(reading, time, handle, std::string_view(reinterpret_cast<const char*>(value), size));
  }
  static void tell(void* to, std::uint64_t time, fstHandle handle, std::string_view value) {
    Reading& reading = *static_cast<Reading*>(to);
    for (const std::size_t signal : reading.reader->signals_of_[handle]) {
      if (reading.ended) return;
      reading.ended = !(*reading.visit)(time, signal, value);
    }
  }

  void read_hierarchy() {
    fstReaderIterateHierRewind(file_.get());
    std::vector<std::string> scopes;
    while (const fstHier* const item = fstReaderIterateHier(file_.get())) {
      if (item->htyp == FST_HT_SCOPE) {
        scopes.emplace_back(item->u.scope.name);
      } else if (item->htyp == FST_HT_UPSCOPE && !scopes.empty()) {
        scopes.pop_back();
      } else if (item->htyp == FST_HT_ATTRBEGIN && item->u.attr.typ == FST_AT_MISC) {
        note_attribute(item->u.attr);
      } else if (item->htyp == FST_HT_VAR) {
        add_signal(scopes, item->u.var);
      }
    }
  }

  template <typename Attribute>
  void note_attribute(const Attribute& attribute) {
    const std::string text = attribute.name == nullptr ? "" : attribute.name;
    if (attribute.subtype == FST_MT_COMMENT) {
      const std::size_t colon = text.find(": ");
      if (colon != std::string::npos) header_.remarks[text.substr(0, colon)] = text.substr(colon + 2);
    } else if (attribute.subtype == FST_MT_ENUMTABLE) {
      if (!text.empty()) tables_[attribute.arg] = names_of(text);
      names_ = tables_[attribute.arg];
    }
  }

  template <typename Variable>
  void add_signal(const std::vector<std::string>& scopes, const Variable& variable) {
    WaveSignal signal;
    for (const std::string& scope : scopes) signal.name += scope + ".";
    std::string name = variable.name;
    const std::size_t bracket = name.rfind(" [");
    const std::size_t colon = name.rfind(':');
    if (bracket != std::string::npos && name.back() == ']') {
      if (colon != std::string::npos && colon > bracket) {
        signal.ranged = true;
        signal.lowest_bit = std::atoi(name.c_str() + colon + 1);
        name.erase(bracket);
      } else {
        name.erase(bracket, 1);  // one bit of a vector: a[3]
      }
    }
    signal.name += name;
    signal.bits = static_cast<int>(std::max<std::uint32_t>(variable.length, 1));
    if (variable.typ == FST_VT_GEN_STRING) signal.kind = WaveKind::kString;
    if (variable.typ == FST_VT_VCD_INTEGER) signal.kind = WaveKind::kInteger;
    if (!names_.empty()) signal.kind = WaveKind::kEnum;
    signal.names = std::move(names_);
    names_.clear();
    if (variable.handle < signals_of_.size()) signals_of_[variable.handle].push_back(header_.signals.size());
    header_.signals.push_back(std::move(signal));
  }

  /// Names of a table whose values are 0, 1, ...; those of others are put where their values say.
  static std::vector<std::string> names_of(const std::string& text) {
    std::vector<std::string> names;
    fstETab* const table = fstUtilityExtractEnumTableFromString(text.c_str());
    if (table == nullptr) return names;
    constexpr std::size_t kMostValues = 4096;
    for (std::uint32_t i = 0; i < table->elem_count; ++i) {
      const std::size_t value = std::strtoul(table->val_arr[i], nullptr, 2);
      if (value >= kMostValues) continue;
      if (names.size() <= value) names.resize(value + 1);
      names[value] = table->literal_arr[i];
    }
    fstUtilityFreeEnumTable(table);
    return names;
  }

  std::filesystem::path path_;
  bool complete_;
  std::unique_ptr<void, FstClose> file_;
  std::vector<std::vector<std::size_t>> signals_of_;  ///< by handle
  std::map<std::uint64_t, std::vector<std::string>> tables_;
  std::vector<std::string> names_;  ///< of the enum that comes
};

}  // namespace

std::unique_ptr<WaveReader> make_fst_reader(const std::filesystem::path& path) {
  try {
    return std::make_unique<FstReader>(path);
  } catch (const FstGaveUp&) {
    throw InputError(fmt::format("'{}' cannot be read: it is damaged, or memory is short", path.string()));
  }
}

bool has_fst() { return true; }

}  // namespace weft::waves
