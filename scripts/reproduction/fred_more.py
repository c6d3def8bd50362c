# SPDX-License-Identifier: Apache-2.0
"""This module has the sections of docs/fred_paper.md that follow the played iterations: one rate, map, sweep and sensitivity."""
import fred_choices
import fred_map
import fred_one_rate
import fred_sweep
import fred_tornado

PLAYED = fred_one_rate.FITTED  # The rate is fitted to this workload, and it is played with other choices.


def sections(options, workload, rate, found):
    """It returns (text, faults). `rate` is the fitted one of `workload`, which is played once more with other choices, and `found` its
    Points at that rate."""
    one_rate, faults = fred_one_rate.section((rate, found))
    spots = fred_map.spots()
    sweep, wrong = fred_sweep.section()
    faults += wrong
    played, wrong, bars, base = fred_tornado.section(options, workload, rate)
    faults += wrong
    of_form, pictures = fred_choices.section()
    if not options.quick and not options.dry:
        import fred_pictures
        fred_map.write_table(spots)
        fred_pictures.kept_map(spots)
        fred_pictures.tornado((bars, base), pictures)
    return "\n\n".join([
        one_rate, fred_map.section(spots), sweep, "## Sensitivity\n\n"
        "These tables show which of the choices that the paper does not state decide its result.\n\n"
        "![Speed-up of FRED-D over the mesh with each choice](plots/fred-tornado.svg)", played, of_form]), faults
