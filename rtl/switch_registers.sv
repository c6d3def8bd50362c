// SPDX-License-Identifier: Apache-2.0
// The registers of in_switch_reducer: the straps of the switch, and a stored setting while it is being loaded, behind
// one write port of 32 bits. Addresses: docs/rtl_ports.md.
//
// Contract: a write at every edge with we_i; registers that are wider than a word take it into their part of the word's
// number. A reset clears the straps, so that nothing starts before credits are loaded; the stored setting that is being
// loaded keeps what it has. cfg_we_o is high in the cycle after the index has been written.

module switch_registers #(
  parameter  int unsigned Ports       = 12,
  parameter  int unsigned SettingBits = 32
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   we_i,
  input  logic [15:0]            address_i,
  input  logic [31:0]            data_i,
  output fred_pkg::format_e      format_o,
  output fred_pkg::op_e          op_o,
  output logic [19:0]            reconfigure_cycles_o,
  output logic [31:0]            stay_packets_o,
  output logic [7:0]             first_uplink_o,
  output logic [7:0]             uplinks_o,
  output logic [Ports-1:0]       whole_packets_o,
  output logic [Ports*16-1:0]    credits_o,
  output logic [15:0]            control_credits_o,
  output logic [15:0]            output_flits_o,
  output logic [Ports*40-1:0]    rate_unit_o,
  output logic [Ports*40-1:0]    rate_flit_o,
  output logic [Ports*40-1:0]    rate_header_o,
  output logic                   cfg_we_o,
  output logic [15:0]            cfg_index_o,
  output logic [SettingBits-1:0] cfg_settings_o,
  output logic [Ports*Ports-1:0] cfg_inputs_o,
  output logic [Ports*Ports-1:0] cfg_outputs_o
);

  // An address has three fields: the kind of register, the port, the word. Registers of the whole switch have port 0.
  logic [3:0]  kind;
  logic [7:0]  port;
  logic [3:0]  word;
  logic        whole;  // a register of the whole switch
  assign kind = address_i[15:12];
  assign port = address_i[11:4];
  assign word = address_i[3:0];
  assign whole = address_i[15:4] == '0;

  // Straps of the whole switch.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      format_o             <= fred_pkg::Fp32;
      op_o                 <= fred_pkg::Sum;
      reconfigure_cycles_o <= '0;
      stay_packets_o       <= '0;
      first_uplink_o       <= '0;
      uplinks_o            <= '0;
      control_credits_o    <= '0;
      output_flits_o       <= '0;
    end else if (we_i && whole) begin
      case (word)
        4'd0: begin
          case (data_i[2:0])
            3'd1:    format_o <= fred_pkg::Int32;
            3'd2:    format_o <= fred_pkg::Fp16;
            3'd3:    format_o <= fred_pkg::Bf16;
            3'd4:    format_o <= fred_pkg::Fp16Fp32;
            3'd5:    format_o <= fred_pkg::Bf16Fp32;
            default: format_o <= fred_pkg::Fp32;
          endcase
          case (data_i[9:8])
            2'd1:    op_o <= fred_pkg::Min;
            2'd2:    op_o <= fred_pkg::Max;
            default: op_o <= fred_pkg::Sum;
          endcase
        end
        4'd1: reconfigure_cycles_o <= data_i[19:0];
        4'd2: stay_packets_o <= data_i;
        4'd3: begin
          first_uplink_o <= data_i[7:0];
          uplinks_o      <= data_i[15:8];
        end
        4'd4: begin
          control_credits_o <= data_i[15:0];
          output_flits_o    <= data_i[31:16];
        end
        default: ;
      endcase
    end
  end

  // Straps of a port.
  for (genvar p = 0; p < Ports; p++) begin : gen_port
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        whole_packets_o[p]         <= 1'b0;
        credits_o[p*16 +: 16]      <= '0;
        rate_unit_o[p*40 +: 40]    <= '0;
        rate_flit_o[p*40 +: 40]    <= '0;
        rate_header_o[p*40 +: 40]  <= '0;
      end else if (we_i && kind == 4'd1 && 32'(port) == p) begin
        case (word)
          4'd0: begin
            credits_o[p*16 +: 16] <= data_i[15:0];
            whole_packets_o[p]    <= data_i[16];
          end
          4'd1: rate_unit_o[p*40 +: 32]        <= data_i;
          4'd2: rate_unit_o[p*40 + 32 +: 8]    <= data_i[7:0];
          4'd3: rate_flit_o[p*40 +: 32]        <= data_i;
          4'd4: rate_flit_o[p*40 + 32 +: 8]    <= data_i[7:0];
          4'd5: rate_header_o[p*40 +: 32]      <= data_i;
          4'd6: rate_header_o[p*40 + 32 +: 8]  <= data_i[7:0];
          default: ;
        endcase
      end
    end
  end

  // The stored setting: rows of inputs and outputs by words 0 to 7 and 8 to 15 of a port, settings, and its index,
  // which lets the memories take it.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cfg_we_o <= 1'b0;
    else         cfg_we_o <= we_i && whole && word == 4'd5;
  end
  always_ff @(posedge clk_i) begin
    if (we_i && whole && word == 4'd5) cfg_index_o <= data_i[15:0];
  end
  for (genvar p = 0; p < Ports; p++) begin : gen_row
    for (genvar w = 0; w < Ports; w += 32) begin : gen_word
      localparam int unsigned Bits = Ports - w < 32 ? Ports - w : 32;
      always_ff @(posedge clk_i) begin
        if (we_i && kind == 4'd2 && 32'(port) == p) begin
          if (32'(word) == w / 32) cfg_inputs_o[p*Ports + w +: Bits] <= data_i[Bits-1:0];
          if (32'(word) == w / 32 + 8) cfg_outputs_o[p*Ports + w +: Bits] <= data_i[Bits-1:0];
        end
      end
    end
  end
  for (genvar w = 0; w < SettingBits; w += 32) begin : gen_setting
    localparam int unsigned Bits = SettingBits - w < 32 ? SettingBits - w : 32;
    always_ff @(posedge clk_i) begin
      if (we_i && address_i[15] && 32'(address_i[14:0]) == w / 32) cfg_settings_o[w +: Bits] <= data_i[Bits-1:0];
    end
  end

`ifdef WEFT_ASSERTIONS
  // The edge before: whether it was outside the reset, what was written, which index was there.
  logic        known, wrote;
  logic [15:0] address, index;
  logic [31:0] data;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) known <= 1'b0;
    else         known <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    wrote   <= we_i;
    address <= address_i;
    data    <= data_i;
    index   <= cfg_index_o;
  end

  `WEFT_ASSERT(ResetClears, known || (credits_o == '0 && control_credits_o == '0))
  `WEFT_ASSERT(StoresWithIndex, cfg_we_o == (known && wrote && address == 16'd5)
      && (!known || cfg_index_o == (cfg_we_o ? data[15:0] : index)))
  `WEFT_ASSERT(WordIsWritten, !known || !wrote
      || ((address != 16'd1 || reconfigure_cycles_o == data[19:0]) && (address != 16'd2 || stay_packets_o == data)
          && (address != 16'd3 || {uplinks_o, first_uplink_o} == data[15:0])
          && (address != 16'd4 || {output_flits_o, control_credits_o} == data)))
`endif

endmodule
