// SPDX-License-Identifier: Apache-2.0
// The three ways in which a run can fail, each with its own exit status.
#pragma once

#include <stdexcept>
#include <string>

namespace weft {

/// Exit statuses of the `weft` program.
inline constexpr int kExitOk = 0;
inline constexpr int kExitInternal = 1;       ///< a fault of Weft itself or of the machine (disk full, ...)
inline constexpr int kExitBadInput = 2;       ///< configuration, trace, option
inline constexpr int kExitViolation = 3;      ///< deadlock, broken invariant, wrong data
inline constexpr int kExitLimit = 4;          ///< `limits.cycles` reached
inline constexpr int kExitInterrupted = 130;  ///< Ctrl-C

/// Something the user wrote cannot be used. The text is complete: place, what was found, what is legal.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An invariant of the model does not hold, or the run stopped making progress.
class ViolationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws ViolationError; kept out of line so that checks stay small in the hot path.
[[noreturn]] void violation(const std::string& sentence);

}  // namespace weft

/// Checks an invariant of the data path in every build; `sentence` may be any expression that gives a string.
#define WEFT_CHECK(condition, sentence)                                 \
  do {                                                                  \
    if (__builtin_expect(!(condition), 0)) ::weft::violation(sentence); \
  } while (false)
