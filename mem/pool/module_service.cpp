// SPDX-License-Identifier: Apache-2.0
#include "mem/pool/module_service.h"

namespace weft::mem {
namespace {

const ServicePolicy kPipelined{{"pipelined", "transfers follow one another, latencies overlap"}, pipelined_service};
const ServicePolicy kSerial{{"serial", "one access at a time, then the recovery"}, serial_service};

}  // namespace

ExactTime pipelined_service(const PoolModuleSpec& /*module*/, ExactTime /*start*/, ExactTime transferred) {
  return transferred;
}

ExactTime serial_service(const PoolModuleSpec& module, ExactTime /*start*/, ExactTime transferred) {
  return {transferred.edge() + module.latency + module.recovery, 0};
}

const PolicyList<ServicePolicy>& service_policies() {
  static const PolicyList<ServicePolicy> list("unknown service", {&kPipelined, &kSerial});
  return list;
}

}  // namespace weft::mem
