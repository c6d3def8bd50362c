// SPDX-License-Identifier: Apache-2.0
// The front end of a memory for requests that come as packets of a fabric: what MemoryPort is for TLM sockets.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "base/block.h"
#include "mem/access_check.h"
#include "mem/controller.h"
#include "mem/port/edge_queue.h"

namespace weft::mem {

/// What a packet asks for.
struct SourceAccess {
  std::uint64_t id = 0;  ///< given back
  NodeId source{};       ///< sender of the packet's flits: the identity that the access check judges
  Command command = Command::kRead;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< at least 1
  std::uint64_t note = 0;   ///< given back, too
  Cycle arrival = kNever;   ///< set by the port
};

/// Judges each access at the edge at which it arrives, hands those that are allowed to the controller, and answers all.
/// What arrives at one edge is judged by source, then in the order of the calls.
class SourcePort final : public Block, private RequestOwner {
 public:
  /// Told at the edge of acceptance; data are to be moved then, at Verdict::physical, if it is allowed.
  using Judged = std::function<void(const SourceAccess& access, const Verdict& verdict, Cycle now)>;
  /// Told at the edge of the answer.
  using Answered = std::function<void(const SourceAccess& access, const Verdict& verdict, Cycle now)>;

  /// Both must outlive the port. Edges are those of the controller's clock.
  SourcePort(Controller& controller, AccessCheck& access_check)
      : controller_(controller), access_check_(access_check) {}
  SourcePort(const SourcePort&) = delete;
  SourcePort& operator=(const SourcePort&) = delete;

  void on_judged(Judged judged) { judged_ = std::move(judged); }
  void on_answered(Answered answered) { answered_ = std::move(answered); }
  /// The access arrives at edge `at`, which was not executed yet.
  void ask(const SourceAccess& access, Cycle at);

  void step(Cycle now) override;
  Cycle next_work(Cycle now) const override;
  /// Accesses that were not answered.
  std::size_t open() const { return entries_.size() - free_.size(); }

 private:
  struct Entry : Request {
    SourceAccess access;
    Verdict verdict;
  };

  void judge(Entry& entry, Cycle now);
  void answer(Entry& entry, Cycle now);
  void served(Request& request, Cycle at) override;

  Controller& controller_;
  AccessCheck& access_check_;
  Judged judged_;
  Answered answered_;
  std::deque<Entry> entries_;  // addresses stay
  std::vector<Entry*> free_;
  EdgeQueue<Entry*> arriving_;
  EdgeQueue<Entry*> entering_;  // allowed, on their way to the controller
  EdgeQueue<Entry*> leaving_;   // served or refused, until their edge
  std::uint64_t accepted_ = 0;
};

}  // namespace weft::mem
