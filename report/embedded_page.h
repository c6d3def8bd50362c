// SPDX-License-Identifier: Apache-2.0
// The sources of the page (report/page), as text within the program. Written by cmake/embed_report.cmake.
#pragma once

namespace weft::report {

const char* embedded_page_html();
const char* embedded_page_css();
/// All scripts, in the order in which they need each other.
const char* embedded_page_js();

}  // namespace weft::report
