// SPDX-License-Identifier: Apache-2.0
// Many seeds of co-simulation.
#include <fmt/format.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/output_file.h"
#include "base/read_file.h"
#include "cli/child_process.h"
#include "cli/cosim/cosim.h"
#include "cli/directory_claim.h"
#include "cli/progress_line.h"
#include "cli/stop_signal.h"
#include "runs/summary.h"
#include "tb/report/cosim_report.h"
#include "tb/report/test_plan.h"

namespace weft::cli {
namespace {

using Path = std::filesystem::path;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{100};

std::string text_of(const Path& file) {
  return std::filesystem::exists(file) ? read_file(file.string(), kMostResultBytes) : std::string();
}

/// One seed of one block.
struct Job {
  CosimRequest request;
  std::string name;  ///< name of the folder with its results
  std::string key;   ///< what an earlier result must have been made of
  Clock::time_point start;
  double seconds = 0.0;
  std::string failure;
};

class Regression {
 public:
  explicit Regression(const CosimRequest& request)
      : request_(request), builder_(request.build_dir, [&](const std::string& text) {
          line_.clear();
          if (!request_.quiet) fmt::print(stderr, "weft: {}\n", text);
        }) {
    if (!request.plan.empty()) {
      if (!std::filesystem::is_regular_file(request.plan)) {
        throw InputError(fmt::format("--plan {}: there is no such file", request.plan));
      }
      plan_ = tb::read_test_plan(read_file(request.plan, kMostSideFileBytes));
    }
    if (request.block != "all") tb::find_block(request.block);  // says what is known where it is not one of them
    claim_.emplace(DirectoryClaim::of(request.out, "regress-" + request.block));
    out_ = claim_->path();
    for (const tb::Block& block : tb::blocks()) {
      if (request.block == "all" || request.block == block.name) add(block);
    }
  }

  int run() {
    const StopSignal stop;
    std::size_t next = 0;
    while (next < jobs_.size() || children_.running() > 0) {
      if (StopSignal::requested()) throw Interrupted();
      while (next < jobs_.size() && children_.running() < request_.jobs) begin(next++);
      show(next);
      if (const auto end = children_.wait_for_one(kPatience)) ended(*end);
    }
    line_.clear();
    return conclude();
  }

 private:
  void add(const tb::Block& block) {
    for (std::uint64_t i = 0; i < request_.regress; ++i) {
      Job job;
      job.request = request_;
      job.request.block = block.name;
      job.request.seed = request_.seed + i;
      job.request.build_dir = builder_.build_dir().string();
      if (!request_.own) {
        const tb::Shape shape = tb::variant_of(block, request_.shape, job.request.seed);
        for (const tb::BlockParameter& each : block.parameters) job.request.shape[each.name] = shape.at(each.name);
      }
      job.name = fmt::format("{}.seed{}", block.name, job.request.seed);
      job.request.out = (out_ / job.name).string();
      jobs_.push_back(std::move(job));
    }
  }

  /// Starts the job, unless an earlier regression has done the same.
  void begin(std::size_t number) {
    Job& job = jobs_[number];
    tb::Shape shape;
    const auto library = builder_.build(cosim_design(builder_, job.request, shape));
    std::vector<std::string> words = cosim_words(job.request);
    job.key = fmt::format("{} {} {}", runs::version(), library->file().parent_path().filename().string(),
                          fmt::join(words, " "));
    const Path folder = job.request.out;
    if (text_of(folder / "key") == job.key && std::filesystem::exists(folder / "cosim.json")) {
      ++kept_;
      read(job);
      return;
    }
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    words.insert(words.begin(), own_program());
    words.insert(words.end(), {"--out", folder.string(), "--quiet"});
    job.start = Clock::now();
    started_[children_.start(words, folder / "errors.txt")] = number;
  }

  void ended(const ChildEnd& end) {
    Job& job = jobs_[started_.at(end.pid)];
    started_.erase(end.pid);
    job.seconds = std::chrono::duration<double>(Clock::now() - job.start).count();
    const Path folder = job.request.out;
    if (end.status == kExitOk || end.status == kExitViolation) {
      write_output(folder / "key", job.key, OutputLinks::kReplace);
      read(job);
    } else {
      fail(job, fmt::format("ended with status {}: {}", end.status, text_of(folder / "errors.txt")));
    }
  }

  /// What a run has left.
  void read(Job& job) {
    const auto json = nlohmann::json::parse(text_of(Path(job.request.out) / "cosim.json"));
    cycles_ += json.at("cycles").get<std::uint64_t>();
    coverage_.merge(json.at("bins").get<std::map<std::string, std::uint64_t>>());
    if (json.at("first").is_null()) return;
    const auto& first = json.at("first");
    const tb::Mismatch mismatch{first.at("cycle"), first.at("port"), first.at("flow"), first.at("expected"),
                                first.at("actual")};
    fail(job, fmt::format("{}\nreplay: {}", mismatch_text(job.request.block, job.request.seed, mismatch),
                          json.at("replay").get<std::string>()));
  }

  void fail(Job& job, const std::string& text) {
    job.failure = text;
    ++failed_;
    line_.clear();
    fmt::print(stderr, "weft: error: {}\n", text);
  }

  void show(std::size_t next) {
    line_.show(fmt::format("{} of {} runs started, {} failed", next, jobs_.size(), failed_));
  }

  int conclude() {
    std::vector<tb::TestCase> cases;
    for (const Job& job : jobs_) {
      cases.push_back({job.request.block, fmt::format("seed {}", job.request.seed), job.seconds, job.failure});
    }
    write_output(out_ / "junit.xml", tb::junit_xml(cases), OutputLinks::kReplace);
    write_output(out_ / "coverage.json", tb::coverage_json(coverage_).dump(2) + "\n", OutputLinks::kReplace);
    const auto never = coverage_.never_hit();
    fmt::print("{} runs, {} failed, {} kept from before; {} cycles; {} of {} bins hit\n  results  {}\n", jobs_.size(),
               failed_, kept_, cycles_, coverage_.counts().size() - never.size(), coverage_.counts().size(),
               out_.string());
    bool good = failed_ == 0;
    const auto list = [&](const char* what, const std::vector<std::string>& names) {
      for (const std::string& name : names) fmt::print("  {}: {}\n", what, name);
      good = good && names.empty();
    };
    if (request_.coverage) list("never hit", never);
    if (!plan_.empty()) {
      std::vector<std::string> bins;
      for (const auto& [name, count] : coverage_.counts()) bins.push_back(name);
      list("in no testpoint", without_testpoint(plan_, bins));
      if (request_.block == "all") list("no bin", tb::without_bin(plan_, bins));
    }
    return good ? kExitOk : kExitViolation;
  }

  const CosimRequest& request_;
  std::optional<DirectoryClaim> claim_;
  Path out_;
  ProgressLine line_;
  tb::ModelBuilder builder_;
  std::vector<Job> jobs_;
  ChildProcesses children_;
  std::map<pid_t, std::size_t> started_;
  std::vector<tb::TestPoint> plan_;
  tb::Coverage coverage_;
  std::uint64_t cycles_ = 0;
  std::size_t kept_ = 0;
  std::size_t failed_ = 0;
};

}  // namespace

int cosim_regression(const CosimRequest& request) { return Regression(request).run(); }

}  // namespace weft::cli
