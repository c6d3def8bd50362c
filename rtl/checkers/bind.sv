// SPDX-License-Identifier: Apache-2.0
// Attaches the checkers to all instances of the modules that they check. Compile after both.

bind elastic_reg elastic_reg_checker #(
  .Width(Width),
  .Skid (Skid),
  .Depth(Depth)
) u_checker (
  .clk_i  (clk_i),
  .rst_ni (rst_ni),
  .valid_i(valid_i),
  .ready_o(ready_o),
  .data_i (data_i),
  .valid_o(valid_o),
  .ready_i(ready_i),
  .data_o (data_o)
);

bind uswitch uswitch_checker #(
  .NumIn       (NumIn),
  .NumOut      (NumOut),
  .SideBits    (SideBits),
  .MatchBits   (MatchBits),
  .DataBits    (DataBits),
  .SettingBits (SettingBits),
  .ReduceCycles(ReduceCycles),
  .Skid        (Skid)
) u_checker (
  .clk_i       (clk_i),
  .rst_ni      (rst_ni),
  .in_valid_i  (in_valid_i),
  .in_ready_o  (in_ready_o),
  .in_side_i   (in_side_i),
  .in_data_i   (in_data_i),
  .in_setting_i(in_setting_i),
  .out_valid_o (out_valid_o),
  .out_ready_i (out_ready_i),
  .out_side_o  (out_side_o),
  .out_data_o  (out_data_o),
  .route       (route),
  .active      (active),
  .join_both   (join_both),
  .done_q      (done_q)
);
