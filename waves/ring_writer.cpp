// SPDX-License-Identifier: Apache-2.0
#include "waves/ring_writer.h"

#include <algorithm>

namespace weft::waves {

void RingWriter::declare(WaveVar, const WaveVariable& variable) {
  switch (variable.kind) {
    case WaveKind::kWire:
      file_->add_wire(variable.name, variable.bits);
      break;
    case WaveKind::kInteger:
      file_->add_integer(variable.name);
      break;
    case WaveKind::kString:
      file_->add_string(variable.name);
      break;
    case WaveKind::kEnum:
      file_->add_enum(variable.name, variable.names);
      break;
  }
}

void RingWriter::write_begin(std::uint64_t time) {
  begin_ = time;
  for (std::size_t n = 0; n < variables().size(); ++n) {
    remember(static_cast<WaveVar>(n), variables()[n]);
    changes_.back().time = time;
  }
}

void RingWriter::write_value(WaveVar var, const WaveVariable& variable) {
  if (!changes_.empty() && changes_.front().time + span_ < time()) forget(time() - span_);
  remember(var, variable);
}

void RingWriter::remember(WaveVar var, const WaveVariable& variable) {
  Change change;
  change.time = time();
  change.number = variable.number;
  change.var = static_cast<std::uint32_t>(var);
  change.known = variable.known;
  if (variable.kind == WaveKind::kString || (variable.wide() && variable.known))
    change.text = std::make_unique<std::string>(variable.text);
  changes_.push_back(std::move(change));
}

void RingWriter::give(const Change& change) {
  const auto var = static_cast<WaveVar>(change.var);
  if (change.text != nullptr && file_->variable(var).wide()) {
    file_->set_bytes(var, reinterpret_cast<const std::uint8_t*>(change.text->data()));
  } else if (change.text != nullptr) {
    file_->set(var, std::string_view(*change.text));
  } else if (change.known) {
    file_->set(var, change.number);
  } else {
    file_->set_unknown(var);
  }
}

void RingWriter::forget(std::uint64_t time) {
  for (; !changes_.empty() && changes_.front().time <= time; changes_.pop_front()) give(changes_.front());
}

void RingWriter::close(std::uint64_t end) {
  const std::uint64_t last = changes_.empty() ? end : std::max(end, changes_.back().time);
  const std::uint64_t first = std::max(begin_, last > span_ ? last - span_ : 0);
  forget(first);
  file_->begin(first);
  for (; !changes_.empty(); changes_.pop_front()) {
    file_->set_time(changes_.front().time);
    give(changes_.front());
  }
  file_->close(last);
}

}  // namespace weft::waves
