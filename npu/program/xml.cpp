// SPDX-License-Identifier: Apache-2.0
#include "npu/program/xml.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "kernel/error.h"
#include "kernel/text_distance.h"

namespace weft::npu {
namespace {

constexpr int kDeepest = 16;

class XmlParser {
 public:
  XmlParser(const std::string& text, const std::string& name) : text_(text), name_(name) {}

  XmlElement parse() {
    skip_misc();
    if (at_end()) fail("the file ends before its first element");
    XmlElement root = element(1);
    skip_misc();
    if (!at_end()) fail("something stands behind the end of the first element");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", name_, line_, what));
  }

  bool at_end() const { return at_ >= text_.size(); }
  bool starts(const char* token) const { return text_.compare(at_, std::char_traits<char>::length(token), token) == 0; }

  void advance(std::size_t count) {
    for (std::size_t i = 0; i < count && !at_end(); ++i, ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }

  void skip_space() {
    while (!at_end() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) advance(1);
  }

  void skip_past(const char* end, const char* what) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string::npos) fail(fmt::format("{} is not closed by '{}'", what, end));
    advance(found - at_ + std::char_traits<char>::length(end));
  }

  // Space, comments, declarations.
  void skip_misc() {
    for (skip_space(); !at_end(); skip_space()) {
      if (starts("<!--")) {
        skip_past("-->", "a comment");
      } else if (starts("<?")) {
        skip_past("?>", "a declaration");
      } else {
        return;
      }
    }
  }

  std::string word(const char* what) {
    const std::size_t begin = at_;
    while (!at_end() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_' ||
                         text_[at_] == '-' || text_[at_] == ':' || text_[at_] == '.')) {
      advance(1);
    }
    if (at_ == begin) fail(fmt::format("{} was expected, found {}", what, in_quotes(text_.substr(at_, 8))));
    return text_.substr(begin, at_ - begin);
  }

  std::string value() {
    const char quote = at_end() ? '\0' : text_[at_];
    if (quote != '"' && quote != '\'') fail("an attribute's value must stand in quotes");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail("an attribute's value is not closed");
    const std::string raw = text_.substr(at_ + 1, end - at_ - 1);
    advance(end - at_ + 1);
    return unescaped(raw);
  }

  std::string unescaped(const std::string& raw) const {
    constexpr std::array<std::pair<const char*, char>, 5> kEntities{
        {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
    std::string result;
    for (std::size_t i = 0; i < raw.size();) {
      bool replaced = false;
      for (const auto& [entity, character] : kEntities) {
        const std::size_t size = std::char_traits<char>::length(entity);
        if (raw.compare(i, size, entity) != 0) continue;
        result += character;
        i += size;
        replaced = true;
        break;
      }
      if (!replaced) result += raw[i++];
    }
    return result;
  }

  XmlElement element(int depth) {
    if (!starts("<")) fail(fmt::format("an element was expected, found {}", in_quotes(text_.substr(at_, 8))));
    if (depth > kDeepest) fail(fmt::format("elements are nested deeper than {}", kDeepest));
    advance(1);
    XmlElement result;
    result.line = line_;
    result.name = word("the name of an element");
    for (skip_space(); !starts("/>") && !starts(">"); skip_space()) {
      if (at_end()) fail(fmt::format("the file ends within element {}", in_quotes(result.name)));
      const std::string attribute = word("an attribute, '>' or '/>'");
      skip_space();
      if (!starts("=")) fail(fmt::format("'=' was expected after attribute {}", in_quotes(attribute)));
      advance(1);
      skip_space();
      if (result.find(attribute) != nullptr) fail(fmt::format("attribute {} stands here twice", in_quotes(attribute)));
      result.attributes.emplace_back(attribute, value());
    }
    const bool empty = starts("/>");
    advance(empty ? 2 : 1);
    if (!empty) children(result, depth);
    return result;
  }

  void children(XmlElement& parent, int depth) {
    for (skip_misc(); !starts("</"); skip_misc()) {
      if (at_end()) fail(fmt::format("the file ends within element {}", in_quotes(parent.name)));
      parent.children.push_back(element(depth + 1));
    }
    advance(2);
    const std::string closed = word("the name of an element");
    if (closed != parent.name) {
      fail(fmt::format("</{}> closes element {} of line {}", closed, in_quotes(parent.name), parent.line));
    }
    skip_space();
    if (!starts(">")) fail("'>' was expected");
    advance(1);
  }

  const std::string& text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

const std::string* XmlElement::find(const std::string& attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return &value;
  }
  return nullptr;
}

XmlElement parse_xml(const std::string& text, const std::string& name) { return XmlParser(text, name).parse(); }

}  // namespace weft::npu
