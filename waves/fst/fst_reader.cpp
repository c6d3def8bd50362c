// SPDX-License-Identifier: Apache-2.0
// Reads FST with GTKWave's fstapi, in a child process.
#include <fmt/format.h>
#include <fstapi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <memory>

#include "base/error.h"
#include "waves/fst/fst_format.h"
#include "waves/fst/fst_unit.h"
#include "waves/fst/reading_child.h"

/// fstapi found something that it cannot go on with, or lacks memory.
extern "C" void weft_fst_give_up(int) { throw weft::InputError("an FST file is damaged, or memory is short"); }

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

/// Kinds of records of the signals.
enum : std::uint64_t { kScope, kUpscope, kComment, kEnumTable, kVariable };

/// A table of an enum's names: its number and, unless it was told before, how many values it names, then each of them.
void tell_table(std::uint64_t number, const char* text, Records& records) {
  fstETab* const table = *text == '\0' ? nullptr : fstUtilityExtractEnumTableFromString(text);
  records.number(kEnumTable).number(number).number(table == nullptr ? 0 : table->elem_count);
  for (std::uint32_t i = 0; table != nullptr && i < table->elem_count; ++i) {
    records.number(std::strtoul(table->val_arr[i], nullptr, 2)).text(table->literal_arr[i]);
  }
  fstUtilityFreeEnumTable(table);
}

/// First the power of ten of the unit and the number of variables, then records of the signals.
bool tell_signals(const char* path, Records& records) {
  const std::unique_ptr<void, FstClose> file(fstReaderOpen(path));
  if (file == nullptr) {
    records.number(0).number(0);
    return true;
  }
  records.number(static_cast<std::uint64_t>(std::int64_t{fstReaderGetTimescale(file.get())}))
      .number(fstReaderGetVarCount(file.get()));
  fstReaderIterateHierRewind(file.get());
  while (const fstHier* const item = fstReaderIterateHier(file.get())) {
    if (item->htyp == FST_HT_SCOPE) {
      records.number(kScope).text(item->u.scope.name);
    } else if (item->htyp == FST_HT_UPSCOPE) {
      records.number(kUpscope);
    } else if (item->htyp == FST_HT_ATTRBEGIN && item->u.attr.typ == FST_AT_MISC) {
      const char* const text = item->u.attr.name == nullptr ? "" : item->u.attr.name;
      if (item->u.attr.subtype == FST_MT_COMMENT) records.number(kComment).text(text);
      if (item->u.attr.subtype == FST_MT_ENUMTABLE) tell_table(item->u.attr.arg, text, records);
    } else if (item->htyp == FST_HT_VAR) {
      const auto& variable = item->u.var;
      records.number(kVariable).number(variable.typ).number(variable.length).number(variable.handle);
      records.text(variable.name);
    }
  }
  return true;
}

void tell_text(void* records, std::uint64_t time, fstHandle handle, const unsigned char* value, std::uint32_t size) {
  static_cast<Records*>(records)->number(handle).number(time).text({reinterpret_cast<const char*>(value), size});
}
void tell_value(void* records, std::uint64_t time, fstHandle handle, const unsigned char* value) {
  tell_text(records, time, handle, value,
            static_cast<std::uint32_t>(std::strlen(reinterpret_cast<const char*>(value))));
}

/// First the time of the end; handle, time and value of each change; then kEnd.
constexpr std::uint64_t kEnd = ~std::uint64_t{0};

bool tell_changes(const char* path, Records& records) {
  const std::unique_ptr<void, FstClose> file(fstReaderOpen(path));
  if (file == nullptr) return false;
  records.number(fstReaderGetEndTime(file.get()));
  fstReaderSetFacProcessMaskAll(file.get());
  if (fstReaderIterBlocks2(file.get(), tell_value, tell_text, &records, nullptr) == 0) return false;
  records.number(kEnd);
  return true;
}

