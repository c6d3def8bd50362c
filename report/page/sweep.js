// Curves of a sweep: figures against what was varied, with the saturation point of traffic.
const kRate = "workload.traffic.rate";
/// The figures that are drawn, in the order in which they are offered, and their words.
const kFigures = data.run_quantities.filter((q) => q.drawn > 0)
                     .sort((a, b) => a.drawn - b.drawn)
                     .map((q) => [q.key, withUnit(q.key)]);

const axisName = (path) => (path === kRate ? withUnit("offered") : path);
/// The last parts of a path, as many as tell it from the other parameters.
function shortName(sweep, axis) {
  const parts = axis.split(".");
  for (let n = 1; n < parts.length; ++n) {
    const end = parts.slice(-n).join(".");
    if (sweep.axes.filter((a) => a === end || a.endsWith(`.${end}`)).length === 1) return end;
  }
  return axis;
}
const paramText = (sweep, row, axes) => axes.map((a) => `${shortName(sweep, a)} = ${row[a].text}`).join(", ");

/// More curves than this cannot be told apart.
const kMostCurves = 12;

/// Rows with the same values of the other axes, in order of `axis`.
function curvesOf(sweep, axis, fixed) {
  const others = sweep.axes.filter((a) => a !== axis);
  const curves = new Map();
  for (const row of sweep.rows) {
    if (others.some((a) => fixed && fixed[a] !== undefined && fixed[a] !== row[a].text)) continue;
    const name = paramText(sweep, row, others);
    if (!curves.has(name)) curves.set(name, {name, others, rows: []});
    curves.get(name).rows.push(row);
  }
  for (const c of curves.values()) c.rows.sort((a, b) => a[axis].value - b[axis].value);
  return [...curves.values()];
}

/// At most kMostCurves of them, spread evenly.
function fewCurves(curves) {
  if (curves.length <= kMostCurves) return curves;
  const step = (curves.length - 1) / (kMostCurves - 1);
  return Array.from({length: kMostCurves}, (_, i) => curves[Math.round(i * step)]);
}

/// Highest rate that the network carries, by saturation.csv, else by the points.
function saturationMarks(sweep, curves) {
  if (sweep.saturation) {
    return sweep.saturation.filter((r) => r.saturation_rate !== null)
        .map((r) => {
          const name = paramText(sweep, r, sweep.axes.filter((a) => a !== kRate));
          return {
            x: r.saturation_rate,
            text: `saturation ${digits(r.saturation_rate)}${name ? ` · ${name}` : ""}`,
            colour: curves.findIndex((c) => c.name === name)
          };
        })
        .filter((m) => m.colour >= 0);
  }
  return curves
      .map((c) => {
        const first = c.rows.find((r) => r.saturated === true);
        const good =
            c.rows.filter((r) => r.saturated === false && (!first || r[kRate].value < first[kRate].value)).pop();
        return first && good ? {
          x: good[kRate].value,
          text: `saturation after ${digits(good[kRate].value)}${c.name ? ` · ${c.name}` : ""}`,
          colour: curves.indexOf(c)
        } :
                               null;
      })
      .filter(Boolean);
}

function sweepChart(sweep, axis, figure, label, marksLow, fixed) {
  const all = curvesOf(sweep, axis, fixed).filter((c) => c.rows.some((r) => typeof r[figure] === "number"));
  const curves = fewCurves(all);
  const byNumber = sweep.rows.every((r) => r[axis].value !== null);
  const texts = [...new Set(sweep.rows.map((r) => r[axis].text))];
  const place = (row) => (byNumber ? row[axis].value : texts.indexOf(row[axis].text));
  const series =
      curves
          .map((c, i) => ({
                 name: c.name || figure,
                 colour: i,
                 dash: i,
                 marker: i,
                 points:
                     c.rows.filter((r) => typeof r[figure] === "number")
                         .map((r) => Object.assign([place(r), r[figure]], {
                           low: typeof r[`${figure}.ci95`] === "number" ? r[figure] - r[`${figure}.ci95`] : undefined,
                           high: typeof r[`${figure}.ci95`] === "number" ? r[figure] + r[`${figure}.ci95`] : undefined,
                           hollow: r.saturated === true,
                           text: `${paramText(sweep, r, sweep.axes)}\n${label}: ${digits(r[figure], 6)}${
                               typeof r[`${figure}.ci95`] === "number" ? ` ± ${digits(r[`${figure}.ci95`])}` :
                                                                         ""}${r.saturated ? "\nsaturated" : ""}`
                         }))
               }))
          .filter((s) => s.points.length > 0);
  if (series.length === 0) return html("p", {}, "No point of this sweep has this figure.");
  const xs = series.flatMap((s) => s.points.map((p) => p[0]));
  const unit = sweep.units[axis];
  const log =
      byNumber && axis !== kRate && Math.min(...xs) > 0 && Math.max(...xs) / Math.min(...xs) > (unit === "B" ? 3 : 30);
  const marks = axis === kRate ? saturationMarks(sweep, curves).sort((a, b) => a.x - b.x) : [];
  const x = {
    label: axisName(axis),
    log,
    base: unit === "B" ? 2 : 10,
    text: byNumber ? amountText(unit) : (v) => texts[v] || "",
    low: byNumber ? (log ? undefined : Math.min(0, ...xs)) : undefined
  };
  if (marks.length > 0) x.high = Math.max(...sweep.rows.map((r) => r[axis].value));
  const picture = chart({
    label: `${label} against ${axisName(axis)}`,
    width: 1240,
    height: 400,
    x,
    y: {label},
    series,
    marks,
    marksLow,
    legend: series.length > 1
  });
  if (curves.length === all.length) return picture;
  return html(
      "div", {}, picture,
      html(
          "p", {class: "note"},
          `${curves.length} of ${count(all.length)} curves are drawn, spread evenly; choose values above for others.`));
}

