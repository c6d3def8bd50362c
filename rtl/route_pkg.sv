// SPDX-License-Identifier: Apache-2.0
// The wires of Fred_m(P), numbered for the search of routes: level after level, stage after stage; within a stage those
// that lead from its input uSwitches into its middle stages, then those that leave it. A middle stage is a stage of the
// next level: number of its parent x m + middle. The innermost stages are one uSwitch, two wires that leave it.

package route_pkg;

  // Ports of a stage, wires of a stage, stages, number of the first wire. `levels`: of stages around the innermost
  // ones.
  function automatic int unsigned size_at(input int unsigned ports, input int unsigned level);
    size_at = ports;
    for (int unsigned l = 0; l < level; l++) size_at = (size_at + 1) / 2;
  endfunction

  function automatic int unsigned stage_wires(input int unsigned m, input int unsigned ports, input int unsigned levels,
                                              input int unsigned level);
    stage_wires = (level < levels ? m * size_at(ports, level + 1) : 0) + size_at(ports, level);
  endfunction

  function automatic int unsigned stages_at(input int unsigned m, input int unsigned level);
    stages_at = 1;
    for (int unsigned l = 0; l < level; l++) stages_at = stages_at * m;
  endfunction

  function automatic int unsigned first_wire(input int unsigned m, input int unsigned ports, input int unsigned levels,
                                             input int unsigned level);
    first_wire = 0;
    for (int unsigned l = 0; l < level; l++) begin
      first_wire = first_wire + stages_at(m, l) * stage_wires(m, ports, levels, l);
    end
  endfunction

  function automatic int unsigned all_wires(input int unsigned m, input int unsigned ports, input int unsigned levels);
    all_wires = first_wire(m, ports, levels, levels + 1);
  endfunction

  // By level, 32 bits each, at most 7 levels: the first wire (column 0), wires of a stage (1), of them those into
  // middle stages (2).
  function automatic logic [255:0] table_of(input int unsigned m, input int unsigned ports, input int unsigned levels,
                                            input int unsigned column);
    table_of = '0;
    for (int unsigned l = 0; l <= levels; l++) begin
      table_of[l*32 +: 32] = column == 0 ? first_wire(m, ports, levels, l) :
                             stage_wires(m, ports, levels, l) - (column == 1 ? 0 : size_at(ports, l));
    end
  endfunction

endpackage
