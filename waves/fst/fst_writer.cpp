// SPDX-License-Identifier: Apache-2.0
#include "waves/fst/fst_writer.h"

#include <fmt/format.h>
#include <fstapi.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"
#include "waves/fst/fst_format.h"
#include "waves/fst/fst_unit.h"

namespace weft::waves {
namespace {

/// A flush costs a section with all values; files of many variables are flushed less often.
constexpr std::uint64_t kFlushAfterChanges = 1 << 18;
constexpr std::uint64_t kFlushAfterChangesPerVariable = 8;

int timescale(TimeUnit unit) {
  switch (unit) {
    case TimeUnit::kNanosecond:
      return -9;
    case TimeUnit::kPicosecond:
      return -12;
    case TimeUnit::kFemtosecond:
      return -15;
  }
  return -15;
}

double in_ns(std::uint64_t time, TimeUnit unit) {
  return static_cast<double>(time) * static_cast<double>(unit_femtoseconds(unit)) / 1e6;
}

std::string binary(std::uint64_t value, int bits) {
  std::string digits(static_cast<std::size_t>(bits), '0');
  for (int bit = 0; bit < bits; ++bit) {
    if ((value >> bit & 1) != 0) digits[static_cast<std::size_t>(bits - 1 - bit)] = '1';
  }
  return digits;
}

fstEnumHandle make_table(void* file, std::size_t number, const std::vector<std::string>& names, int bits) {
  std::vector<std::string> values;
  for (std::size_t value = 0; value < names.size(); ++value) values.push_back(binary(value, bits));
  std::vector<const char*> name_texts;
  std::vector<const char*> value_texts;
  for (std::size_t value = 0; value < names.size(); ++value) {
    name_texts.push_back(names[value].c_str());
    value_texts.push_back(values[value].c_str());
  }
  return fstWriterCreateEnumTable(file, fmt::format("names_{}", number).c_str(),
                                  static_cast<std::uint32_t>(names.size()), static_cast<unsigned>(bits),
                                  name_texts.data(), value_texts.data());
}

}  // namespace

std::unique_ptr<WaveWriter> make_fst_writer(const std::filesystem::path& path, TimeUnit unit) {
  return std::make_unique<FstWriter>(path, unit);
}

FstWriter::FstWriter(const std::filesystem::path& path, TimeUnit unit) : path_(path), unit_(unit) {
  weft_fst_watch(&error_);
  errno = 0;
  file_ = fstWriterCreate(path.c_str(), 1);
  if (file_ == nullptr) {
    throw InputError(fmt::format("waves.file: cannot create '{}': {}", path.string(), std::strerror(errno)));
  }
  fstWriterSetPackType(file_, FST_WR_PT_LZ4);
  fstWriterSetTimescale(file_, timescale(unit));
  fstWriterSetVersion(file_, "Weft");
  fstWriterSetDate(file_, "");  // same run, same bytes
  check();
}

FstWriter::~FstWriter() {
  if (file_ == nullptr) return;
  weft_fst_watch(&error_);
  fstWriterClose(file_);
  weft_fst_watch(nullptr);
}

void FstWriter::open_scope(const std::string& name) {
  fstWriterSetScope(file_, FST_ST_VCD_MODULE, name.c_str(), nullptr);
  ++open_scopes_;
}

void FstWriter::close_scope() {
  WEFT_CHECK(open_scopes_ > 0, "a wave scope is closed that was never opened");
  fstWriterSetUpscope(file_);
  --open_scopes_;
}

void FstWriter::comment(const std::string& text) { fstWriterSetComment(file_, text.c_str()); }

void FstWriter::declare(WaveVar, const WaveVariable& variable) {
  weft_fst_watch(&error_);
  std::string name = variable.name;
  const auto bits = static_cast<std::uint32_t>(variable.bits);
  fstVarType type = FST_VT_VCD_WIRE;
  if (variable.kind == WaveKind::kInteger) type = FST_VT_VCD_INTEGER;
  if (variable.kind == WaveKind::kString) type = FST_VT_GEN_STRING;
  if (variable.kind == WaveKind::kEnum) {
    std::uint32_t& table = tables_[variable.names];
    if (table == 0) {
      table = make_table(file_, tables_.size(), variable.names, variable.bits);
    } else {
      fstWriterEmitEnumTableRef(file_, table);
    }
  }
  if (type == FST_VT_VCD_WIRE && bits > 1) name += fmt::format(" [{}:0]", bits - 1);
  handles_.push_back(fstWriterCreateVar(file_, type, FST_VD_IMPLICIT, bits, name.c_str(), 0));
}

void FstWriter::write_begin(std::uint64_t time) {
  weft_fst_watch(&error_);
  while (open_scopes_ > 0) close_scope();
  // Time first: a value before it would make the file begin at 0.
  fstWriterEmitTimeChange(file_, time);
  written_time_ = flushed_time_ = time;
  for (std::size_t n = 0; n < variables().size(); ++n) emit(handles_[n], variables()[n]);
  check();
}

void FstWriter::move_to(std::uint64_t time) {
  const bool flush_now =
      changes_ >= std::max(kFlushAfterChanges, kFlushAfterChangesPerVariable * std::uint64_t{variables().size()});
  if (flush_now) fstWriterFlushContext(file_);
  fstWriterEmitTimeChange(file_, time);
  if (flush_now) {
    check();
    flushed_time_ = written_time_;
    changes_ = 0;
  }
  written_time_ = time;
}

void FstWriter::write_value(WaveVar var, const WaveVariable& variable) {
  if (written_time_ != time()) {
    weft_fst_watch(&error_);
    move_to(time());
  }
  emit(handles_[static_cast<std::size_t>(var)], variable);
  ++changes_;
}

void FstWriter::emit(std::uint32_t handle, const WaveVariable& variable) {
  if (variable.kind == WaveKind::kString) {
    fstWriterEmitVariableLengthValueChange(file_, handle, variable.text.data(),
                                           static_cast<std::uint32_t>(variable.text.size()));
    return;
  }
  if (variable.wide()) {
    const std::string digits =
        variable.known ? variable.wide_digits() : std::string(static_cast<std::size_t>(variable.bits), 'x');
    fstWriterEmitValueChange(file_, handle, digits.data());
    return;
  }
  std::array<char, kMostNumberBits> digits;
  const auto bits = static_cast<std::size_t>(variable.bits);
  if (variable.known) {
    for (std::size_t bit = 0; bit < bits; ++bit) {
      digits[bits - 1 - bit] = static_cast<char>('0' + (variable.number >> bit & 1));
    }
  } else {
    std::fill_n(digits.begin(), bits, 'x');
  }
  fstWriterEmitValueChange(file_, handle, digits.data());
}

void FstWriter::flush() {
  if (file_ == nullptr) return;
  weft_fst_watch(&error_);
  weft_fst_flush(file_);
  check();
  flushed_time_ = written_time_;
  changes_ = 0;
}

void FstWriter::close(std::uint64_t time) {
  if (file_ == nullptr) return;
  weft_fst_watch(&error_);
  if (begun() && time > written_time_) move_to(time);
  // What fails now must leave the names beside the file.
  if (begun()) weft_fst_flush(file_);
  check();
  void* const file = file_;
  file_ = nullptr;
  fstWriterClose(file);
  weft_fst_watch(nullptr);
  check();
}

void FstWriter::check() {
  if (error_ == 0) return;
  const int error = error_;
  if (file_ != nullptr) {
    fstWriterClose(file_);  // writes nothing any more, and leaves the names where they are
    file_ = nullptr;
  }
  weft_fst_watch(nullptr);
  throw WaveFileFull(
      begun()
          ? fmt::format("cannot write '{}': {}; it is readable up to {:.15g} ns as long as '{}.hier' lies beside it",
                        path_.string(), std::strerror(error), in_ns(flushed_time_, unit_), path_.filename().string())
          : fmt::format("cannot write '{}': {}; nothing of it is readable", path_.string(), std::strerror(error)));
}

}  // namespace weft::waves