class FstReader final : public WaveReader {
 public:
  explicit FstReader(const std::filesystem::path& path) : path_(path), complete_(was_ended(path)) {
    ReadingChild child(path, tell_signals);
    const auto unit = static_cast<std::int64_t>(child.number());
    const std::filesystem::path names = path.string() + ".hier";
    variables_ = child.number();
    if (variables_ == 0) {
      throw InputError(fmt::format("'{}' cannot be read: {}", path.string(),
                                   complete_ || std::filesystem::exists(names)
                                       ? "it is no FST file, or damaged"
                                       : "it is no FST file, or it was not ended and the names of its signals, '" +
                                             names.filename().string() + "', are not beside it"));
    }
    header_.unit = unit_of(static_cast<int>(unit));
    read_hierarchy(child);
  }

  bool complete() const override { return complete_; }

  std::uint64_t read(const ValueVisitor& visit) override {
    ReadingChild child(path_, tell_changes);
    const std::uint64_t end = child.number();
    for (std::uint64_t handle = 0; child.next(&handle);) {
      if (handle == kEnd) return end;
      const std::uint64_t time = child.number();
      const std::string& value = child.text();
      if (handle >= signals_of_.size()) continue;
      for (const std::size_t signal : signals_of_[handle]) {
        if (!visit(time, signal, value)) return end;
      }
    }
    throw InputError(fmt::format("'{}' is damaged", path_.string()));
  }

 private:
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

  void read_hierarchy(ReadingChild& child) {
    std::vector<std::string> scopes;
    for (std::uint64_t kind = 0; child.next(&kind);) {
      if (kind == kScope) {
        scopes.push_back(child.text());
      } else if (kind == kUpscope) {
        if (!scopes.empty()) scopes.pop_back();
      } else if (kind == kComment) {
        note_comment(child.text());
      } else if (kind == kEnumTable) {
        note_names(child);
      } else {
        add_signal(scopes, child);
      }
    }
  }

  void note_comment(const std::string& text) {
    const std::size_t colon = text.find(": ");
    if (colon != std::string::npos) header_.remarks[text.substr(0, colon)] = text.substr(colon + 2);
  }
  /// Names are put where their values say.
  void note_names(ReadingChild& child) {
    constexpr std::size_t kMostValues = 4096;
    const std::uint64_t number = child.number();
    const std::uint64_t count = child.number();
    std::vector<std::string> names;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t value = child.number();
      const std::string& name = child.text();
      if (value >= kMostValues) continue;
      if (names.size() <= value) names.resize(value + 1);
      names[value] = name;
    }
    if (count > 0) tables_[number] = std::move(names);
    names_ = tables_[number];
  }

  void add_signal(const std::vector<std::string>& scopes, ReadingChild& child) {
    const std::uint64_t type = child.number();
    const std::uint64_t length = child.number();
    const std::uint64_t handle = child.number();
    WaveSignal signal;
    for (const std::string& scope : scopes) signal.name += scope + ".";
    std::string name = child.text();
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
    signal.bits = static_cast<int>(std::max<std::uint64_t>(length, 1));
    if (type == FST_VT_GEN_STRING) signal.kind = WaveKind::kString;
    if (type == FST_VT_VCD_INTEGER) signal.kind = WaveKind::kInteger;
    if (!names_.empty()) signal.kind = WaveKind::kEnum;
    signal.names = std::move(names_);
    names_.clear();
    header_.signals.push_back(std::move(signal));
    // Handles count from 1, and several signals can have the same. A damaged list of names can be of any length.
    if (handle > header_.signals.size() || header_.signals.size() > variables_)
      throw InputError(fmt::format("'{}' is damaged", path_.string()));
    if (handle >= signals_of_.size()) signals_of_.resize(handle + 1);
    signals_of_[handle].push_back(header_.signals.size() - 1);
  }

  std::filesystem::path path_;
  bool complete_;
  std::uint64_t variables_ = 0;
  std::vector<std::vector<std::size_t>> signals_of_;  ///< by handle
  std::map<std::uint64_t, std::vector<std::string>> tables_;
  std::vector<std::string> names_;  ///< value names of the enum that comes
};

}  // namespace

std::unique_ptr<WaveReader> make_fst_reader(const std::filesystem::path& path) {
  return std::make_unique<FstReader>(path);
}

bool has_fst() { return true; }

}  // namespace weft::waves
