// SPDX-License-Identifier: Apache-2.0
// Chunks of collectives in the state of an engine: which ones are under way, and those that end in cycles that are left
// out.
#include <algorithm>

#include "base/error.h"
#include "base/state_form.h"
#include "npu/collective/engine/collective_engine.h"

namespace weft::npu {

// Chunks that begin in periods that are left out must be as large as those before them, and the last one begins behind
// these periods. With one that begins another one ends, which the log is told.
void CollectiveEngine::bound_by_chunks(StateForm& form, ChunkGrowth* chunks) const {
  const CollectiveJob& job = *chunks->job;
  chunks->per_period = form.last_growth();
  if (chunks->per_period == 0) return;
  const bool known =
      activities_ == nullptr || form.now() < form.happens_every() || ended_from_ <= form.now() - form.happens_every();
  const bool alike = known && job.geometry.chunks_are_alike() && job.next_chunk < job.request.chunks &&
                     begin_in_same_planes(job, chunks->per_period);
  form.bound(alike ? (job.request.chunks - 1 - job.next_chunk) / chunks->per_period : 0);
}

// Whether the operands of chunks that are so many apart begin in the same planes of FRED switches; see put_into_flow.
bool CollectiveEngine::begin_in_same_planes(const CollectiveJob& job, std::uint64_t apart) const {
  if (!job.plan->flow_traffic_class) return true;
  for (std::uint32_t i = 0; i < job.program->length(job.rank()); ++i) {
    const Instruction in = job.program->at(job.rank(), i);
    if (in.op != Op::kFlow || in.src.count == 0) continue;
    const std::uint64_t bytes = job.geometry.elements(job.rank(), in.src, 0) * job.unit;
    if (apart * ChunkRun::planes_of_operand(bytes, packet_bytes_) % programs_.planes() != 0) return false;
  }
  return true;
}

// The chunks under way follow each other where none of them has overtaken another.
void CollectiveEngine::put_chunks(StateForm& form, CollectiveJob& job) {
  bool in_row = true;
  std::vector<Cycle*> starts;
  std::uint32_t behind = job.next_chunk;
  for (auto run = job.runs.rbegin(); run != job.runs.rend(); ++run) in_row = in_row && (*run)->chunk() == --behind;
  for (const auto& run : job.runs) starts.push_back(run->put_chunk(form));
  if (form.is_steady()) return;         // chunks that are under way began when they did
  std::uint32_t next = job.next_chunk;  // it has been given; a queue follows the number of what comes next
  form.number(next);
  form.queue(starts, in_row, 0);
}

// Where players repeat what they did, they tell it themselves. Else all chunks that have ended in the last period end
// once more in each period that is left out, later ones of their collectives. `chunks` are those that began next before
// that.
void CollectiveEngine::tell_chunks_again(const StateForm& form, const std::vector<ChunkGrowth>& chunks) {
  if (activities_ == nullptr || form.skipped() == 0 || form.players_repeat()) return;
  const Cycle period = form.happens_every();
  std::vector<EndedChunk> last;
  for (std::size_t i = 0; i < ended_.size(); ++i) {
    if (ended_[i].end + period > form.now()) last.push_back(ended_[i]);
  }
  if (last.empty()) return;
  WEFT_CHECK(form.now() < period || ended_from_ <= form.now() - period, "ends of chunks have been forgotten");
  const std::vector<EndedChunk> known = last;
  const std::uint64_t periods = form.skipped() / period;
  for (std::uint64_t i = 1; i <= periods; ++i) {
    for (EndedChunk& each : last) {
      const auto of = std::find_if(chunks.begin(), chunks.end(), [&](const ChunkGrowth& growth) {
        return growth.job->request.handle == each.handle;
      });
      WEFT_CHECK(of != chunks.end() && of->job->next_chunk > of->before, "a chunk ends, and none begins");
      const auto per_period = static_cast<std::uint32_t>((of->job->next_chunk - of->before) / periods);
      each.chunk += per_period;
      each.start = start_of(*of->job, each.chunk, of->before, per_period, known, period);
      each.end += period;
      tell_chunk(*of->job, each);
    }
  }
}

// When a chunk began, or would have begun in cycles that are left out: those in the last period began as many periods
// before.
Cycle CollectiveEngine::start_of(const CollectiveJob& job, std::uint32_t chunk, std::uint32_t next,
                                 std::uint32_t per_period, const std::vector<EndedChunk>& ended, Cycle period) {
  Cycle later = 0;
  for (; chunk >= next; chunk -= per_period) later += period;
  for (const auto& run : job.runs) {
    if (run->chunk() == chunk) return run->start_cycle() + later;
  }
  const auto found = std::find_if(ended.begin(), ended.end(), [&](const EndedChunk& each) {
    return each.handle == job.request.handle && each.chunk == chunk;
  });
  WEFT_CHECK(found != ended.end(), "nobody knows when a chunk has begun");
  return found->start + later;
}

// Returns the chunk that begins next of the collective whose tags begin with `tags`; 0 for one that has not begun.
std::uint32_t CollectiveEngine::next_chunk(std::uint64_t tags) const {
  for (const auto& job : jobs_) {
    if (job->tags() == tags) return job->next_chunk;
  }
  return 0;
}

// Returns by how much the tags that a chunk asks for grow in a period. Those of a collective that has not begun stay.
std::uint64_t CollectiveEngine::program_growth(std::uint64_t chunk, const std::vector<ChunkGrowth>& chunks) const {
  std::uint64_t growth = 0;
  for (const ChunkGrowth& each : chunks) {
    if (each.job->tags() == collective_of_tag(chunk * kMaxSteps)) growth = each.per_period * kMaxSteps;
  }
  for (const auto& job : jobs_) {
    for (const auto& run : job->runs) {
      if (run->tags() == chunk) return growth + run->tag_growth();
    }
  }
  return growth;
}

}  // namespace weft::npu
