// SPDX-License-Identifier: Apache-2.0
// Part of uswitch_proof: what the settings at the inputs of a uSwitch ask for, and whether they are legal (fault_of in
// switch/routing/switch_setting.cpp, written down again here). It has no state. Read by Yosys alone.

module uswitch_request #(
  parameter  int unsigned Kind        = 2,
  parameter  int unsigned M           = 2,
  parameter  int unsigned NumIn       = 2,
  parameter  int unsigned NumOut      = 2,
  localparam int unsigned SelectBits  = Kind == 2 ? 2 : $clog2(M + 1),
  localparam int unsigned SettingBits = Kind == 2 ? 6 : Kind < 2 ? 2 * SelectBits + 1 : SelectBits,
  localparam bit          Reduces     = Kind == 0 || Kind == 2,
  localparam bit          Distributes = Kind == 1 || Kind == 2
) (
  input  logic [NumIn-1:0]             in_valid_i,
  input  logic [NumIn*SettingBits-1:0] in_setting_i,
  output logic [NumIn*NumOut-1:0]      route_o,      // at input * NumOut + output: the beat is to come out there
  output logic [NumIn-1:0]             adds_o,       // the beat is an operand of a sum
  output logic [NumIn-1:0]             copies_o,     // the beat is to come out of all outputs
  output logic [NumIn-1:0]             legal_o,      // the setting is one that the switch may get
  output logic                         join_both_o,  // both operands of a sum are here
  output logic [NumIn-1:0]             active_o,     // the beat waits for nothing but outputs
  output logic                         one_user_o    // at most one operation leads to each output; a sum is one
);

  logic [SelectBits-1:0] s0, s1;
  logic                  equal;
  always_comb begin
    route_o  = '0;
    adds_o   = '0;
    copies_o = '0;
    legal_o  = '1;
    s0       = '0;
    s1       = '0;
    equal    = 1'b0;
    for (int unsigned i = 0; i < NumIn; i++) begin
      s0    = in_setting_i[i*SettingBits +: SelectBits];
      s1    = Kind < 3 ? in_setting_i[i*SettingBits + SelectBits * 32'(Kind < 3) +: SelectBits] : '0;
      equal = Kind < 3 && s0 == s1 && s0 != '0;
      for (int unsigned o = 0; o < NumOut; o++) begin
        case (Kind)
          0:       route_o[i*NumOut + o] = 32'(i == 0 ? s0 : s1) == o + 1;
          1:       route_o[i*NumOut + o] = 32'(o == 0 ? s0 : s1) == i + 1;
          2:       route_o[i*NumOut + o] = o == 0 ? s0[i % 2] : s1[i % 2];
          3:       route_o[i*NumOut + o] = 32'(s0) == o + 1;
          default: route_o[i*NumOut + o] = 32'(s0) == i + 1;
        endcase
      end
      if (Kind == 0) begin
        adds_o[i]  = equal;
        legal_o[i] = in_setting_i[i*SettingBits + SettingBits - 1] == equal;
      end else if (Kind == 1) begin
        legal_o[i] = in_setting_i[i*SettingBits + SettingBits - 1] == equal;
      end else if (Kind == 2) begin
        adds_o[i]  = (&s0) || (&s1);
        legal_o[i] = (equal || (s0 & s1) == '0)
            && in_setting_i[i*SettingBits + SettingBits - 2] == ((&s0) || (&s1))
            && in_setting_i[i*SettingBits + SettingBits - 1] == equal;
      end
      if (Kind != 2 && (32'(s0) > M || 32'(s1) > M)) legal_o[i] = 1'b0;
      if (route_o[i*NumOut +: NumOut] == '0) legal_o[i] = 1'b0;
      copies_o[i] = Distributes && equal && (&route_o[i*NumOut +: NumOut]);
    end
    join_both_o = Reduces && (&in_valid_i) && (&adds_o);
    active_o    = in_valid_i & (~adds_o | {NumIn{join_both_o}});
  end

  // Operations that lead to an output.
  logic seen;
  always_comb begin
    one_user_o = 1'b1;
    seen       = 1'b0;
    for (int unsigned o = 0; o < NumOut; o++) begin
      seen = 1'b0;
      for (int unsigned i = 0; i < NumIn; i++) begin
        if (active_o[i] && route_o[i*NumOut + o] && !(join_both_o && i > 0)) begin
          if (seen) one_user_o = 1'b0;
          seen = 1'b1;
        end
      end
    end
  end

endmodule
