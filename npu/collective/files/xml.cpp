// SPDX-License-Identifier: Apache-2.0
#include "npu/collective/files/xml.h"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <new>

#include "base/error.h"
#include "base/text_distance.h"

namespace weft::npu {
namespace {

constexpr std::size_t kDeepest = 16;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

/// Builds the tree from Expat's calls. No exception may pass through Expat: the first problem is kept, and the parser
/// stops.
class XmlReader {
 public:
  explicit XmlReader(const std::string& name) : name_(name), parser_(XML_ParserCreate(nullptr), XML_ParserFree) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), on_doctype);
  }

  XmlElement read(const std::string& text) {
    for (std::size_t at = 0; at == 0 || at < text.size(); at += kBlockBytes) {
      const std::size_t count = std::min(kBlockBytes, text.size() - at);
      const bool is_last = at + count == text.size();
      if (XML_Parse(parser_.get(), text.data() + at, static_cast<int>(count), is_last ? 1 : 0) == XML_STATUS_OK)
        continue;
      if (problem_.empty()) note(sentence(XML_GetErrorCode(parser_.get())));
      throw InputError(problem_);
    }
    return std::move(root_);
  }

 private:
  int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser_.get())); }
  int column() const { return static_cast<int>(XML_GetCurrentColumnNumber(parser_.get())) + 1; }

  std::string sentence(XML_Error code) const {
    const std::string open =
        open_.empty() ? "" : fmt::format("element {} of line {}", in_quotes(open_.back()->name), open_.back()->line);
    switch (code) {
      case XML_ERROR_NO_ELEMENTS:
        return open.empty() ? "the file ends before its first element" : "the file ends within " + open;
      case XML_ERROR_UNCLOSED_TOKEN:
        return "this is not closed before the file ends";
      case XML_ERROR_TAG_MISMATCH:
        return fmt::format("this closes another element than the open one; expected: </{}>, for {}", open_.back()->name,
                           open);
      case XML_ERROR_DUPLICATE_ATTRIBUTE:
        return "this attribute stands twice in its element";
      case XML_ERROR_JUNK_AFTER_DOC_ELEMENT:
        return "something stands behind the end of the first element";
      case XML_ERROR_INVALID_TOKEN:
        return "not well-formed XML; expected: <name attribute=\"value\" ...>, </name> or <!-- comment -->";
      default:
        return fmt::format("not well-formed XML: {}", XML_ErrorString(code));
    }
  }

  void note(const std::string& sentence) { problem_ = fmt::format("{}:{}:{}: {}", name_, line(), column(), sentence); }

  void stop(const std::string& sentence) {
    if (problem_.empty()) note(sentence);  // at the place where the parser is now
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  void start(const char* name, const char** attributes) {
    if (open_.size() == kDeepest) return stop(fmt::format("elements are nested deeper than {}", kDeepest));
    XmlElement* element = &root_;
    if (!open_.empty()) element = &open_.back()->children.emplace_back();
    element->name = name;
    element->line = line();
    element->column = column();
    for (const char** at = attributes; *at != nullptr; at += 2) element->attributes.emplace_back(at[0], at[1]);
    open_.push_back(element);  // stays in its place while it is open: only the list of the innermost one grows
  }

  static void on_start(void* self, const char* name, const char** attributes) {
    static_cast<XmlReader*>(self)->start(name, attributes);
  }
  static void on_end(void* self, const char* /*name*/) { static_cast<XmlReader*>(self)->open_.pop_back(); }
  static void on_text(void* self, const char* text, int count) {
    const std::string_view found(text, static_cast<std::size_t>(count));
    if (found.find_first_not_of(" \t\r\n") == std::string_view::npos) return;
    static_cast<XmlReader*>(self)->stop(
        fmt::format("an element was expected, found {}", in_quotes(found.substr(0, 8))));
  }
  static void on_doctype(void* self, const char*, const char*, const char*, int) {
    static_cast<XmlReader*>(self)->stop("document types are not read");
  }

  const std::string& name_;
  std::unique_ptr<XML_ParserStruct, void (*)(XML_Parser)> parser_;
  XmlElement root_;
  std::vector<XmlElement*> open_;  ///< from the root inwards
  std::string problem_;
};

}  // namespace

const std::string* XmlElement::find(const std::string& attribute) const {
  for (const auto& [key, value] : attributes) {
    if (key == attribute) return &value;
  }
  return nullptr;
}

XmlElement parse_xml(const std::string& text, const std::string& name) { return XmlReader(name).read(text); }

}  // namespace weft::npu
