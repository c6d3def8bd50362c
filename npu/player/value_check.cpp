// SPDX-License-Identifier: Apache-2.0
#include "npu/player/value_check.h"

#include <fmt/format.h>

#include <tuple>
#include <utility>

#include "base/error.h"
#include "config/machine_memory.h"
#include "npu/collective/checker/reference.h"
#include "npu/collective/form/values.h"

namespace weft::npu {

bool operator<(const CollectiveKey& a, const CollectiveKey& b) {
  return std::tie(a.group, a.signature, a.instance) < std::tie(b.group, b.signature, b.instance);
}

double bytes_of_values(const ProgramShape& shape, std::uint64_t bytes) {
  double fragments = 0;
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
    if (shape.has_input(rank)) fragments += shape.fragments(Buffer::kInput);
    if (shape.has_output(rank)) fragments += shape.fragments(Buffer::kOutput);
  }
  return static_cast<double>(bytes) * fragments / shape.classes();
}

void require_memory_for_values(const ProgramShape& shape, std::uint64_t bytes) {
  const double needed = bytes_of_values(shape, bytes);
  const auto bound = memory_bound();
  if (!bound || needed <= static_cast<double>(bound->bytes)) return;
  throw InputError(fmt::format(
      "{} of {} bytes with data 'values' holds the inputs and results of {} ranks, {:.3g} bytes, more than the "
      "{:.3g} bytes {}; legal: a smaller size, or data 'timing'",
      kind_name(shape.kind), bytes, shape.ranks, needed, static_cast<double>(bound->bytes), bound->source));
}

std::shared_ptr<const Payload> ValueCheck::input(const ValueJob& job, std::uint32_t member) const {
  const ProgramShape& shape = job.program->shape();
  if (!shape.has_input(member)) return nullptr;
  const Geometry geometry(shape, job.bytes / element_bytes(dtype_), 1);
  // Every collective has numbers of its own, so that a mix-up of two of them shows.
  std::uint64_t seed = seed_;
  for (const std::uint64_t part : {job.key.group, job.key.signature, job.key.instance}) {
    seed = (seed ^ part) * 0x9E3779B97F4A7C15ull;
  }
  return std::make_shared<const Payload>(make_input(dtype_, geometry.total(member, Buffer::kInput), seed, member));
}

void ValueCheck::result(const ValueJob& job, std::uint32_t member, std::shared_ptr<const Payload> result) {
  Results complete;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Results& results = open_[job.key];
    if (results.by_member.empty()) {
      results.missing = job.program->ranks();
      results.by_member.resize(results.missing);
    }
    results.by_member.at(member) = std::move(result);
    if (--results.missing > 0) return;
    complete = std::move(results);
    open_.erase(job.key);
  }
  verify(job, complete);
  const std::lock_guard<std::mutex> lock(mutex_);
  ++verified_;
}

void ValueCheck::verify(const ValueJob& job, const Results& results) const {
  std::vector<Payload> inputs;
  std::vector<Payload> outputs;
  for (std::uint32_t member = 0; member < results.by_member.size(); ++member) {
    const auto given = input(job, member);
    inputs.push_back(given == nullptr ? Payload{} : *given);
    const auto& got = results.by_member[member];
    outputs.push_back(got == nullptr ? Payload{} : *got);
  }
  verify_results(job.name, *job.program, op_, dtype_, job.bytes / element_bytes(dtype_), inputs, outputs, fp32_flows_);
}

std::uint64_t ValueCheck::verified() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return verified_;
}

}  // namespace weft::npu
