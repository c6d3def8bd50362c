// SPDX-License-Identifier: Apache-2.0
#include "tb/build/xml_tag.h"

#include <array>
#include <string_view>
#include <utility>

namespace weft::tb {
namespace {

std::string unescaped(std::string_view value) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNames{
      {{"&apos;", '\''}, {"&quot;", '"'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}}};
  std::string text;
  for (std::size_t i = 0; i < value.size();) {
    bool named = false;
    for (const auto& [name, c] : kNames) {
      if (value.compare(i, name.size(), name) != 0) continue;
      text += c;
      i += name.size();
      named = true;
      break;
    }
    if (!named) text += value[i++];
  }
  return text;
}

constexpr const char* kSpace = " \t\r\n";

/// name="value" name="value" ...
void read_attributes(std::string_view body, XmlTag& tag) {
  for (;;) {
    const std::size_t start = body.find_first_not_of(kSpace);
    const std::size_t equals = body.find("=\"");
    if (start == std::string_view::npos || equals == std::string_view::npos) return;
    const std::size_t end = body.find('"', equals + 2);
    if (end == std::string_view::npos) return;
    tag.attributes[std::string(body.substr(start, equals - start))] =
        unescaped(body.substr(equals + 2, end - equals - 2));
    body.remove_prefix(end + 1);
  }
}

}  // namespace

bool XmlTags::next(XmlTag& tag) {
  for (;;) {
    at_ = text_.find('<', at_);
    if (at_ == std::string::npos) return false;
    const bool comment = text_.compare(at_, 4, "<!--") == 0;
    const std::size_t end = comment ? text_.find("-->", at_) : text_.find('>', at_);
    if (end == std::string::npos) return false;
    const std::string_view body = std::string_view(text_).substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (comment || body.empty() || body[0] == '?') continue;
    tag = XmlTag();
    tag.closes = body[0] == '/';
    tag.empty = body.back() == '/';
    const std::size_t begin = tag.closes ? 1 : 0;
    const std::size_t name_end = body.find_first_of(" \t\r\n/", begin);
    tag.name = std::string(body.substr(begin, name_end - begin));
    if (!tag.closes && name_end != std::string_view::npos) read_attributes(body.substr(name_end), tag);
    return true;
  }
}

}  // namespace weft::tb
