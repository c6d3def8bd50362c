# SPDX-License-Identifier: Apache-2.0
"""The pictures of docs/fred_paper.md. The same figures give the same bytes."""
import fred_map
import fred_parts
import fred_plot
from fred_iteration import OVERLAPS


def kept_map(spots):
    """It draws how many of the eight ratios lie within the bound, over rate and sequence, with a field for each overlap."""
    figure, fields = fred_plot.start(10.0, 3.2)
    figure.clear()
    fields = figure.subplots(1, len(OVERLAPS), sharey=True)
    drawn = None
    for axes, overlap in zip(fields, OVERLAPS):
        part = {(spot.rate, spot.sequence): len(spot.kept()) for spot in spots if spot.overlap == overlap}
        values = [[part[rate, sequence] for rate in fred_map.RATES] for sequence in fred_map.SEQUENCES]
        drawn = axes.imshow(values, origin="lower", aspect="auto", cmap="viridis", vmin=0, vmax=8, interpolation="nearest")
        ticks = range(0, len(fred_map.RATES), 6)
        axes.set_xticks(ticks, [f"{fred_map.RATES[tick] / 1e15:.0f}" for tick in ticks], fontsize=8)
        axes.set_yticks(range(len(fred_map.SEQUENCES)), fred_map.SEQUENCES, fontsize=8)
        axes.set_title(f"overlap: {overlap}", loc="left", fontsize=9)
        axes.set_xlabel("PFLOP/s", fontsize=9)
    fields[0].set_ylabel("tokens", fontsize=9)
    figure.colorbar(drawn, ax=list(fields), ticks=range(9), label="ratios within 10 %, of eight")
    fred_plot.save(figure, "fred-map.svg")


def iterations(bars):
    """It draws a stacked bar for each iteration, beside those of the same workload. `bars` are those of fred_parts.bars_of()."""
    figure, axes = fred_plot.start(8.0, 3.2)
    places, names, at = [], [], 0.0
    for place, (name, _, _) in enumerate(bars):
        at += 1.7 if place and name != bars[place - 1][0] else 1.0
        places.append(at)
        if not names or name != names[-1][0]:
            names.append((name, []))
        names[-1][1].append(at)
    floor = [0.0] * len(bars)
    for part, colour in zip(fred_parts.PARTS, ("#999999", "#0072B2", "#E69F00", "#009E73", "#CC79A7")):
        heights = [parts[part] for _, _, parts in bars]
        if max(heights) < 0.0005:
            continue  # What no workload has would stand in the legend alone.
        axes.bar(places, heights, 0.78, bottom=floor, color=colour, label=fred_parts.TITLES[part])
        floor = [low + height for low, height in zip(floor, heights)]
    for place, top in zip(places, floor):
        axes.annotate(f"{top:.2f}", (place, top), xytext=(0, 2), textcoords="offset points", ha="center", fontsize=8)
    axes.set_xticks(places, [fabric.replace(", ", ",\n") for _, fabric, _ in bars], fontsize=8)
    for name, where in names:
        axes.annotate(name, (sum(where) / len(where), 1.1), ha="center", fontsize=9)
    axes.set_ylim(0, 1.18)
    axes.set_ylabel("time over that of the mesh")
    axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    fred_plot.save(figure, "fred-iterations.svg")


def tornado_field(axes, title, bars, base, most):
    """It draws one field: a bar for each choice, from one end to the other, with the sides written beside the ends."""
    bars = bars[:most]
    seen = 0.01 * max(abs(value - base) for _, *ends in bars for _, value in ends)  # Shorter ends have no words.
    for place, (_, *ends) in enumerate(bars):
        # The longer end comes first, so that it does not hide the other one where both lie on one side.
        for colour, (text, value) in sorted(zip(("#0072B2", "#E69F00"), ends), key=lambda end: -abs(end[1][1] - base)):
            axes.barh(place, value - base, left=base, height=0.62, color=colour)
            if abs(value - base) > seen:
                axes.annotate(text, (value, place), xytext=(2 if value >= base else -2, 0), textcoords="offset points", fontsize=5.5,
                              va="center", ha="left" if value >= base else "right", color="#444444")
    axes.axvline(base, color="#222222", linewidth=0.8)
    axes.set_yticks(range(len(bars)), [bar[0] for bar in bars], fontsize=7)
    axes.invert_yaxis()
    axes.margins(x=0.22)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_title(title, loc="left", fontsize=9)


def tornado(played, of_form, most=8):
    """It draws ResNet-152 as played above, and the four workloads by the closed form below. Each is (bars, speed-up in the middle)."""
    figure, _ = fred_plot.start(11.0, 8.5)
    figure.clear()
    grid = figure.add_gridspec(3, 2, hspace=0.35, wspace=0.55)
    tornado_field(figure.add_subplot(grid[0, :]), "ResNet-152, played: speed-up of FRED-D over the mesh", *played, most=len(played[0]))
    for place, (name, (bars, base)) in zip(((1, 0), (1, 1), (2, 0), (2, 1)), of_form.items()):
        tornado_field(figure.add_subplot(grid[place]), f"{name}, closed form", bars, base, most)
    fred_plot.save(figure, "fred-tornado.svg")
