// SPDX-License-Identifier: Apache-2.0
#include "mem/access/source_port.h"

#include <algorithm>

#include "base/error.h"

namespace weft::mem {

void SourcePort::ask(const SourceAccess& access, Cycle at) {
  WEFT_CHECK(access.bytes > 0, "a packet asks for no bytes of a memory");
  if (free_.empty()) free_.push_back(&entries_.emplace_back());
  Entry& entry = *free_.back();
  free_.pop_back();
  static_cast<Request&>(entry) = Request();
  entry.access = access;
  entry.access.arrival = at;
  entry.initiator = index(access.source);
  entry.command = access.command;
  entry.address = access.address;
  entry.bytes = access.bytes;
  entry.arrival = at;
  entry.owner = this;
  arriving_.push(at, entry.initiator, 0, &entry);
}

void SourcePort::step(Cycle now) {
  while (arriving_.first() <= now) judge(*arriving_.pop(), now);
  while (entering_.first() <= now) {
    const Cycle at = entering_.first();
    controller_.take(*entering_.pop(), at);
  }
  controller_.advance(now);
  while (leaving_.first() <= now) answer(*leaving_.pop(), now);
}

Cycle SourcePort::next_work(Cycle now) const {
  const Cycle next = std::min({arriving_.first(), entering_.first(), controller_.deadline(), leaving_.first()});
  return std::max(next, now + 1);
}

void SourcePort::judge(Entry& entry, Cycle now) {
  entry.id = accepted_++;
  entry.verdict = access_check_.judge(entry, now);
  const Verdict& verdict = entry.verdict;
  if (judged_) judged_(entry.access, verdict, now);
  if (!verdict.allowed) {
    controller_.count_refused(entry);
    leaving_.push(now + verdict.latency, entry.initiator, entry.id, &entry);
    return;
  }
  entry.physical = verdict.moved_bytes > 0 ? verdict.moved_from : verdict.physical;
  if (verdict.moved_bytes > 0) entry.bytes = verdict.moved_bytes;
  entering_.push(now + verdict.latency, 0, entry.id, &entry);
}

void SourcePort::served(Request& request, Cycle at) {
  auto& entry = static_cast<Entry&>(request);
  leaving_.push(at + entry.verdict.return_latency, entry.initiator, entry.id, &entry);
}

void SourcePort::answer(Entry& entry, Cycle now) {
  if (entry.verdict.allowed) access_check_.finished(entry, now);
  // Who is told may ask again.
  const SourceAccess access = entry.access;
  const Verdict verdict = entry.verdict;
  free_.push_back(&entry);
  if (answered_) answered_(access, verdict, now);
}

}  // namespace weft::mem
