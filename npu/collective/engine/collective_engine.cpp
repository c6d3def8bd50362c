// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/engine/collective_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/alike_lines.h"
#include "base/error.h"
#include "base/prefetch.h"
#include "npu/collective/form/tag.h"

namespace weft::npu {
namespace {

static_assert(kMostChunks == kMaxChunks, "a legal configuration asks for more chunks than tags tell apart");

void check_range(const CollectiveRequest& request, const char* what, std::uint64_t value, std::uint64_t first,
                 std::uint64_t limit) {
  if (value >= first && value < limit) return;
  throw InputError(
      fmt::format("collective {}: {} must be {}..{}, found {}", request.name, what, first, limit - 1, value));
}

}  // namespace

CollectiveEngine::CollectiveEngine(NetworkInterface& network, const EndpointCost& cost, std::uint64_t packet_bytes,
                                   ProgramCache& programs, CollectiveListener& listener)
    : network_(network), cost_(cost), packet_bytes_(packet_bytes), programs_(programs), listener_(listener) {}

CollectiveEngine::~CollectiveEngine() = default;

void CollectiveEngine::start(const CollectiveRequest& request) {
  WEFT_CHECK(request.group != nullptr, "a collective is started without a group");
  check_range(request, "the position in the group", request.my_index, 0, request.group->nodes.size());
  check_range(request, "chunks", request.chunks, 1, kMaxChunks + 1);
  check_range(request, "the group's number", request.group->number, 0, kMaxGroups);
  check_range(request, "the signature", request.signature, 0, kMaxSignatures);
  std::shared_ptr<const CollectivePlan> plan =
      programs_.plan(request.kind, *request.group, request.root, request.bytes);
  WEFT_CHECK(plan->program->ranks() == request.group->nodes.size(),
             fmt::format("two groups have the number {}", request.group->number));
  auto job = std::make_unique<CollectiveJob>(request, std::move(plan));
  job->start_cycle = now();
  CollectiveJob& started = *job;
  if (started.plan->flow_traffic_class) {
    if (flows_ == nullptr) flows_ = std::make_unique<FlowQueue>();
    flows_->add(started);
  }
  jobs_.push_back(std::move(job));
  advance(started);
}

void CollectiveEngine::on_data(const Delivery& delivery) {
  Inbox& inbox = inboxes_[inbox_of(delivery.src, delivery.tag)];
  WEFT_CHECK(!inbox.complete, fmt::format("node {} sends a message of a collective twice", index(delivery.src)));
  inbox.message_bytes = delivery.message_bytes;
  inbox.arrived += delivery.bytes;
  inbox.complete = delivery.last;
  if (delivery.data != nullptr && delivery.bytes > 0) {
    if (inbox.data == nullptr) inbox.data = std::make_unique<Payload>(delivery.message_bytes);
    std::memcpy(inbox.data->data() + delivery.offset, delivery.data, delivery.bytes);
  }
  ChunkRun* run = inbox.run;
  if (run == nullptr) return;
  run->arrived(inbox.step);  // may forget the inbox
  advance(*run);
}

bool CollectiveEngine::on_sent(MessageId id) {
  const auto slot = static_cast<std::size_t>(id);
  if (slot >= open_messages_.size() || open_messages_[slot].run == nullptr) return false;
  const OpenMessage message = open_messages_[slot];
  open_messages_[slot].run = nullptr;
  message.run->sent(message.step);
  advance(*message.run);
  return true;
}

void CollectiveEngine::on_timer(std::uint64_t cookie) {
  const Timer timer = timers_.at(cookie);
  timers_[cookie].run = nullptr;
  free_timers_.push_back(static_cast<std::uint32_t>(cookie));
  timer.run->elapsed(timer.step, timer.bytes);
  advance(*timer.run);
}

void CollectiveEngine::fetch_ahead(int depth) const {
  if (last_run_ == nullptr) return;
  if (depth > 0) return last_run_->fetch();
  fetch_lines(last_run_, sizeof(ChunkRun));
  fetch_line(timers_.data());
  fetch_line(free_timers_.data());
  fetch_line(open_messages_.data());
  inboxes_.fetch();
}

MessageId CollectiveEngine::send(ChunkRun& run, std::uint32_t step, const Message& message, std::uint64_t released) {
  const MessageId id = network_.send(message, released);
  const auto slot = static_cast<std::size_t>(id);
  if (slot >= open_messages_.size()) open_messages_.resize(slot + 1);
  open_messages_[slot] = {&run, step};
  return id;
}

void CollectiveEngine::after(ChunkRun& run, std::uint32_t step, Cycle delay, std::uint64_t bytes) {
  if (free_timers_.empty()) {
    free_timers_.push_back(static_cast<std::uint32_t>(timers_.size()));
    timers_.emplace_back();
  }
  const std::uint32_t cookie = free_timers_.back();
  free_timers_.pop_back();
  timers_[cookie] = {&run, step, bytes};
  network_.schedule(delay, cookie);
}

// Passes the grant to operands that were kept. Each of them comes back here; the loop is the outermost one's.
void CollectiveEngine::operand_left(ChunkRun& run) {
  const TrafficClass traffic_class = *run.job().plan->flow_traffic_class;
  flows_->left(traffic_class);
  if (passing_on_) return;
  passing_on_ = true;
  for (;;) {
    const FlowQueue::Operand next = flows_->next(traffic_class);
    if (next.run == nullptr) break;
    next.run->elapsed(next.index, 0);
  }
  passing_on_ = false;
}

InboxTable::Number CollectiveEngine::post(ChunkRun& run, std::uint32_t step, NodeId src, std::uint64_t tag) {
  const InboxTable::Number number = inboxes_.of(src, tag);
  inboxes_[number].run = &run;
  inboxes_[number].step = step % Inbox::kMostSteps;
  return number;
}

void CollectiveEngine::close(InboxTable::Number number) {
  last_inbox_ = InboxTable::kNone;
  inboxes_.erase(number);
}

InboxTable::Number CollectiveEngine::inbox_of(NodeId src, std::uint64_t tag) {
  const bool last =
      last_inbox_ != InboxTable::kNone && inboxes_[last_inbox_].tag == tag && inboxes_[last_inbox_].src == src;
  if (!last) last_inbox_ = inboxes_.of(src, tag);
  return last_inbox_;
}

// Lets the chunk to which something has happened do what it can. Only flows in switches let other chunks go on.
void CollectiveEngine::advance(ChunkRun& run) {
  last_run_ = &run;
  if (flows_ != nullptr) return advance(run.job());
  if (run.can_go_on()) run.drain();
  run.finished() ? advance(run.job()) : report_state();
}

// Lets all chunks of a collective do what they can, and starts those that are next, until nothing changes.
void CollectiveEngine::advance(CollectiveJob& job) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const auto& run : job.runs) {
      if (run->can_go_on()) run->drain();
    }
    const auto is_finished = [](const auto& run) { return run->finished(); };
    const bool ended = std::any_of(job.runs.begin(), job.runs.end(), is_finished);
    if (ended) {
      changed = true;
      last_run_ = nullptr;
      if (activities_ != nullptr) report_chunks(job);
      job.runs.erase(std::remove_if(job.runs.begin(), job.runs.end(), is_finished), job.runs.end());
    }
    const bool started = start_chunks(job);
    if (ended && started) network_.note_chunk(job.request.chunks - job.next_chunk);
    changed = changed || started;
  }
  if (job.runs.empty() && job.next_chunk == job.request.chunks) finish(job);
  report_state();
}

