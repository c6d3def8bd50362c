checkers/elastic_reg_checker.sv
checkers/uswitch_input_checker.sv
checkers/uswitch_output_checker.sv
checkers/uswitch_checker.sv
checkers/bind.sv
