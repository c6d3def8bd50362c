// SPDX-License-Identifier: Apache-2.0
// uSwitches of many shapes; sel_i says which one is connected to the ports, the others get no beats. Ports are those of
// the largest: 4 pins each way with 16 side bits, 128 bits of data, 8 of setting. uswitch_shapes() in uswitch_dut.cpp
// says the same about instance g.

module uswitch_top #(
  localparam int unsigned Shapes   = 13,  // R 2..4, D 2..4, RD, demux 2..4, mux 2..4
  localparam int unsigned Variants = 6    // kinds of stages: 1 register, 1 skid, 3 register, 2 skid, 2 register, 3 skid
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [6:0]        sel_i,
  input  fred_pkg::format_e format_i,
  input  fred_pkg::op_e     op_i,
  input  logic [3:0]        in_valid_i,
  output logic [3:0]        in_ready_o,
  input  logic [4*16-1:0]   in_side_i,
  input  logic [4*128-1:0]  in_data_i,
  input  logic [4*8-1:0]    in_setting_i,
  output logic [3:0]        out_valid_o,
  input  logic [3:0]        out_ready_i,
  output logic [4*16-1:0]   out_side_o,
  output logic [4*128-1:0]  out_data_o
);

  localparam int unsigned Count = Shapes * Variants;

  logic [3:0]       in_ready  [Count];
  logic [3:0]       out_valid [Count];
  logic [4*16-1:0]  out_side  [Count];
  logic [4*128-1:0] out_data  [Count];

  assign in_ready_o  = in_ready[sel_i];
  assign out_valid_o = out_valid[sel_i];
  assign out_side_o  = out_side[sel_i];
  assign out_data_o  = out_data[sel_i];

  for (genvar g = 0; g < Count; g++) begin : gen_element
    localparam int unsigned Shape    = g % Shapes;
    localparam int unsigned Variant  = g / Shapes;
    localparam int unsigned Kind     = Shape < 3 ? 0 : Shape < 6 ? 1 : Shape < 7 ? 2 : Shape < 10 ? 3 : 4;
    localparam int unsigned M        = Shape < 6 ? 2 + Shape % 3 : Shape == 6 ? 2 : 2 + (Shape - 7) % 3;
    localparam int unsigned Skid     = Variant % 2;
    localparam int unsigned Stages   = Variant < 2 ? 1 : Variant == 3 || Variant == 4 ? 2 : 3;
    localparam int unsigned Lanes    = Shape == 6 && Variant == 1 ? 2 : 1;
    localparam int unsigned DataBits = Lanes * (Skid != 0 ? 64 : 32);
    localparam int unsigned NumIn    = Kind == 3 ? 1 : Kind == 1 || Kind == 4 ? M : 2;
    localparam int unsigned NumOut   = Kind == 4 ? 1 : Kind == 0 || Kind == 3 ? M : 2;
    localparam int unsigned Select   = $clog2(M + 1);
    localparam int unsigned Setting  = Kind == 2 ? 6 : Kind < 2 ? 2 * Select + 1 : Select;

    // All variants of those that add at M = 2, some at 3 and 4. Elements that never add have one stage, whatever
    // ReduceCycles; one variant shows it.
`ifdef WEFT_FEW_SHAPES
    localparam bit Built = M == 2 && (Variant == 0 || Variant == (Kind == 0 || Kind == 2 ? 3 : 1));
`else
    localparam bit Built = Kind == 2 || (M == 2 ? Kind == 0 || Variant < 3 :
                                         M == 3 ? Variant == 0 || (Kind == 0 && Variant == 3) :
                                         Variant == 1 || (Kind == 0 && Variant == 2));
`endif

    if (Built) begin : gen_uswitch
      logic [NumIn-1:0]           ready;
      logic [NumIn*16-1:0]        side;
      logic [NumIn*DataBits-1:0]  data;
      logic [NumIn*Setting-1:0]   setting;
      logic [NumOut-1:0]          valid_out;
      logic [NumOut*16-1:0]       side_out;
      logic [NumOut*DataBits-1:0] data_out;

      for (genvar i = 0; i < NumIn; i++) begin : gen_in
        assign side[i*16 +: 16]             = in_side_i[i*16 +: 16];
        assign data[i*DataBits +: DataBits] = in_data_i[i*128 +: DataBits];
        assign setting[i*Setting +: Setting] = in_setting_i[i*8 +: Setting];
      end

      uswitch #(
        .Kind(Kind), .M(M), .Lanes(Lanes), .AccumulateFp32(Skid), .SideBits(16), .MatchBits(3),
        .ReduceCycles(Stages), .Skid(Skid)
      ) u_uswitch (
        .clk_i       (clk_i),
        .rst_ni      (rst_ni),
        .format_i    (format_i),
        .op_i        (op_i),
        .in_valid_i  (sel_i == 7'(g) ? in_valid_i[NumIn-1:0] : {NumIn{1'b0}}),
        .in_ready_o  (ready),
        .in_side_i   (side),
        .in_data_i   (data),
        .in_setting_i(setting),
        .out_valid_o (valid_out),
        .out_ready_i (out_ready_i[NumOut-1:0]),
        .out_side_o  (side_out),
        .out_data_o  (data_out)
      );

      assign in_ready[g]  = 4'(ready);
      assign out_valid[g] = 4'(valid_out);
      assign out_side[g]  = 64'(side_out);
      always_comb begin
        out_data[g] = '0;
        for (int unsigned o = 0; o < NumOut; o++) out_data[g][o*128 +: DataBits] = data_out[o*DataBits +: DataBits];
      end
    end else begin : gen_none
      assign in_ready[g]  = '0;
      assign out_valid[g] = '0;
      assign out_side[g]  = '0;
      assign out_data[g]  = '0;
    end
  end

endmodule
