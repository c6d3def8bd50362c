// SPDX-License-Identifier: Apache-2.0
// Between an I/O controller and the pool behind it: the shares of loads and stores that the pool is serving.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "mem/access_check.h"
#include "mem/io/io_protocol.h"
#include "mem/request.h"

namespace weft::mem {

/// What a controller wants of the pool: a packet of a share.
struct PoolAsk {
  std::uint64_t id = 0;  ///< given back
  IoTag tag;             ///< tag of the load or store, with its piece
  NodeId source{};       ///< sender of the packet that asked, or brought the data
  Command command = Command::kRead;
  std::uint64_t offset = 0;  ///< in the share
  std::uint64_t bytes = 0;
};

/// The pool has served or refused it.
struct PoolAnswer {
  std::uint64_t id = 0;
  Reason refused = Reason::kNone;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// What an answer means to the controller.
struct PoolProgress {
  std::uint64_t share = 0;
  IoTag tag;
  NodeId peer{};                        ///< who asked, or sent
  std::uint64_t ready = 0;              ///< bytes of a load from its beginning on that are here
  bool ended = false;                   ///< all of a load is here, or all of a store there
  const PoolAnswer* refusal = nullptr;  ///< the first one of the share; lives as long as the answer
};

/// One controller's. What it asks for is taken at the end of the cycle, and what the pool answers is seen in the next
/// one, so that the pool lies a cycle away in both directions.
class PoolClient {
 public:
  explicit PoolClient(std::uint64_t packet_bytes) : packet_bytes_(packet_bytes) {}

  /// A share of a load: asks for its packets. Returns its number.
  std::uint64_t load(IoTag tag, NodeId asker, std::uint64_t bytes);
  /// A packet of a share of a store.
  void store(IoTag tag, NodeId sender, std::uint64_t offset, std::uint64_t bytes, bool last);
  /// Packets that are refused count as served: they carry nothing.
  PoolProgress apply(const PoolAnswer& answer);

  std::vector<PoolAsk> take_asks() { return std::exchange(asks_, {}); }
  void put_answer(const PoolAnswer& answer) { answers_.push_back(answer); }
  std::vector<PoolAnswer> take_answers() { return std::exchange(answers_, {}); }

 private:
  static constexpr int kPartBits = 31;
  struct Share {
    IoTag tag;
    NodeId peer{};
    std::uint64_t bytes = 0;       ///< bytes in the share of a load
    std::vector<bool> here;        ///< for a load: packets that are here
    std::uint64_t first_gone = 0;  ///< for a load: the first packet that is not here
    std::uint64_t open = 0;        ///< packets under way
    bool all_in = false;           ///< for a store: the last packet has come
    bool refused = false;          ///< some packet
  };

  std::uint64_t packet_bytes_;
  std::map<std::uint64_t, Share> shares_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> stores_;  ///< by tag and sender
  std::uint64_t next_ = 0;
  std::vector<PoolAsk> asks_;
  std::vector<PoolAnswer> answers_;
};

}  // namespace weft::mem
