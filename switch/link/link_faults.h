// SPDX-License-Identifier: Apache-2.0
// What goes wrong on a wire.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/checkpoint.h"
#include "base/random.h"

namespace weft::fred {

/// What becomes of a flit on its way.
enum class FlitFate : std::uint8_t {
  kGood,
  kHit,      ///< bits are wrong: it arrives, framing and round are readable, nothing else is
  kDropped,  ///< does not arrive
};

/// Asked once for everything that is put on a wire, in the order of sending.
class LinkFaults {
 public:
  virtual ~LinkFaults() = default;
  virtual FlitFate flit(bool head) = 0;
  /// Whether an ACK or a NACK is lost.
  virtual bool message_lost() = 0;
  /// What later answers depend on.
  virtual std::uint64_t state() const = 0;
  /// Writes the same into `checkpoint`, or takes it from there.
  virtual void keep(Checkpoint& checkpoint) = 0;
};

/// Independent errors of bits, and losses of whole flits. A head carries its packet's header.
struct FaultRates {
  double bit_error_rate = 0;  ///< probability of each bit to be wrong
  double drop_rate = 0;       ///< probability of each flit to be lost
  std::uint64_t flit_bytes = 32;
  std::uint64_t header_bytes = 0;
  std::uint64_t message_bytes = 8;  ///< bytes of an ACK or a NACK
};

/// Probability of at least one wrong bit in so many bytes.
inline double hit_probability(double bit_error_rate, std::uint64_t bytes) {
  if (bit_error_rate >= 1) return bytes > 0 ? 1 : 0;
  return -std::expm1(8 * static_cast<double>(bytes) * std::log1p(-bit_error_rate));
}

/// Draws from two random streams of the link, one for flits and one for messages, so that neither changes the other.
class RandomFaults final : public LinkFaults {
 public:
  RandomFaults(const FaultRates& rates, std::uint64_t seed, std::uint32_t link)
      : drop_(rates.drop_rate),
        head_(hit_probability(rates.bit_error_rate, rates.flit_bytes + rates.header_bytes)),
        body_(hit_probability(rates.bit_error_rate, rates.flit_bytes)),
        message_(hit_probability(rates.bit_error_rate, rates.message_bytes)),
        flits_(mix64(seed ^ kOfFlits), NodeId{link}),
        messages_(mix64(seed ^ kOfMessages), NodeId{link}) {}

  FlitFate flit(bool head) override {
    const double hit = head ? head_ : body_;
    if (drop_ <= 0 && hit <= 0) return FlitFate::kGood;
    if (flits_.unit() <= drop_) return FlitFate::kDropped;
    return flits_.unit() <= hit ? FlitFate::kHit : FlitFate::kGood;
  }
  bool message_lost() override { return message_ > 0 && messages_.unit() <= message_; }
  std::uint64_t state() const override { return mix64(flits_.counter()) + messages_.counter(); }
  void keep(Checkpoint& checkpoint) override {
    flits_.keep(checkpoint);
    messages_.keep(checkpoint);
  }

 private:
  // Streams of links are not those of nodes.
  static constexpr std::uint64_t kOfFlits = 0x6c696e6b666c6974ULL;
  static constexpr std::uint64_t kOfMessages = 0x6c696e6b61636b73ULL;

  double drop_;
  double head_;
  double body_;
  double message_;
  RandomStream flits_;
  RandomStream messages_;
};

}  // namespace weft::fred
