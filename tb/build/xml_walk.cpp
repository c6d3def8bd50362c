// SPDX-License-Identifier: Apache-2.0
#include "tb/build/xml_walk.h"

#include <expat.h>
#include <fmt/format.h>

#include <exception>
#include <memory>
#include <new>

#include "base/error.h"

namespace weft::tb {
namespace {

/// No exception may pass through Expat: the first one is kept, and the parser stops.
struct Walk {
  XmlVisitor& visitor;
  XML_Parser parser;
  std::exception_ptr problem;

  template <typename Step>
  void guarded(const Step& step) {
    try {
      if (!problem) step();
    } catch (...) {
      problem = std::current_exception();
      XML_StopParser(parser, XML_FALSE);
    }
  }
};

void on_start(void* to, const char* name, const char** attributes) {
  Walk& walk = *static_cast<Walk*>(to);
  walk.guarded([&] {
    XmlTag tag;
    tag.name = name;
    for (const char** at = attributes; *at != nullptr; at += 2) tag.attributes[at[0]] = at[1];
    walk.visitor.enter(tag);
  });
}

void on_end(void* to, const char* name) {
  Walk& walk = *static_cast<Walk*>(to);
  walk.guarded([&] { walk.visitor.leave(name); });
}

}  // namespace

void walk_xml(const std::string& text, const std::string& name, XmlVisitor& visitor) {
  const std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser(XML_ParserCreate(nullptr), XML_ParserFree);
  if (!parser) throw std::bad_alloc();
  Walk walk{visitor, parser.get(), nullptr};
  XML_SetUserData(parser.get(), &walk);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  const XML_Status status = XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1);
  if (walk.problem) std::rethrow_exception(walk.problem);
  if (status == XML_STATUS_OK) return;
  throw InputError(fmt::format("{}, line {}: {}", name, XML_GetCurrentLineNumber(parser.get()),
                               XML_ErrorString(XML_GetErrorCode(parser.get()))));
}

}  // namespace weft::tb
