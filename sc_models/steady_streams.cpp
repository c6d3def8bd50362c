// SPDX-License-Identifier: Apache-2.0
// Streams of messages at steady rates: when to look at them, whether they are steady, and by how much they move on.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "sc_models/results_units.h"
#include "sc_models/steady_rates.h"

namespace weft::sc_models {
namespace {

/// In both spans together a stream that moves has to move by so many pieces, or it is measured too coarsely.
constexpr std::uint64_t kPieces = 4;
/// And by so many where several streams move, which take turns: of a few pieces one is one more than it should be.
constexpr std::uint64_t kEndedBesideOthers = 16;
/// Two spans are alike where pieces and flits differ by no more than this share.
constexpr double kStreamsApart = 1.0 / 128;
/// And where both take as long, but for this share, to which the time that is left out is wrong.
constexpr double kPaceApart = 1.0 / 256;
/// Rates that are further apart are taken beside a computation, if they differ by no more than this share, and if all
/// that may be wrong by it is no more than this part of the time for which the computation goes on.
constexpr double kMostApart = 1.0 / 4;
constexpr double kPartWrong = 1.0 / 256;
/// The same where NPUs wait: part of the time since they last did nothing but compute.
constexpr double kMostApartInEpisode = 1.0 / 32;
constexpr double kPartWrongInEpisode = 1.0 / 512;
/// Nothing of that is taken as a part of fewer cycles: where groups contend for links, a few packets decide which of
/// two messages goes first, and that decides a large part of a short time.
constexpr Cycle kLeastEpisode = Cycle{1} << 24;
/// Both spans are at least this share of such time.
constexpr Cycle kMostTimesApart = 64;
/// No more than this part of what may be wrong is spent at once.
constexpr double kPartAtOnce = 1.0 / 4;
/// Fewer times both spans are not worth a move, but once is where both have taken so many cycles.
constexpr Cycle kLeastStreamTimes = 2;
constexpr Cycle kLongSpans = 8192;
/// Messages beside streams end this part of both spans behind what is left out.
constexpr Cycle kPartKept = 8;
/// Both spans of a stream are alike where they differ by less than a piece.
constexpr double kPartOfPiece = 0.25;

}  // namespace

bool SteadyRates::has_come(std::uint64_t family, Cycle now) const {
  const npu::MessageInterfaces::Piece& piece = interfaces().last_piece();
  return piece.at == now && (family == 0 || piece.family == family);
}

// The first span is as short as it may be so that both spans together are whole turns through the planes.
bool SteadyRates::span_of_pieces_ends(Cycle now) {
  if (!has_come(anchor_, now)) return false;
  ++pieces_;
  if (span_pieces_ == 0 && now >= next_look_ && 2 * pieces_ % planes() == 0) span_pieces_ = pieces_;
  if (span_pieces_ == 0 || pieces_ < span_pieces_) return false;
  pieces_ = 0;
  return true;
}

// What is measured wrongly of a stream costs as much time as its bytes do, so that it is compared with the bytes of all
// streams.
void SteadyRates::check_streams(Horizon* horizon) const {
  const double first = static_cast<double>(looks_at_[1].at - looks_at_[0].at);
  const double second = static_cast<double>(looks_at_[2].at - looks_at_[1].at);
  const auto apart = [&](double before, double behind) { return std::abs(before * second / first - behind); };
  const double all = bytes_ended();
  double between_spans = 0;
  double between_ends = 0;
  std::uint64_t moving = 0;
  std::uint64_t fewest = ~std::uint64_t{0};
  const std::uint64_t flits[] = {flits_at_[1] - flits_at_[0], flits_at_[2] - flits_at_[1]};
  for (std::size_t i = 0; i < looks_at_[2].streams.size(); ++i) {
    const StreamProgress& stream = looks_at_[2].streams[i];
    const double before = flow_between(i, 0, 1);
    const double behind = flow_between(i, 1, 2);
    const std::uint64_t pieces = pieces_of(i);
    horizon->moves = horizon->moves || pieces > 0 || before + behind > 0;
    if (pieces == 0) {
      // A store that waits in line does not flow.
      horizon->fine = horizon->fine && before == 0 && behind == 0;
      horizon->coarse = horizon->coarse && horizon->fine;
      between_spans += (std::abs(before) + std::abs(behind)) * static_cast<double>(stream.piece_bytes);
      continue;
    }
    const double as_many = all / static_cast<double>(stream.piece_bytes);
    const double tolerated = kStreamsApart * as_many;
    horizon->steady = horizon->steady && apart(before, behind) <= kPartOfPiece + tolerated / 2;
    // Pieces end in jumps, and what flows may wait for a while: where both say the same, that is the rate.
    const double unequal = std::abs(before + behind - static_cast<double>(pieces));
    horizon->steady = horizon->steady && unequal <= tolerated;
    // What flows is not known to less than a part of a piece.
    between_spans += std::max(apart(before, behind), kPartOfPiece) * static_cast<double>(stream.piece_bytes);
    between_ends += unequal * static_cast<double>(stream.piece_bytes);
    ++moving;
    fewest = std::min(fewest, pieces);
    // The first pieces of each stream follow each other at controllers, and not in turn with those of others.
    const bool has_settled = looks_at_[0].streams[i].ended >= window();
    horizon->fine = horizon->fine && pieces >= kPieces && has_settled;
    horizon->coarse = horizon->coarse && pieces >= kPieces;
    horizon->settled = horizon->settled && has_settled;
    limit_stream(stream, rate_of(i) / (first + second), horizon);
  }
  const bool enough = moving < 2 || fewest >= kEndedBesideOthers;
  horizon->fine = horizon->fine && enough;
  horizon->coarse = horizon->coarse && enough;
  if (all == 0) return;
  // The stream whose pieces say when to look has as many of them in both spans.
  const bool same_pace = std::abs(first - second) <= kPaceApart * std::max(first, second);
  const auto [less, more] = std::minmax(flits[0], flits[1]);
  const bool same_flits = static_cast<double>(more - less) <= kStreamsApart * static_cast<double>(more);
  horizon->steady = horizon->steady && measures_streams() && same_pace && same_flits;
  horizon->apart = std::max({horizon->apart, between_spans / all, between_ends / all,
                             std::abs(first - second) / std::max(first, second),
                             static_cast<double>(more - less) / static_cast<double>(more)});
}

// A stream is moved on until its last piece has begun at most, at members of its group that are ahead, too. Streams
// whose pieces are not counted are moved on by up to half a turn more than by their pace.
void SteadyRates::limit_stream(const StreamProgress& stream, double pace, Horizon* horizon) const {
  const std::uint64_t ahead = stream.begun + 1 + window() + (stream.family == anchor_ ? 0 : (planes() + 1) / 2);
  const std::uint64_t left = stream.pieces > ahead ? stream.pieces - ahead : 0;
  const double cycles = static_cast<double>(left) / pace;
  if (cycles < static_cast<double>(horizon->cycles)) horizon->cycles = static_cast<Cycle>(cycles);
}

// Pieces of a stream that are under way at once.
std::uint64_t SteadyRates::window() const { return static_cast<std::uint64_t>(system_.config().memory.pieces); }

std::uint64_t SteadyRates::planes() const { return static_cast<std::uint64_t>(system_.config().fabric.fred.planes); }

// Returns how many pieces of a stream have ended in both spans.
std::uint64_t SteadyRates::pieces_of(std::size_t stream) const {
  return looks_at_[2].streams[stream].ended - looks_at_[0].streams[stream].ended;
}

// Returns how many pieces of a stream have flowed from one look to another one.
double SteadyRates::flow_between(std::size_t stream, std::size_t a, std::size_t b) const {
  return looks_at_[b].flow_of(looks_at_[b].streams[stream]) - looks_at_[a].flow_of(looks_at_[a].streams[stream]);
}

// Returns whether anything of a stream has flowed in the first span.
bool SteadyRates::streams_flow() const {
  for (std::size_t i = 0; i < looks_at_[0].streams.size(); ++i) {
    if (flow_between(i, 0, 1) > 0) return true;
  }
  return false;
}

// Returns by how many pieces a stream goes on in both spans.
double SteadyRates::rate_of(std::size_t stream) const {
  if (looks_at_[2].streams[stream].family == anchor_ || pieces_of(stream) == 0)
    return static_cast<double>(pieces_of(stream));
  return flow_between(stream, 0, 2);
}

// Returns the bytes of all pieces that have ended in both spans.
double SteadyRates::bytes_ended() const {
  double bytes = 0;
  for (std::size_t i = 0; i < looks_at_[2].streams.size(); ++i)
    bytes += static_cast<double>(pieces_of(i) * looks_at_[2].streams[i].piece_bytes);
  return bytes;
}

Cycle SteadyRates::least_of_streams(Cycle both) const { return both < kLongSpans ? kLeastStreamTimes * both : both; }

// Whether so many cycles may be left out at rates that are not steady. A run lasts at least as long as a computation
// that is under way, so that a small part of that may be wrong.
bool SteadyRates::affordable(const Horizon& found, Cycle both, Cycle left) const {
  if (!found.filled || !found.settled || left / both > kMostTimesApart) return false;
  const double wrong = found.apart * static_cast<double>(left);
  return affordable_beside_computation(found, wrong) || affordable_in_episode(found, wrong);
}

bool SteadyRates::affordable_beside_computation(const Horizon& found, double wrong) const {
  if (!measures_streams() || found.apart > kMostApart) return false;
  return wrong <= kPartAtOnce * may_be_wrong_beside(kPartWrong);
}

// What may still be wrong beside the computations that are under way, of which it may be `part`.
double SteadyRates::may_be_wrong_beside(double part) const {
  const Cycle now = looks_at_[2].at;
  const Cycle end = std::max(looks_at_[2].goes_on_until, now);
  return static_cast<double>(end - now) * part - (now < wrong_until_ ? wrong_ : 0);
}

// What was played since a moment in which NPUs only computed may be played again many times, and what is wrong in it,
// too: it counts as a part of that time. What was played before the first such moment is never played again.
bool SteadyRates::affordable_in_episode(const Horizon& found, double wrong) const {
  if (!found.coarse || !found.moves || found.apart > kMostApartInEpisode) return false;
  const Cycle now = looks_at_[2].at;
  const Cycle length = episode_from_ == 0 ? least_cycles_ : now - episode_from_;
  double may_be_wrong = 0;
  if (length >= kLeastEpisode) may_be_wrong = static_cast<double>(length) * kPartWrongInEpisode - wrong_in_episode_;
  if (looks_at_[2].goes_on_until >= now + kLeastEpisode)
    may_be_wrong = std::max(may_be_wrong, may_be_wrong_beside(kPartWrongInEpisode));
  return wrong <= kPartAtOnce * may_be_wrong;
}

void SteadyRates::begin_episode(Cycle now) {
  episode_from_ = now;
  wrong_in_episode_ = 0;
}

void SteadyRates::count_wrong(double cycles) {
  wrong_in_episode_ += cycles;
  if (looks_at_[2].at >= wrong_until_) wrong_ = 0;
  wrong_ += cycles;
  wrong_until_ = std::max(wrong_until_, looks_at_[2].goes_on_until);
}

// Cycles in which the lines of all controllers bring the loads that are moved on, and take the stores: spans can be a
// little too short, and pieces are rounded.
Cycle SteadyRates::least_of_lines() const {
  double loaded = 0;
  double stored = 0;
  for (std::size_t i = 0; i < jump_.streams.size(); ++i) {
    const StreamProgress& stream = looks_at_[2].streams[i];
    const auto bytes = static_cast<double>(jump_.streams[i].pieces * stream.piece_bytes);
    (stream.senders == 0 ? loaded : stored) += bytes;
  }
  const Config& config = system_.config();
  const double bytes_per_ns = io_line_gbps(config) * static_cast<double>(config.fabric.io.controllers);
  const double most = std::max(loaded, stored);
  return most == 0 ? 0 : static_cast<Cycle>(std::ceil(most / bytes_per_ns / cycles_to_ns(1, config.clock)));
}

// The stream whose pieces say when to look is moved on by whole pieces and whole turns through the planes.
double SteadyRates::stream_times(Cycle both, Cycle left) const {
  if (sends_messages()) left -= both / kPartKept;
  const auto is_anchor = [&](const StreamProgress& stream) { return stream.family == anchor_; };
  const std::vector<StreamProgress>& streams = looks_at_[2].streams;
  const auto found = std::find_if(streams.begin(), streams.end(), is_anchor);
  WEFT_CHECK(found != streams.end(), "a stream has ended between two looks at it");
  const auto pieces = static_cast<double>(pieces_of(static_cast<std::size_t>(found - streams.begin())));
  const double rounds = pieces / static_cast<double>(planes());
  return std::floor(static_cast<double>(left) / static_cast<double>(both) * rounds) / rounds;
}

// What is on its way stays in its planes, so that it has to be what goes over these planes so many pieces later, too.
// Returns how often the bytes that have flowed in both spans are moved on, or with messages the time. Where messages
// alone are measured, streams stand still.
double SteadyRates::add_streams(double times) {
  if (!measures_streams()) return times;
  double moved = 0;
  double flowed = 0;
  for (std::size_t i = 0; i < looks_at_[2].streams.size(); ++i) {
    const StreamProgress& stream = looks_at_[2].streams[i];
    const double rounds = times * rate_of(i) / static_cast<double>(planes());
    const std::uint64_t pieces = static_cast<std::uint64_t>(std::llround(rounds)) * planes();
    jump_.streams.push_back({stream.family, pieces, pieces * stream.tag_step});
    const auto bytes = static_cast<double>(stream.piece_bytes);
    moved += bytes * static_cast<double>(pieces);
    flowed += bytes * flow_between(i, 0, 2);
  }
  return flowed > 0 && !sends_messages() ? moved / flowed : times;
}

}  // namespace weft::sc_models
