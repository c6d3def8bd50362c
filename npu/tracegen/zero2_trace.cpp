// SPDX-License-Identifier: Apache-2.0
#include "npu/tracegen/zero2_trace.h"

#include <fmt/format.h>

#include "npu/tracegen/transformer_rank.h"

namespace weft::npu {
namespace {

constexpr std::uint32_t kPriority = 0;  // below the tensor parallel collectives

// One rank: gradients leave in buckets.
class Zero2Rank final : public TransformerRank {
 public:
  Zero2Rank(const Zero2Trace& trace, RankId rank, std::uint64_t bucket_bytes)
      : TransformerRank(trace, rank), bucket_elements_(bucket_bytes / trace.spec().bytes_per_element) {}

 private:
  struct Bucket {
    std::uint64_t elements = 0;
    Ids reduced;  ///< by micro-batch
  };

  void step() override {
    buckets_.clear();
    microbatch_ = 0;
    TransformerRank::step();
    for (std::size_t b = 0; b < buckets_.size(); ++b) update(b);
  }

  // A part's gradients go into buckets at once, so that the next micro-batch starts from nothing. Every pass closes the
  // same buckets, for it makes the same gradients in the same order.
  void gradients_ready(const std::string& part, bool /*last*/) override {
    for (Gradient& gradient : gradients_of(part)) {
      if (!open_.empty() && elements_of(open_) + gradient.elements > bucket_elements_) close_bucket();
      open_.push_back(std::move(gradient));
    }
    gradients_of(part).clear();
    if (part != "embedding") return;
    close_bucket();
    closed_ = 0;
    ++microbatch_;
  }

  void close_bucket() {
    if (closed_ == buckets_.size()) buckets_.push_back({elements_of(open_), {}});
    Bucket& bucket = buckets_[closed_];
    const Ids reduced = graph_.collective(fmt::format("grad_m{}_b{}_reduce_scatter", microbatch_, closed_),
                                          CollectiveKind::kReduceScatter, bucket.elements * spec_.bytes_per_element,
                                          dp_, kPriority, nodes_of(open_));
    bucket.reduced = joined(std::move(bucket.reduced), reduced);
    open_.clear();
    ++closed_;
  }

  void update(std::size_t number) {
    const Bucket& bucket = buckets_[number];
    const std::uint64_t shard = (bucket.elements + spec_.dp - 1) / spec_.dp;
    const Id updated =
        graph_.compute(fmt::format("update_b{}", number), 0, update_bytes(shard), joined(bucket.reduced, pass_end_));
    const Ids gathered = graph_.collective(fmt::format("weights_b{}_all_gather", number), CollectiveKind::kAllGather,
                                           shard * spec_.bytes_per_element, dp_, kPriority, {updated});
    updated_ = joined(std::move(updated_), gathered);
  }

  std::uint64_t bucket_elements_;
  std::vector<Bucket> buckets_;
  std::vector<Gradient> open_;  ///< gradients in the bucket that is being filled
  std::size_t closed_ = 0;      ///< buckets of this micro-batch
  std::uint64_t microbatch_ = 0;
};

}  // namespace

std::vector<SpecNumber> zero2_numbers(Zero2Spec& spec) {
  return without(transformer_numbers(spec.model), {"pp", "zero"});
}

Zero2Trace::Zero2Trace(const Zero2Spec& spec) : TransformerTrace(spec.model), bucket_bytes_(spec.bucket_bytes) {
  SpecProblems problems;
  if (spec.model.pp != 1) problems.add(fmt::format("pp is {}; ZeRO stage 2 has 1 stage", spec.model.pp));
  if (spec.model.zero != 0) problems.add(fmt::format("zero is {}; leave it 0, ZeRO is meant", spec.model.zero));
  if (spec.bucket_bytes < spec.model.bytes_per_element) {
    problems.add(fmt::format("bucket is {} bytes; an element has {}", spec.bucket_bytes, spec.model.bytes_per_element));
  }
  problems.throw_if_any();
}

std::vector<TraceNode> Zero2Trace::nodes(RankId rank) const { return Zero2Rank(*this, rank, bucket_bytes_).build(); }

}  // namespace weft::npu
