// SPDX-License-Identifier: Apache-2.0
// YAML text -> RawNode, on yaml-cpp's events: they carry the place of every key, which its node tree loses, and let
// duplicate keys and runaway aliases be found while reading.
#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <sstream>
#include <unordered_map>

#include "base/error.h"
#include "base/text_distance.h"
#include "base/utf8.h"
#include "config/tree.h"

namespace weft {
namespace {

/// Stops the reading; the error is already collected.
struct StopReading {};

class TreeBuilder : public YAML::EventHandler {
 public:
  TreeBuilder(std::shared_ptr<const std::string> source, bool is_option, ConfigErrors& errors)
      : source_(std::move(source)), is_option_(is_option), errors_(errors) {}

  Origin origin(const YAML::Mark& mark) const {
    if (is_option_) return {source_, 0, 0};
    return {source_, std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
  }
  RawNode take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { scalar(mark, anchor, "", false, true); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    scalar(mark, anchor, value, tag == "!", false);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto at = anchors_.find(anchor);
    if (at == anchors_.end()) {
      errors_.add_blinding(origin(mark), "an alias inside of what it refers to");
      throw StopReading{};
    }
    count_copy(at->second, mark);
    attach(at->second, mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, anchor, RawNode::Kind::kList);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, anchor, RawNode::Kind::kMap);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    RawNode node;
    YAML::anchor_t anchor = 0;
    YAML::Mark mark;
    bool has_key = false;
    bool drop_value = false;  // the key was refused, and its value goes with it
    std::string key;
    Origin key_origin;
    std::unordered_map<std::string, int> keys;  // with the line of each
  };

  void count(const YAML::Mark& mark) {
    if (++nodes_ <= kMaxConfigNodes) return;
    errors_.add_blinding(origin(mark), fmt::format("more than {} values in one file", kMaxConfigNodes));
    throw StopReading{};
  }
  void count_copy(const RawNode& node, const YAML::Mark& mark) {
    count(mark);
    for (const RawNode& item : node.items) count_copy(item, mark);
    for (const RawNode::Entry& entry : node.entries) count_copy(entry.value, mark);
  }

  void scalar(const YAML::Mark& mark, YAML::anchor_t anchor, const std::string& value, bool is_quoted, bool is_null) {
    count(mark);
    RawNode node;
    node.kind = is_null ? RawNode::Kind::kNull : RawNode::Kind::kScalar;
    node.origin = origin(mark);
    node.scalar = value;
    node.is_quoted = is_quoted;
    require_utf8(node);
    if (anchor != 0) anchors_[anchor] = node;
    attach(std::move(node), mark);
  }

  /// Names go into JSON and pages, which take no other text.
  void require_utf8(RawNode& node) {
    const auto bad = ill_formed_utf8(node.scalar);
    if (!bad) return;
    const auto byte = static_cast<unsigned char>(node.scalar[*bad]);
    node.scalar = escaped_utf8(node.scalar);
    errors_.add(node.origin, fmt::format("{} is not UTF-8 text: the byte {:#04x} belongs to no character",
                                         in_quotes(node.scalar), byte));
  }

  void open(const YAML::Mark& mark, YAML::anchor_t anchor, RawNode::Kind kind) {
    count(mark);
    Frame frame;
    frame.node.kind = kind;
    frame.node.origin = origin(mark);
    frame.anchor = anchor;
    frame.mark = mark;
    frames_.push_back(std::move(frame));
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    if (frame.anchor != 0) {
      count_copy(frame.node, frame.mark);
      anchors_[frame.anchor] = frame.node;
    }
    attach(std::move(frame.node), frame.mark);
  }

  void attach(RawNode node, const YAML::Mark& mark) {
    if (frames_.empty()) {
      root_ = std::move(node);
      return;
    }
    Frame& frame = frames_.back();
    if (frame.node.kind == RawNode::Kind::kList) {
      frame.node.items.push_back(std::move(node));
    } else if (!frame.has_key) {
      take_key(frame, node, mark);
    } else {
      frame.has_key = false;
      if (node.kind == RawNode::Kind::kNull) node.origin = frame.key_origin;  // its own mark may be lines below
      if (!frame.drop_value) frame.node.entries.push_back({frame.key, frame.key_origin, std::move(node)});
    }
  }

  void take_key(Frame& frame, const RawNode& node, const YAML::Mark& mark) {
    frame.has_key = true;
    frame.drop_value = true;
    frame.key_origin = origin(mark);
    if (node.kind != RawNode::Kind::kScalar) {
      errors_.add(frame.key_origin, fmt::format("a key must be a plain name, not {}", node.describe()));
    } else if (node.scalar == "<<" && !node.is_quoted) {
      errors_.add(frame.key_origin, "merge keys '<<' are not read; use 'include:' to reuse parts");
    } else if (const auto [at, is_new] = frame.keys.try_emplace(node.scalar, frame.key_origin.line); !is_new) {
      const int first = at->second;
      errors_.add(frame.key_origin, fmt::format("duplicate key {}{}", in_quotes(node.scalar),
                                                first > 0 ? fmt::format("; first given in line {}", first) : ""));
    } else {
      frame.drop_value = false;
      frame.key = node.scalar;
    }
  }

  std::shared_ptr<const std::string> source_;
  bool is_option_;
  ConfigErrors& errors_;
  RawNode root_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, RawNode> anchors_;
  std::size_t nodes_ = 0;
};

}  // namespace

RawNode parse_yaml(const std::string& text, const std::string& source, bool is_option, ConfigErrors& errors) {
  TreeBuilder builder(std::make_shared<const std::string>(source), is_option, errors);
  YAML::Mark start;
  start.line = start.column = 0;
  RawNode nothing;
  nothing.origin = builder.origin(start);
  if (text.size() > kMaxConfigBytes) {
    errors.add_blinding(nothing.origin,
                        fmt::format("the file is larger than a configuration may be, {} bytes", kMaxConfigBytes));
    return nothing;
  }
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(builder)) return nothing;
    RawNode root = builder.take();
    if (parser.HandleNextDocument(builder))
      errors.add(builder.take().origin, "a second YAML document; one file is one system");
    return root;
  } catch (const YAML::Exception& problem) {
    const bool star = problem.msg.find("alias") != std::string::npos || problem.msg.find("anchor") != std::string::npos;
    errors.add_blinding(builder.origin(problem.mark),
                        fmt::format("not valid YAML: {}{}", problem.msg,
                                    star ? "; text with * or & in front is written in quotes: [\"*.stall\"]" : ""));
  } catch (const StopReading&) {
  }
  return nothing;
}

}  // namespace weft