bool CollectiveEngine::start_chunks(CollectiveJob& job) {
  const std::size_t limit = job.request.active_chunks == 0 ? job.request.chunks : job.request.active_chunks;
  bool started = false;
  while (job.runs.size() < limit && job.next_chunk < job.request.chunks) {
    job.runs.push_back(std::make_unique<ChunkRun>(job, job.next_chunk++, static_cast<EngineServices&>(*this)));
    started = true;
  }
  return started;
}

void CollectiveEngine::finish(CollectiveJob& job) {
  const CollectiveDone done{job.request.handle, job.start_cycle, now(), job.result()};
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const auto& each) { return each.get() == &job; });
  jobs_.erase(found);
  listener_.on_collective_done(done);
}

double CollectiveEngine::open_share() const {
  double done = 0;
  for (const auto& job : jobs_) {
    double chunks = static_cast<double>(job->next_chunk) - static_cast<double>(job->runs.size());
    for (const auto& run : job->runs) chunks += run->share();
    done += chunks / job->request.chunks;
  }
  return done;
}

NodeActivity CollectiveEngine::activity() const {
  NodeActivity activity;
  if (jobs_.empty()) return activity;
  const CollectiveJob& job = *jobs_.front();
  activity.text = activity.collective = job.request.name;
  activity.group = job.request.group->name;
  activity.instance = job.request.instance;
  if (!job.runs.empty()) {
    const ChunkRun& run = *job.runs.front();
    activity.chunk = run.chunk();
    activity.step = run.current_step();
    activity.text += fmt::format(" chunk {} step {}", activity.chunk, activity.step);
    const auto traffic_class = job.plan->flow_traffic_class ? job.plan->flow_traffic_class : job.plan->phase_class;
    if (traffic_class) {
      static constexpr const char* kPhases[] = {"mp", "pp", "dp", "control"};
      activity.phase = kPhases[static_cast<std::size_t>(*traffic_class)];
    }
    if (job.plan->flow_traffic_class) {
      const int flow = run.current_flow();
      if (flow >= 0) activity.flow = std::to_string(flow);
    }
  }
  if (jobs_.size() > 1) activity.text += fmt::format(" (+{})", jobs_.size() - 1);
  return activity;
}