/// Choices that hold the other parameters fixed; [element, what is fixed].
function fixers(sweep, axes, changed) {
  const fixed = {};
  const boxes = axes.map((a) => {
    const texts = [...new Set(sweep.rows.map((r) => r[a].text))];
    const select =
        html("select", {}, html("option", {value: -1}, "all"), texts.map((t, i) => html("option", {value: i}, t)));
    select.addEventListener("change", () => {
      fixed[a] = texts[Number(select.value)];
      changed();
    });
    return html("label", {}, `${shortName(sweep, a)} `, select);
  });
  return [boxes, fixed];
}

function sweepCurves(sweep) {
  const known = kFigures.filter(([f]) => sweep.rows.some((r) => typeof r[f] === "number"));
  const axes = sweep.axes.filter((a) => new Set(sweep.rows.map((r) => r[a].text)).size > 1);
  if (known.length === 0 || axes.length === 0) return card("Curves", "Nothing was varied, or no point finished.");
  const choose = (label, list) => {
    const select = html("select", {"aria-label": label}, list.map(([v, t]) => html("option", {value: v}, t)));
    select.addEventListener("change", draw);
    return select;
  };
  const holder = html("div", {});
  const figure = choose("figure", known);
  const axis = choose("against", axes.map((a) => [a, axisName(a)]));
  axis.value = axes.includes(kRate) ? kRate : axes[0];
  if (!axes.includes(kRate)) figure.value = known.some(([f]) => f === "time_ns") ? "time_ns" : known[0][0];
  const [boxes, fixed] = axes.length > 1 ? fixers(sweep, axes, draw) : [[], {}];
  function draw() {
    holder.replaceChildren(sweepChart(
        sweep, axis.value, figure.value, known.find(([f]) => f === figure.value)[1], false,
        {...fixed, [axis.value]: undefined}));
  }
  draw();
  const note = axes.includes(kRate) ?
      "Throughput against latency: dashed lines mark the highest rate that was carried. Saturated points have no latency." :
      "Arrow keys on the chart read the points.";
  return card(
      "Curves", note,
      html(
          "div", {class: "row no-print"}, html("label", {}, "show ", figure), html("label", {}, "against ", axis),
          boxes),
      holder);
}

function acceptedSection(sweep) {
  if (!sweep.axes.includes(kRate) || !sweep.rows.some((r) => typeof r.accepted === "number")) return null;
  return card(
      "Throughput", "What the network accepts of what is offered; hollow points are saturated.",
      sweepChart(sweep, kRate, "accepted", withUnit("accepted"), true));
}

function saturationTable(sweep) {
  if (!sweep.saturation) return null;
  const axes = sweep.axes.filter((a) => a !== kRate);
  const shown = (v) => (v === null || v === undefined ? "–" : digits(v));
  return card(
      "Saturation",
      "Highest rate whose mean latency is within three times that of the lowest rate, and the first above it.",
      sweep.saturation.length < sweep.all_saturation ?
          html(
              "p", {class: "note"},
              `${count(sweep.saturation.length)} of ${count(sweep.all_saturation)} rows of saturation.csv.`) :
          null,
      html(
          "div", {class: "wide"},
          html(
              "table", {},
              html(
                  "thead", {},
                  html(
                      "tr", {},
                      [...axes, "latency at the lowest rate, cycles", "saturation rate", "first rate above", "runs"]
                          .map((t) => html("th", {}, t)))),
              html("tbody", {}, sweep.saturation.map((r) => html("tr", {}, axes.map((a) => html("td", {}, r[a].text)), [
                                                       r.zero_load_latency_cycles, r.saturation_rate,
                                                       r.first_rate_above, r.runs
                                                     ].map((v) => html("td", {}, shown(v)))))))));
}

