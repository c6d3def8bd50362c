// SPDX-License-Identifier: Apache-2.0
// The contracts of modules as assertions: `WEFT_ASSERT(Name, condition) says what holds at every edge of clk_i outside
// the reset, in a module with clk_i and rst_ni. Compile this file before all others. Synthesis leaves the assertions
// out, and so does the define WEFT_NO_ASSERTIONS, because they cost a simulation more than the design. What only they
// need stands between `ifdef WEFT_ASSERTIONS and `endif.

`ifndef SYNTHESIS
`ifndef WEFT_NO_ASSERTIONS
`define WEFT_ASSERTIONS
`endif
`endif

`ifdef WEFT_ASSERTIONS
`ifdef FORMAL
// Yosys takes a name once in a module, loops included.
`define WEFT_ASSERT(name, condition) \
  always_ff @(posedge clk_i or negedge rst_ni) begin \
    if (rst_ni) begin \
      assert (condition); \
    end \
  end
`else
`define WEFT_ASSERT(name, condition) \
  always_ff @(posedge clk_i or negedge rst_ni) begin \
    if (rst_ni) begin \
      name: assert (condition); \
    end \
  end
`endif
`else
`define WEFT_ASSERT(name, condition)
`endif
