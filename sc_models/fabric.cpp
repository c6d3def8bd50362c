// SPDX-License-Identifier: Apache-2.0
#include "sc_models/fabric.h"

#include "base/error.h"

namespace weft::sc_models {
namespace {

[[noreturn]] void no_modules() { violation("a fabric was asked for modules that it is never built of"); }

}  // namespace

std::size_t Fabric::modules() const { no_modules(); }
void Fabric::build_module(std::size_t /*number*/) { no_modules(); }
void Fabric::join_modules() { no_modules(); }
int Fabric::interface_ports() const { no_modules(); }
int Fabric::interface_vcs() const { no_modules(); }
LinkEnd& Fabric::link_to(NodeId /*node*/, int /*port*/) { no_modules(); }

}  // namespace weft::sc_models
