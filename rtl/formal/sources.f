fred_pkg.sv
fp_add.sv
elastic_reg.sv
formal/reduce_lanes_tags.sv
uswitch.sv
formal/elastic_proof.sv
formal/uswitch_proof.sv
formal/add_proof.sv
