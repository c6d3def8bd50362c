// SPDX-License-Identifier: Apache-2.0
// An element of the interconnect with its part of the memory of stored settings: a uswitch whose setting follows each
// beat.
//
// A beat of a stored setting has its uSwitch setting from there; a unicast (stored setting 0) carries its route:
// the output port in the lowest bits, then for each level around the innermost the middle stage that it takes, the
// outermost first. An element at level l sends it to that middle stage or to the output whose number is bit l of the
// port.
//
// Contract: that of uswitch. Beats have in their side wires the stored setting from bit CfgLow on and the route at the
// top.

module fred_element #(
  parameter  int unsigned Kind           = fred_pkg::KindBoth,
  parameter  int unsigned M              = 3,
  parameter  int unsigned Level          = 0,  // recursions around it
  parameter  int unsigned Lanes          = 4,
  parameter  int unsigned AccumulateFp32 = 0,
  parameter  int unsigned SideBits       = 64,
  parameter  int unsigned MatchBits      = 0,
  parameter  int unsigned RouteBits      = 4,
  parameter  int unsigned OutputBits     = 2,  // bits of the route that name the port
  parameter  int unsigned CfgLow         = 3,
  parameter  int unsigned StoredSettings = 2,
  parameter  int unsigned ReduceCycles   = 1,
  parameter  int unsigned Skid           = 0,
  localparam int unsigned NumIn          = Kind == fred_pkg::KindDemux ? 1 :
                                           Kind == fred_pkg::KindDistribute || Kind == fred_pkg::KindMux ? M : 2,
  localparam int unsigned NumOut         = Kind == fred_pkg::KindMux ? 1 :
                                           Kind == fred_pkg::KindReduce || Kind == fred_pkg::KindDemux ? M : 2,
  localparam int unsigned SelectBits     = Kind == fred_pkg::KindBoth ? 2 : $clog2(M + 1),
  localparam int unsigned SettingBits    = Kind == fred_pkg::KindBoth ? 6 :
                                           Kind == fred_pkg::KindReduce || Kind == fred_pkg::KindDistribute ?
                                           2 * SelectBits + 1 : SelectBits,
  localparam int unsigned DataBits       = Lanes * (AccumulateFp32 != 0 ? 64 : 32),
  localparam int unsigned CfgBits        = $clog2(StoredSettings),
  localparam int unsigned DigitBits      = $clog2(M)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  input  fred_pkg::format_e          format_i,
  input  fred_pkg::op_e              op_i,
  input  logic                       cfg_clk_i,
  input  logic                       cfg_we_i,
  input  logic [CfgBits-1:0]         cfg_index_i,
  input  logic [SettingBits-1:0]     cfg_setting_i,
  input  logic [NumIn-1:0]           in_valid_i,
  output logic [NumIn-1:0]           in_ready_o,
  input  logic [NumIn*SideBits-1:0]  in_side_i,
  input  logic [NumIn*DataBits-1:0]  in_data_i,
  output logic [NumOut-1:0]          out_valid_o,
  input  logic [NumOut-1:0]          out_ready_i,
  output logic [NumOut*SideBits-1:0] out_side_o,
  output logic [NumOut*DataBits-1:0] out_data_o
);

  localparam int unsigned RouteLow = SideBits - RouteBits;
  localparam int unsigned DigitLow = RouteLow + OutputBits + Level * DigitBits;

  logic [StoredSettings*SettingBits-1:0] stored;
  logic [NumIn*SettingBits-1:0]          setting;
  logic [CfgBits-1:0]                    cfg;

  config_memory #(.Width(SettingBits), .Entries(StoredSettings)) u_settings (
    .clk_i  (cfg_clk_i),
    .we_i   (cfg_we_i),
    .index_i(cfg_index_i),
    .word_i (cfg_setting_i),
    .words_o(stored)
  );

  always_comb begin
    setting = '0;
    cfg     = '0;
    for (int unsigned i = 0; i < NumIn; i++) begin
      if (in_valid_i[i]) begin
        cfg = in_side_i[i*SideBits + CfgLow +: CfgBits];
        if (cfg != '0) begin
          setting[i*SettingBits +: SettingBits] = stored[cfg*SettingBits +: SettingBits];
        end else if (Kind == fred_pkg::KindReduce) begin
          setting[i*SettingBits + i*SelectBits +: SelectBits] =
              SelectBits'(in_side_i[i*SideBits + DigitLow +: DigitBits]) + SelectBits'(1);
        end else if (Kind == fred_pkg::KindDistribute) begin
          if (in_side_i[i*SideBits + RouteLow + Level]) begin
            setting[i*SettingBits + SelectBits +: SelectBits] = SelectBits'(i + 1);
          end else begin
            setting[i*SettingBits +: SelectBits] = SelectBits'(i + 1);
          end
        end else if (Kind == fred_pkg::KindBoth) begin
          if (in_side_i[i*SideBits + RouteLow + Level]) setting[i*SettingBits + 2 + i] = 1'b1;
          else setting[i*SettingBits + i] = 1'b1;
        end else if (Kind == fred_pkg::KindDemux) begin
          setting[i*SettingBits +: SelectBits] =
              SelectBits'(in_side_i[i*SideBits + DigitLow +: DigitBits]) + SelectBits'(1);
        end else begin
          setting[i*SettingBits +: SelectBits] = SelectBits'(i + 1);
        end
      end
    end
  end

  uswitch #(
    .Kind          (Kind),
    .M             (M),
    .Lanes         (Lanes),
    .AccumulateFp32(AccumulateFp32),
    .SideBits      (SideBits),
    .MatchBits     (MatchBits),
    .ReduceCycles  (ReduceCycles),
    .Skid          (Skid)
  ) u_switch (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .format_i    (format_i),
    .op_i        (op_i),
    .in_valid_i  (in_valid_i),
    .in_ready_o  (in_ready_o),
    .in_side_i   (in_side_i),
    .in_data_i   (in_data_i),
    .in_setting_i(setting),
    .out_valid_o (out_valid_o),
    .out_ready_i (out_ready_i),
    .out_side_o  (out_side_o),
    .out_data_o  (out_data_o)
  );

endmodule
