// SPDX-License-Identifier: Apache-2.0
// Part of switch_proof: what is known of the inside of Fred_2(4), each fact a signal of its own. The engine needs these
// to decide the rest in one step: what the registers of the switch can hold at once, and with the sender and the
// receiver.

  // By input port: the first flit of the packet on its way is in the interconnect, the second one is not; flits that
  // have been started and are to enter.
  logic [3:0]  half_q;
  logic [11:0] to_enter;
  always_ff @(posedge clk_i or negedge rst_n) begin
    if (!rst_n) begin
      half_q <= '0;
    end else begin
      for (int unsigned p = 0; p < Ports; p++) begin
        if (beat_valid[12 + p] && enter_ready[p]) half_q[p] <= !beats[(12 + p)*Beat + Tail];
      end
    end
  end

  // The output that a beat on a wire (0-11) leads to.
  function automatic logic leads(input int unsigned wire_no, input logic [Beat-1:0] beat, input int unsigned port);
    case (beat[Cfg +: 2])
      2'd0:    leads = 32'(beat[Route +: 2]) == port;
      2'd1:    leads = wire_no == 0 || wire_no == 4 + port/2 || wire_no == 8 + port;
      default: leads = port < 2 ? wire_no == 0 || wire_no == 4 || wire_no == 8 + port
                                : wire_no == 3 || wire_no == 7 || wire_no == 8 + port;
    endcase
  endfunction
  function automatic logic on_its_way(input int unsigned wire_no, input logic [Beat-1:0] beat);
    case (beat[Cfg +: 2])
      2'd0: begin
        if (wire_no < 4)      on_its_way = 32'(beat[Route + 2]) == wire_no % 2;
        else if (wire_no < 8) on_its_way = 32'(beat[Route + 2]) == (wire_no - 4)/2
            && 32'(beat[Route + 1]) == wire_no % 2;
        else                  on_its_way = 32'(beat[Route +: 2]) == wire_no - 8;
      end
      2'd1:    on_its_way = wire_no == 0 || wire_no == 2 || wire_no == 4 || wire_no == 5 || wire_no >= 8;
      2'd2:    on_its_way = wire_no == 0 || wire_no == 3 || wire_no == 4 || wire_no == 7 || wire_no >= 8;
      default: on_its_way = 1'b0;
    endcase
  endfunction
  // The fields of any flit: {data (4), length (2), stored setting (2), tail, head}.
  function automatic logic fine(input logic [9:0] flit);
    fine = (flit[5:4] == 2'd1 || (flit[5:4] == 2'd2 && Long != 0)) && (flit[1] && flit[0]) == (flit[5:4] == 2'd1)
        && (flit[1] || flit[0]) && flit[9] == flit[1] && !flit[7] && !(flit[8] && !flit[6])
        && flit[3:2] != 2'd3 && (Unicasts != 0 || flit[3:2] != 2'd0) && (First != 0 || flit[3:2] != 2'd1)
        && (Second != 0 || flit[3:2] != 2'd2) && (flit[3:2] == 2'd0 || flit[5] == long_of(flit[3:2], 1'b0));
  endfunction

  // Beats by stage (0: after R, 1: after RD, 2: after D) and output that they lead to.
  logic [11:0]      at_valid;
  logic [12*Beat-1:0] at;
  logic wires_fine, distinct, forks_fine, stages_fine, marks_fine;
  always_comb begin
    at_valid    = '0;
    at          = '0;
    wires_fine  = 1'b1;
    distinct    = 1'b1;
    stages_fine = 1'b1;
    marks_fine  = 1'b1;
    forks_fine  = done == '0;
    for (int unsigned w = 0; w < 12; w++) begin
      if (beat_valid[w]) begin
        for (int unsigned q = 0; q < Ports; q++) begin
          if (leads(w, beats[w*Beat +: Beat], q)) begin
            at_valid[(w/4)*4 + q] = 1'b1;
            at[((w/4)*4 + q)*Beat +: Beat] = beats[w*Beat +: Beat];
          end
        end
        if (!on_its_way(w, beats[w*Beat +: Beat])) wires_fine = 1'b0;
        if (!fine({beats[w*Beat + Data +: 4], beats[w*Beat + Length +: 2],
            beats[w*Beat + Head +: 4]})) wires_fine = 1'b0;
        if (beats[w*Beat + Class +: 2] != traffic_class_of(beats[w*Beat + Cfg +: 2])) wires_fine = 1'b0;
        // The flow's.
        if (beats[w*Beat + Cfg +: 2] != '0) begin
          if (w < 4) begin
            if (beats[w*Beat + Data] != (beats[w*Beat + Cfg +: 2] == kind && w/2 == 32'(from[1]))) marks_fine = 1'b0;
          end else begin
            if (beats[w*Beat + Data] != (beats[w*Beat + Cfg +: 2] == kind && (w < 8
                ? kind == 2'd1 || (w >= 6) == from[1] : targets[w - 8]))) marks_fine = 1'b0;
          end
        end else if (beats[w*Beat + Data]) begin
          if (kind != '0 || beats[w*Beat + Route +: 2] != to || (w < 4 && w/2 != 32'(from[1]))) marks_fine = 1'b0;
        end
        for (int unsigned v = 0; v < 12; v++) begin
          if (v/4 == w/4 && v != w && beat_valid[v]) begin
            if (beats[v*Beat + Cfg +: 2] != beats[w*Beat + Cfg +: 2]) stages_fine = 1'b0;
            if (beats[w*Beat + Cfg +: 2] == '0 && (beats[v*Beat + Route +: 2] == beats[w*Beat + Route +: 2]
                || (w < 4 && beats[v*Beat + Route + 1 +: 2] == beats[w*Beat + Route + 1 +: 2]))) distinct = 1'b0;
          end
        end
      end
    end
  end

  // Stored settings are there before packets.
  logic stored_fine;
  always_comb begin
    stored_fine = straps;
    if (cycle >= 8'd2 && (settings[31:0] != Settings1 || flows[31:0] != 32'h000f_000f)) stored_fine = 1'b0;
    if (cycle >= 8'd3 && Stored > 1 && (settings[32*(Stored-1) +: 32] != Settings2
        || flows[32*(Stored-1) +: 32] != 32'h0c03_0c03)) stored_fine = 1'b0;
    if (cycle < 8'd3 && (busy != '0 || beat_valid != '0 || waiting != '0 || second_q != '0)) stored_fine = 1'b0;
  end

  // Ages are an order of the ports.
  logic ages_fine;
  always_comb begin
    ages_fine = 1'b1;
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned q = 0; q < Ports; q++) begin
        if (older[p*Ports + q] == older[q*Ports + p] && (p != q || older[p*Ports + q])) ages_fine = 1'b0;
        for (int unsigned r = 0; r < Ports; r++) begin
          if (older[p*Ports + q] && older[q*Ports + r] && !older[p*Ports + r]) ages_fine = 1'b0;
        end
      end
    end
  end

  // Input ports.
  logic        buffers_fine, packets_fine, routes_fine, contents_fine, sums_fine;
  logic [12:0] e0, e1;
  logic        f0, f1, streams;
  always_comb begin
    buffers_fine  = 1'b1;
    packets_fine  = !odd && (active_valid || (busy == '0 && beat_valid[11:0] == '0));
    routes_fine   = 1'b1;
    contents_fine = 1'b1;
    e0 = '0;
    e1 = '0;
    f0 = 1'b0;
    f1 = 1'b0;
    streams = 1'b0;
    for (int unsigned p = 0; p < Ports; p++) begin
      to_enter[3*p +: 3] = busy[p] ? left[3*p +: 3] + pending[3*p +: 3] : '0;
      if (busy[p] != (left[3*p +: 3] != '0) || left[3*p +: 3] > 3'd2 || pending[3*p +: 3] > 3'd2) packets_fine = 1'b0;
      if (pending[3*p +: 3] != '0 && (!busy[p] || left[3*p +: 3] != 3'd1 || active == '0)) packets_fine = 1'b0;
      if (half_q[p] && left[3*p +: 3] != 3'd1) packets_fine = 1'b0;
      if (busy[p] && active != '0) begin
        if ((pending[3*p +: 3] != '0 && pending[3*p +: 3] != (long_of(active, 1'b0) ? 3'd2 : 3'd1))
            || half_q[p] != (left[3*p +: 3] == 3'd1 && long_of(active, 1'b0))
            || (!long_of(active, 1'b0) && left[3*p +: 3] != 3'd1)) packets_fine = 1'b0;
      end
      if (busy[p] && traffic_class[2*p +: 2] != traffic_class_of(active)) packets_fine = 1'b0;
      if (busy[p] && ((active == '0 && Unicasts == 0) || (active == 2'd1 && First == 0)
          || (active == 2'd2 && Second == 0) || active == 2'd3)) packets_fine = 1'b0;
      for (int unsigned q = 0; q < Ports; q++) begin
        if (p != q && busy[p] && busy[q] && active == '0) begin
          if (route[3*p +: 2] == route[3*q +: 2] || route[3*p + 1 +: 2] == route[3*q + 1 +: 2]
              || (p/2 == q/2 && route[3*p + 2] == route[3*q + 2])) routes_fine = 1'b0;
        end
      end
      if (second_q[p] && stored_setting_q[2*p +: 2] != '0 && to_q[2*p +: 2] != '0) contents_fine = 1'b0;
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        streams = busy[p] && 32'(traffic_class[2*p +: 2]) == c;
        if (3'(left_q[(p*TrafficClasses + c)*2 +: 2]) + 3'(waiting[(p*TrafficClasses + c)*2 +: 2])
            + 3'(freed[p] && 32'(freed_traffic_class[2*p +: 2]) == c) != 3'd2) buffers_fine = 1'b0;
        if (started[(p*TrafficClasses + c)*4 +: 4] != (streams ? 4'(to_enter[3*p +: 3]) : 4'd0)) buffers_fine = 1'b0;
        if (last[(p*TrafficClasses + c)*SlotBits]
               != (first[(p*TrafficClasses + c)*SlotBits] ^ waiting[(p*TrafficClasses + c)*2])
            || head[(p*TrafficClasses + c)*SlotBits]
               != (first[(p*TrafficClasses + c)*SlotBits] ^ started[(p*TrafficClasses + c)*4])) begin
          buffers_fine = 1'b0;
        end
        for (int unsigned b = 1; b < SlotBits; b++) begin
          if (32'(first[(p*TrafficClasses + c)*SlotBits + b]) != c
              || 32'(last[(p*TrafficClasses + c)*SlotBits + b]) != c
              || 32'(head[(p*TrafficClasses + c)*SlotBits + b]) != c) buffers_fine = 1'b0;
        end
        // Flits in the ring, the older one first.
        f0 = waiting[(p*TrafficClasses + c)*2 +: 2] != '0;
        f1 = waiting[(p*TrafficClasses + c)*2 +: 2] == 2'd2;
        e0 = inputs[(p*Slots + 2*c)*13 +: 13];
        e1 = inputs[(p*Slots + 2*c + 1)*13 +: 13];
        if (first[(p*TrafficClasses + c)*SlotBits]) begin
          e0 = inputs[(p*Slots + 2*c + 1)*13 +: 13];
          e1 = inputs[(p*Slots + 2*c)*13 +: 13];
        end
        if (f0 && !(fine({e0[12:9], e0[5:0]}) && 32'(traffic_class_of(e0[3:2])) == c && !e0[8] && (e0[3:2] == '0
            || e0[7:6] == '0)
            && e0[9] == (2'(p) == from && e0[3:2] == kind && (kind != '0 || e0[7:6] == to)))) contents_fine = 1'b0;
        if (f1 && !(fine({e1[12:9], e1[5:0]}) && 32'(traffic_class_of(e1[3:2])) == c && !e1[8] && (e1[3:2] == '0
            || e1[7:6] == '0)
            && e1[9] == (2'(p) == from && e1[3:2] == kind && (kind != '0 || e1[7:6] == to)))) contents_fine = 1'b0;
        if (f0 && f1 && (e0[1] != e1[0] || (!e0[1] && (e0[3:2] != e1[3:2] || e0[7:6] != e1[7:6]))))
            contents_fine = 1'b0;
        // The newest one and the sender.
        if (f1 && (second_q[p] && 32'(traffic_class_of(stored_setting_q[2*p +: 2])) == c) != !e1[1])
            contents_fine = 1'b0;
        if (f1 && !e1[1] && (stored_setting_q[2*p +: 2] != e1[3:2] || to_q[2*p +: 2] != e1[7:6])) contents_fine = 1'b0;
        if (f0 && !f1 && (second_q[p] && 32'(traffic_class_of(stored_setting_q[2*p +: 2])) == c) != !e0[1])
            contents_fine = 1'b0;
        if (f0 && !f1 && !e0[1] && (stored_setting_q[2*p +: 2] != e0[3:2]
            || to_q[2*p +: 2] != e0[7:6])) contents_fine = 1'b0;
        if (!f0 && (second_q[p] && 32'(traffic_class_of(stored_setting_q[2*p +: 2])) == c)
            != (streams && half_q[p])) begin
          contents_fine = 1'b0;
        end
        // The oldest one and the packet on its way.
        if (f0 && e0[0] == (streams && half_q[p])) contents_fine = 1'b0;
        if (streams && !half_q[p] && !(f0 && e0[5:4] == left[3*p +: 2])) contents_fine = 1'b0;
        if (streams && f0 && (e0[3:2] != active || (active == '0 && e0[7:6] != route[3*p +: 2]))) contents_fine = 1'b0;
        if (streams && !f0 && (stored_setting_q[2*p +: 2] != active
            || (active == '0 && to_q[2*p +: 2] != route[3*p +: 2]))) contents_fine = 1'b0;
        if (streams && pending[3*p +: 3] != '0 && !(f1 && e1[0] && e1[3:2] == active
            && e1[5:4] == pending[3*p +: 2])) begin
          contents_fine = 1'b0;
        end
      end
    end
    // Operands of a sum are taken together.
    sums_fine = 1'b1;
    if (active != '0) begin
      if (to_enter[2:0] != to_enter[5:3] || to_enter[8:6] != to_enter[11:9]) sums_fine = 1'b0;
    end
    if (4'(active == 2'd1 ? to_enter[8:6] : 3'd0) + 4'(beat_valid[2] && beats[2*Beat + Cfg +: 2] == 2'd1)
        != 4'(active == 2'd1 ? to_enter[2:0] : 3'd0) + 4'(beat_valid[0] && beats[Cfg +: 2] == 2'd1)) sums_fine = 1'b0;
    if (beat_valid[0] && beat_valid[2] && beats[Cfg +: 2] == 2'd1
        && beats[Head +: 2] != beats[2*Beat + Head +: 2]) sums_fine = 1'b0;
    if (beat_valid[0] && beats[Cfg +: 2] == 2'd1 && active == 2'd1 && busy[0] && long_sums[0] && Long != 0
        && beats[Head] != to_enter[0]) sums_fine = 1'b0;
    if (beat_valid[2] && beats[2*Beat + Cfg +: 2] == 2'd1 && active == 2'd1 && busy[2] && long_sums[0] && Long != 0
        && beats[2*Beat + Head] != to_enter[6]) sums_fine = 1'b0;
    if (beat_valid[0] && beats[Cfg +: 2] == 2'd1 && !(active == 2'd1 && busy[0]) && !beats[Tail]) sums_fine = 1'b0;
    if (beat_valid[2] && beats[2*Beat + Cfg +: 2] == 2'd1 && !(active == 2'd1 && busy[2]) && !beats[2*Beat + Tail])
        sums_fine = 1'b0;
  end

  // Output ports: promises, and what comes after what has left.
  logic        promises_fine, order_fine, follows, of_flow;
  logic [3:0]  sum;
  logic [3:0]  coming;
  logic [12:0] flit;
  logic [Beat-1:0] beat;
  logic [2:0]  number;
  always_comb begin
    promises_fine = 1'b1;
    order_fine    = 1'b1;
    follows = 1'b0;
    of_flow = 1'b0;
    sum     = '0;
    coming  = '0;
    flit    = '0;
    beat    = '0;
    number  = received_q;
    for (int unsigned q = 0; q < Ports; q++) begin
      if (size[2*q +: 2] == 2'd3 || out_last[q] != (out_first[q] ^ size[2*q])) promises_fine = 1'b0;
      // Promised.
      coming = '0;
      if (active == '0) begin
        for (int unsigned p = 0; p < Ports; p++) begin
          if (busy[p] && 32'(route[3*p +: 2]) == q) coming = coming + 4'(to_enter[3*p +: 3]);
        end
      end else begin
        coming = active == 2'd1 || q < 2 ? 4'(to_enter[2:0]) : 4'(to_enter[8:6]);
      end
      if (4'(promised[3*q +: 3]) != coming + 4'(at_valid[q]) + 4'(at_valid[4 + q]) + 4'(at_valid[8 + q])
          + 4'(size[2*q +: 2]) || promised[3*q +: 3] > 3'd2) promises_fine = 1'b0;
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        sum = 4'(held_q[(q*TrafficClasses + c)*2 +: 2]) + 4'(out_valid[q] && 32'(out_traffic_class[2*q +: 2]) == c);
        if (32'(traffic_class_of(active)) == c) sum = sum + coming;
        for (int unsigned s = 0; s < 3; s++) begin
          if (at_valid[4*s + q] && 32'(at[(4*s + q)*Beat + Class +: 2]) == c) sum = sum + 4'd1;
        end
        for (int unsigned j = 0; j < 2; j++) begin
          if (j < 32'(size[2*q +: 2]) && 32'(outputs[(2*q + (32'(out_first[q]) + j) % 2)*13 + 6 +: 2]) == c)
              sum = sum + 4'd1;
        end
        if (4'(used[(q*TrafficClasses + c)*3 +: 3]) != sum || sum > 4'd2) promises_fine = 1'b0;
      end
      // Packet after packet, from the output to the input.
      follows = open_q[q];
      of_flow = mine_q[q];
      if (out_valid[q]) begin
        follows = !out_tail[q];
        of_flow = out_data[4*q];
        if (2'(q) == to && out_data[4*q]) number = number + 3'd1;
      end
      for (int unsigned j = 0; j < 2; j++) begin
        flit = outputs[(2*q + (32'(out_first[q]) + j) % 2)*13 +: 13];
        if (j < 32'(size[2*q +: 2])) begin
          if (flit[12] || !fine({flit[11:8], flit[5:0]}) || flit[7:6] != traffic_class_of(flit[3:2])) order_fine = 1'b0;
          if (flit[8] && !(targets[q] && flit[3:2] == kind)) order_fine = 1'b0;
          if (flit[3:2] == kind && kind != '0 && targets[q] != flit[8]) order_fine = 1'b0;
          if (flit[0] == follows || (follows && flit[8] != of_flow)) order_fine = 1'b0;
          follows = !flit[1];
          of_flow = flit[8];
          if (2'(q) == to && flit[8]) begin
            if (flit[10] != (number == position)) order_fine = 1'b0;
            number = number + 3'd1;
          end
        end
      end
      for (int unsigned s = 3; s > 0; s--) begin
        beat = at[(4*(s - 1) + q)*Beat +: Beat];
        if (at_valid[4*(s - 1) + q]) begin
          if (beat[Cfg +: 2] != '0) beat[Data] = beat[Cfg +: 2] == kind && targets[q];
          if (beat[Head] == follows || (follows && beat[Data] != of_flow)) order_fine = 1'b0;
          follows = !beat[Tail];
          of_flow = beat[Data];
          if (2'(q) == to && beat[Data] && s > 1) begin
            if (beat[Mark] != (number == position)) order_fine = 1'b0;
            number = number + 3'd1;
          end
        end
      end
      if (follows) begin
        // The packet is on its way at an input.
        if (active == '0) begin
          if (coming != 4'd1) order_fine = 1'b0;
          for (int unsigned p = 0; p < Ports; p++) begin
            if (busy[p] && 32'(route[3*p +: 2]) == q && !half_q[p]) order_fine = 1'b0;
            if (busy[p] && 32'(route[3*p +: 2]) == q && of_flow != (kind == '0 && 2'(q) == to && 2'(p) == from)) begin
              order_fine = 1'b0;
            end
          end
        end else if (!half_q[active == 2'd1 || q < 2 ? 0 : 2] || of_flow != (active == kind && targets[q])) begin
          order_fine = 1'b0;
        end
      end else begin
        for (int unsigned p = 0; p < Ports; p++) begin
          if (active == '0 && busy[p] && half_q[p] && 32'(route[3*p +: 2]) == q) order_fine = 1'b0;
        end
        if (active != '0 && half_q[active == 2'd1 || q < 2 ? 0 : 2]) order_fine = 1'b0;
      end
    end
    // The watched operand before it meets the other ones, then in its buffer.
    for (int unsigned w = 0; w < 4; w++) begin
      if (beat_valid[w] && beats[w*Beat + Data]) begin
        if (beats[w*Beat + Mark] != (number == position)) order_fine = 1'b0;
        number = number + 3'd1;
      end
    end
    for (int unsigned p = 0; p < Ports; p++) begin
      for (int unsigned c = 0; c < TrafficClasses; c++) begin
        for (int unsigned j = 0; j < 2; j++) begin
          flit = {1'b0, inputs[(p*Slots + 2*c + (32'(first[(p*TrafficClasses + c)*SlotBits]) + j) % 2)*13 + 1 +: 12]};
          if (2'(p) == from && j < 32'(waiting[(p*TrafficClasses + c)*2 +: 2]) && flit[8]) begin
            if (flit[10] != (number == position)) order_fine = 1'b0;
            number = number + 3'd1;
          end
        end
      end
    end
    if (number != sent_q) order_fine = 1'b0;
  end
