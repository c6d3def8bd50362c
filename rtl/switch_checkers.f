checkers/output_port_checker.sv
checkers/port_buffer_checker.sv
checkers/input_port_checker.sv
checkers/packet_checker.sv
checkers/fred_core_checker.sv
checkers/bind_switch.sv