void CollectiveEngine::set_state_listener(std::function<void(const std::string&)> listener) {
  state_listener_ = std::make_unique<StateListener>(StateListener{std::move(listener), {}});
}

// This reports the chunks that have just ended.
void CollectiveEngine::report_chunks(const CollectiveJob& job) {
  for (const auto& run : job.runs) {
    if (run->finished()) tell_chunk(job, {job.request.handle, run->chunk(), run->start_cycle(), now()});
  }
}

void CollectiveEngine::tell_chunk(const CollectiveJob& job, const EndedChunk& ended) {
  Activity activity;
  activity.kind = ActivityKind::kChunk;
  activity.name = job.request.name;
  activity.start = ended.start;
  activity.end = ended.end;
  activity.group = job.request.group->number;
  activity.signature = job.request.signature;
  activity.instance = job.request.instance;
  activity.chunk = ended.chunk;
  activities_->activity_ended(network_.node(), std::move(activity));
  if (ended_.size() == kMostEnded) {
    ended_from_ = ended_.front().end;
    ended_.pop();
  }
  ended_.add() = ended;
}

void CollectiveEngine::report_state() {
  if (state_listener_ == nullptr) return;
  NodeActivity now_doing = activity();
  if (now_doing == state_listener_->last) return;
  state_listener_->last = std::move(now_doing);
  state_listener_->tell(state_listener_->last.text);
}

std::string CollectiveEngine::waiting_for(std::uint64_t handle) const {
  for (const auto& job : jobs_) {
    if (job->request.handle != handle) continue;
    AlikeLines lines("chunk", "chunks");
    for (const auto& run : job->runs) lines.add(run->chunk(), run->waiting_for());
    return fmt::format("{}", fmt::join(lines.take(), "; "));
  }
  return "";
}

std::string CollectiveEngine::unasked() const {
  const std::size_t messages = inboxes_.unasked();
  if (messages == 0) return "";
  return fmt::format("{} messages have come of collectives that this rank has not got to", messages);
}

std::vector<std::string> CollectiveEngine::waiting_for() const {
  std::vector<std::string> sentences;
  for (const auto& job : jobs_) {
    sentences.push_back(fmt::format("collective {} of group {}: {}", job->request.name, job->request.group->name,
                                    waiting_for(job->request.handle)));
  }
  if (std::string text = unasked(); !text.empty()) sentences.push_back(std::move(text));
  return sentences;
}

}  // namespace weft::npu
