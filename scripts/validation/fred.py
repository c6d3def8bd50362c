# SPDX-License-Identifier: Apache-2.0
"""FRED-A to D and the mesh against the figures of the paper (ISCA 2025, arXiv 2406.19580)."""
import fred_io
import fred_memory
import fred_phases
import fred_plot
import fred_runs
import fred_series
import fred_streaming
import fred_studies
import fred_traces
import fred_wafer
import runs

PARTS = {
    "phases": fred_phases.study,
    "io": fred_io.study,
    "streaming": fred_streaming.study,
    "memory": fred_memory.study,
    "latency": fred_phases.latency,
    "series": fred_series.study,
    "buffer": fred_studies.buffer,
    "parameters": fred_studies.parameters,
    "traces": fred_traces.study,
}


def wafer(options):
    text, faults, found = fred_wafer.study(options)
    if not options.only and not options.dry:
        fred_plot.bars(fred_runs.FABRICS, [found[name].per_byte for name in fred_runs.FABRICS],
                       [fred_wafer.DERIVED[name] for name in fred_runs.FABRICS])
    return text, faults


def validate(options):
    texts, faults = [], []
    parts = {"all-reduce": wafer, **PARTS}
    for name in runs.chosen(list(parts), str, options, "fred"):
        text, wrong = parts[name](options)
        texts.append(text)
        faults += wrong
    summary = ("Outside their bounds: " + "; ".join(faults) + "." if faults else
               "All rows are within their bounds.")
    text = "\n\n".join([summary, *texts])
    print(text)
    if not options.only and not options.dry:
        runs.write_part("fred", text)
    return not faults
