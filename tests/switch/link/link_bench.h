// SPDX-License-Identifier: Apache-2.0
// A Go-Back-N link between a source of packets and a record of what arrives, and faults by number.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "switch/link/gbn_link.h"

namespace weft::fred::test {

/// The flits and messages with these numbers, counted from 0 in the order of sending, go wrong.
struct Script {
  std::set<int> hit;
  std::set<int> dropped;
  std::set<int> lost_messages;
};

class ScriptedFaults final : public LinkFaults {
 public:
  explicit ScriptedFaults(Script script) : script_(std::move(script)) {}
  FlitFate flit(bool /*head*/) override {
    const int number = flits_++;
    if (script_.dropped.count(number) != 0) return FlitFate::kDropped;
    return script_.hit.count(number) != 0 ? FlitFate::kHit : FlitFate::kGood;
  }
  bool message_lost() override { return script_.lost_messages.count(messages_++) != 0; }
  std::uint64_t state() const override { return 0; }
  void keep(Checkpoint& checkpoint) override { checkpoint.values(flits_, messages_); }

 private:
  Script script_;
  int flits_ = 0;
  int messages_ = 0;
};

struct HandedOn {
  std::uint32_t packet = 0;
  Cycle at = 0;
  friend bool operator==(const HandedOn& a, const HandedOn& b) { return a.packet == b.packet && a.at == b.at; }
  friend std::ostream& operator<<(std::ostream& out, const HandedOn& h) { return out << h.packet << " at " << h.at; }
};

class LinkBench {
 public:
  LinkBench(const GbnSpec& spec, std::unique_ptr<LinkFaults> faults) : link(spec, std::move(faults)) {}
  LinkBench(const GbnSpec& spec, Script script)
      : LinkBench(spec, std::make_unique<ScriptedFaults>(std::move(script))) {}

  /// Cycle `now`: what is on the way moves; then the next flit is offered, if there is one and `offering`.
  void cycle(Cycle now, bool offering = true) {
    link.step(now);
    note(now);
    if (!offering || sizes.empty() || packet_ == sizes.size()) return;
    LinkFlit flit;
    flit.packet = packet_;
    flit.data = packet_ * 1000 + flit_;
    flit.packet_flits = sizes[packet_];
    flit.head = flit_ == 0;
    flit.tail = ++flit_ == sizes[packet_];
    link.offer(flit, now);
    if (flit.tail) {
      ++packet_;
      flit_ = 0;
    }
  }
  bool all_offered() const { return packet_ == sizes.size(); }
  /// One flit offered per cycle from cycle 1 on, until all is acknowledged.
  void run(Cycle limit = 10'000) {
    for (Cycle now = 1; !(all_offered() && link.at_rest()); ++now) {
      WEFT_CHECK(now < limit, "the link does not come to rest");
      cycle(now);
      last = now;
    }
  }

  std::vector<std::uint16_t> sizes;  ///< flits of each packet
  std::vector<HandedOn> handed;
  std::vector<std::uint32_t> released;
  Cycle last = 0;
  GbnLink link;

 private:
  void note(Cycle now) {
    const auto& flits = link.handed_on();
    for (std::size_t i = 0; i < flits.size(); ++i) {
      WEFT_CHECK(flits[i].packet == flits[0].packet && flits[i].data == flits[0].packet * 1000 + i,
                 "a packet is not handed on as it was offered");
      WEFT_CHECK(flits[i].head == (i == 0) && flits[i].tail == (i + 1 == flits.size()), "wrong framing");
    }
    if (!flits.empty()) {
      WEFT_CHECK(flits.size() == sizes[flits[0].packet], "a packet is handed on in part");
      handed.push_back({flits[0].packet, now});
    }
    released.insert(released.end(), link.released().begin(), link.released().end());
  }

  std::uint32_t packet_ = 0;
  std::uint16_t flit_ = 0;
};

}  // namespace weft::fred::test
