// SPDX-License-Identifier: Apache-2.0
// The elements of an XML text, one after the other, read by Expat.
#pragma once

#include <map>
#include <string>

namespace weft::tb {

/// An element at its begin.
struct XmlTag {
  std::string name;
  std::map<std::string, std::string> attributes;
  /// An attribute's value, or "".
  std::string get(const std::string& attribute) const {
    const auto found = attributes.find(attribute);
    return found == attributes.end() ? "" : found->second;
  }
};

/// Who is told of elements.
class XmlVisitor {
 public:
  virtual ~XmlVisitor() = default;
  virtual void enter(const XmlTag& tag) = 0;
  virtual void leave(const std::string& name) = 0;
};

/// Tells `visitor` the begin and the end of each element of `text`; text between elements is left out. InputError with
/// `name` and the line where it is not well-formed. What the visitor throws ends the walk and passes through.
void walk_xml(const std::string& text, const std::string& name, XmlVisitor& visitor);

}  // namespace weft::tb
