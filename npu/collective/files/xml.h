// SPDX-License-Identifier: Apache-2.0
// The little XML that program files need, read by Expat: elements with attributes, comments and declarations.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft::npu {

struct XmlElement {
  std::string name;
  int line = 0;
  int column = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  /// Value of an attribute; null if there is none.
  const std::string* find(const std::string& attribute) const;
};

/// The root element of `text`. InputError with `name`, line and column where it is not well-formed; text between
/// elements, document types (DTD) and elements nested deeper than 16 are refused.
XmlElement parse_xml(const std::string& text, const std::string& name);

}  // namespace weft::npu
