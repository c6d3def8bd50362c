// SPDX-License-Identifier: Apache-2.0
// What all blocks of the in-switch reducer share: element formats, operations, kinds of elements and widths.

package fred_pkg;

  // Elements at the ports; with "Fp32" behind, they are FP32 between the uSwitches.
  typedef enum logic [2:0] {
    Fp32     = 3'd0,
    Int32    = 3'd1,
    Fp16     = 3'd2,
    Bf16     = 3'd3,
    Fp16Fp32 = 3'd4,
    Bf16Fp32 = 3'd5
  } format_e;

  typedef enum logic [1:0] {
    Sum = 2'd0,
    Min = 2'd1,
    Max = 2'd2
  } op_e;

  // Kinds of elements of the interconnect, parameter Kind of uswitch. Not every block asks for them.
  // verilator lint_off UNUSEDPARAM
  localparam int unsigned KindReduce     = 0;  // R: 2 inputs, M outputs
  localparam int unsigned KindDistribute = 1;  // D: M inputs, 2 outputs
  localparam int unsigned KindBoth       = 2;  // RD: 2 inputs, 2 outputs
  localparam int unsigned KindDemux      = 3;  // 1 input, M outputs
  localparam int unsigned KindMux        = 4;  // M inputs, 1 output
  // verilator lint_on UNUSEDPARAM

endpackage
