// SPDX-License-Identifier: Apache-2.0
// Who may touch what: the question that a port asks once for every transaction, when it accepts it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "mem/request.h"

namespace weft::mem {

/// Why an access is refused.
enum class Reason : std::uint8_t {
  kNone,          ///< not refused
  kOutside,       ///< some byte lies in no region; answered as an address error, all others as a command error
  kNotGranted,    ///< the initiator has no grant for any byte
  kRevoked,       ///< it had one
  kStraddles,     ///< it has a grant for some of the bytes
  kReadOnly,      ///< it may read there, but not write
  kWriteOnly,     ///< it may write there, but not read
  kNotSupported,  ///< an access of a kind that this memory does not serve
};
/// "outside", "not_granted", ...: the word of tables and logs.
std::string_view reason_name(Reason reason);

/// What an access check says of one access.
struct Verdict {
  bool allowed = true;
  Reason reason = Reason::kNone;
  std::string text;            ///< a refusal in words: a sentence with initiator, address and range
  Cycle latency = 0;           ///< cycles between acceptance and the controller, or the refusal
  Cycle return_latency = 0;    ///< cycles between the controller and the response
  std::uint64_t physical = 0;  ///< where the first byte lies in the memory; the others follow it
  /// What the memory moves for the access, if that is not the request's own bytes at `physical`: with padding and tags,
  /// or elsewhere. No bytes = the request's own.
  std::uint64_t moved_from = 0;
  std::uint64_t moved_bytes = 0;
};

/// A range in which pointers may be handed out.
struct DmiRange {
  bool can_read = false;
  bool can_write = false;
  std::uint64_t first = 0;     ///< address as the initiator gives it
  std::uint64_t last = 0;      ///< address of the last byte
  std::uint64_t physical = 0;  ///< where `first` lies in the memory
};

/// Stands between a port and its controller. Every question is about one initiator (Request::initiator).
class AccessCheck {
 public:
  virtual ~AccessCheck() = default;
  /// Judges `request` at the edge `now` at which it is accepted. Asked exactly once per transaction, in the order of
  /// acceptance. `request.physical` is not known yet.
  virtual Verdict judge(const Request& request, Cycle now) = 0;
  /// An allowed request was served; nothing of it is under way any more.
  virtual void finished(const Request& /*request*/, Cycle /*now*/) {}
  /// Judges a debug access, which takes no time and is not counted.
  virtual Verdict judge_debug(const Request& request) = 0;
  /// The range around `request.address` in which the initiator may use pointers; both flags false = none.
  virtual DmiRange dmi_range(const Request& request) = 0;
  /// True when every access is allowed at its own address without latency: the port then need not ask at the very
  /// edge.
  virtual bool is_open() const { return false; }
};

/// Everything is allowed.
class OpenAccess final : public AccessCheck {
 public:
  Verdict judge(const Request& request, Cycle now) override;
  Verdict judge_debug(const Request& request) override;
  DmiRange dmi_range(const Request& request) override;
  bool is_open() const override { return true; }
};

}  // namespace weft::mem
