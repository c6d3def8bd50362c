// SPDX-License-Identifier: Apache-2.0
// The tags of an XML text, one after the other: enough for what Verilator writes.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace weft::tb {

struct XmlTag {
  std::string name;
  std::map<std::string, std::string> attributes;
  bool closes = false;  ///< </name>
  bool empty = false;   ///< <name/>
  /// An attribute's value, or "".
  std::string get(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? "" : found->second;
  }
};

/// Goes through all tags; text between them and comments are left out.
class XmlTags {
 public:
  /// `text` must outlive this.
  explicit XmlTags(const std::string& text) : text_(text) {}
  /// Whether there was one more.
  bool next(XmlTag& tag);

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace weft::tb
