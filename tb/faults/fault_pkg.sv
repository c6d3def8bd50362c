// SPDX-License-Identifier: Apache-2.0
// The number in README.md of the seeded fault that the design has, 0 = none. The define WEFT_FAULT chooses one for
// good; without it whoever runs the Verilated model writes the variable before the first evaluation.

package fault_pkg;

`ifdef YOSYS
  localparam bit [7:0] seeded_fault = `WEFT_FAULT;
`elsif WEFT_FAULT
  bit [7:0] seeded_fault /*verilator public_flat_rw*/ = `WEFT_FAULT;
`else
  bit [7:0] seeded_fault /*verilator public_flat_rw*/;
`endif

endpackage
