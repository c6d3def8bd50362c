config_memory.sv
fred_element.sv
port_buffer.sv
input_port.sv
output_port.sv
phase_control.sv
fred_core.sv