/// The least and the greatest of every figure over all points.
function extremesTable(sweep, number) {
  const figures = kFigures.filter(([f]) => sweep.rows.some((r) => typeof r[f] === "number"));
  if (figures.length === 0 || sweep.rows.length < 2) return null;
  const rows = figures.map(([f, label]) => {
    const known = sweep.rows.filter((r) => typeof r[f] === "number");
    const cells = [(a, b) => a[f]<b[f], (a, b) => a[f]>b[f]].map((before, i) => {
      const row = known.reduce((best, r) => (before(r, best) ? r : best));
      return html(
          "td", {id: `extreme-${number + 1}-${f}-${i === 0 ? "least" : "greatest"}`, "data-value": String(row[f])},
          digits(row[f], 6), html("span", {class: "delta"}, paramText(sweep, row, sweep.axes)));
    });
    return html("tr", {}, html("td", {}, label), cells);
  });
  return card(
      "Extremes", "The least and the greatest of each figure over all points, and where.",
      html(
          "div", {class: "wide"},
          html(
              "table", {}, html("thead", {}, html("tr", {}, ["", "least", "greatest"].map((t) => html("th", {}, t)))),
              html("tbody", {}, rows))));
}

function pointTable(sweep) {
  const figures = ["saturated", "cycles", "time_ns", "latency_cycles.mean", "latency_cycles.p99", "accepted"].filter(
      (f) => sweep.rows.some((r) => r[f] !== null && r[f] !== undefined));
  const cell = (v) =>
      (v === null || v === undefined ? "–" :
           typeof v === "number"     ? digits(v, 6) :
           v === true                ? "yes" :
           v === false               ? "no" :
                                       v);
  const failed = sweep.rows.filter((r) => r.status !== 0);
  const rows = [...failed, ...sweep.rows.filter((r) => r.status === 0)].slice(0, 200).sort((a, b) => a.point - b.point);
  return html(
      "section", {class: "card"},
      html(
          "details", {open: sweep.rows.length <= 12},
          html(
              "summary", {},
              `Points (${count(sweep.all)}${
                  rows.length < sweep.all ? `, ${rows.length} of those that are shown; all are in sweep.csv` : ""})`),
          html(
              "div", {class: "wide"},
              html(
                  "table", {},
                  html(
                      "thead", {}, html("tr", {}, [...sweep.axes, "status", ...figures].map((t) => html("th", {}, t)))),
                  html(
                      "tbody", {},
                      rows.map(
                          (r) => html(
                              "tr", {}, sweep.axes.map((a) => html("td", {}, r[a].text)),
                              html("td", {}, r.status === 0 ? "finished" : r.error || `status ${r.status}`),
                              figures.map((f) => html("td", {}, cell(r[f]))))))))));
}

/// What a page about many points leaves out.
function thinned(sweep) {
  if (sweep.rows.length >= sweep.all) return null;
  return html(
      "p", {class: "warn"},
      `${count(sweep.rows.length)} of the ${
          count(
              sweep
                  .all)} points are on this page: a coarser grid of what was varied, and besides it the points with the least and the greatest of each figure, the first that failed${
          sweep.axes.includes(kRate) ? " and those on both sides of saturation" : ""}. sweep.csv has all points.`);
}

function sweepPanel(sweep, number) {
  const axes = sweep.axes.filter((a) => a !== "workload.collective.size");
  const classes = sweep.rows.filter((r) => r.collectives.length > 0);
  const sources = classes.map((r) => ({name: paramText(sweep, r, axes), classes: r.collectives}));
  return [
    html("h2", {}, sweep.label),
    html(
        "p", {class: "muted"},
        `A sweep of ${plural(sweep.all, "point")} over ${sweep.axes.join(", ") || "nothing"}; ${sweep.folder}`),
    thinned(sweep),
    sweep.failed > 0 ? html("p", {class: "warn"}, `${plural(sweep.failed, "point")} failed: see the table.`) : null,
    sweepCurves(sweep), acceptedSection(sweep), saturationTable(sweep), extremesTable(sweep, number),
    classes.length > 0 ? card(
                             "Bandwidth of collectives", "Bus bandwidth (filled) and bytes / time (hollow).",
                             bandwidthChart(sources, 1240), bandwidthTable(sources)) :
                         null,
    pointTable(sweep)
  ];
}
