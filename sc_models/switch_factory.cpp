// SPDX-License-Identifier: Apache-2.0
#include "sc_models/switch_factory.h"

#include <utility>

namespace weft::sc_models {
namespace {

fred::SwitchFactory& registered() {
  static fred::SwitchFactory factory = fred::make_tlm_switch;
  return factory;
}

}  // namespace

void set_switch_factory(fred::SwitchFactory factory) {
  registered() = factory ? std::move(factory) : fred::SwitchFactory(fred::make_tlm_switch);
}

const fred::SwitchFactory& switch_factory() { return registered(); }

}  // namespace weft::sc_models
