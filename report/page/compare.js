// Several runs side by side, each against the first.

/// A row about a quantity of the run.
function measured(key, text, better, counts) {
  const {words, unit} = kRunQuantities.get(key);
  return [words, (r) => valueOf(r.summary, key), (v) => text(v, unit), better, counts];
}
/// [label, value of a run or null, text, better: -1 less, 1 more, 0 neither, what it counts: cycles of the run's own
/// clock, a share, or anything else]
const kCompared = [
  measured("time_ns", time, -1),
  ["bus bandwidth, largest collective", (r) => bestBandwidth(r)?.busbw ?? null, (v) => `${digits(v)} GB/s`, 1],
  ["algorithm bandwidth", (r) => bestBandwidth(r)?.algbw ?? null, (v) => `${digits(v)} GB/s`, 1],
  measured("latency_cycles.mean", (v, unit) => `${digits(v)} ${unit}`, -1, "cycles"),
  measured("latency_cycles.p99", (v, unit) => `${count(v)} ${unit}`, -1, "cycles"),
  ["busiest link", (r) => busiestLink(r)?.use ?? null, percent, 0, "share"],
  ["mean use of links", (r) => meanUse(r), percent, 0, "share"],
  ...kStallReasons.map(
      ({words,
        key}) => [`links waited: ${words}`, (r) => stallCycles(r, key), (v) => `${count(v)} cycles`, 0, "cycles"]),
  measured("accepted", (v, unit) => `${digits(v)} ${unit}`, 1),
  measured("avg_hops", (v) => digits(v), 0),
  measured("flits", (v) => bigParts(v).join(" ").trim(), 0),
  measured("flit_hops", (v) => bigParts(v).join(" ").trim(), 0),
  measured("cycles", count, 0, "cycles"),
  measured("cpu_s", (v, unit) => `${digits(v, 3)} ${unit}`, 0),
];
/// Cycles that all links waited, of runs that counted them.
function stallCycles(run, key) {
  return run.statistics && run.summary.stall_cycles ? run.summary.stall_cycles[key] ?? null : null;
}
const meanUse = (run) => run.wafer.mean_use ?? null;

/// Parts of a path without . and ..
const pathParts = (path) => path.split("/").filter((part) => part && part !== "." && part !== "..");
/// How many last parts of paths must agree where the files are gone.
const kPathParts = 3;
/// Whether two runs mean the same files by a key, however they are spelt.
function samePlace(run, base, key) {
  if (!(key in run.places) || !(key in base.places)) return false;
  const [a, b] = [run.places[key], base.places[key]];
  if (a && b) return a === b;
  const [p, q] = [pathParts(a || run.work[key]), pathParts(b || base.work[key])];
  const n = Math.min(p.length, q.length, kPathParts);
  return n > 0 && p.slice(-n).join("/") === q.slice(-n).join("/");
}

/// The keys in which the work of two runs differs, as [key, value, value of the other].
function workDifferences(run, base) {
  const keys = [...new Set([...Object.keys(base.work), ...Object.keys(run.work)])];
  return keys.filter((k) => run.work[k] !== base.work[k] && !samePlace(run, base, k))
      .map((k) => [k, run.work[k], base.work[k]]);
}
const comparable = (run, base) => workDifferences(run, base).length === 0;

/// What is not comparable with the first run, and why.
function unlikeWork(runs) {
  return runs.slice(1).filter((r) => !comparable(r, runs[0])).map((r) => {
    const why =
        workDifferences(r, runs[0]).map(([k, v, base]) => `${k} is ${v ?? "not set"}, there ${base ?? "not set"}`);
    return html(
        "p", {class: "warn"},
        `${r.label} is not comparable with ${runs[0].label}: ${why.slice(0, 6).join("; ")}${
            why.length > 6 ? `; and ${why.length - 6} more keys` : ""}.`);
  });
}

/// How a figure differs from that of the first run, in words.
function difference(value, base, run, first, better, counts) {
  if (!comparable(run, first)) return ["not comparable", ""];
  if (counts === "share") {
    const points = (value - base) * 100;
    return [`${points > 0 ? "+" : points < 0 ? "−" : "±"}${digits(Math.abs(points), 3)} points`, ""];
  }
  if (!base) return null;
  const clocks = counts === "cycles" && run.clock !== first.clock;
  const share = (value * (clocks ? cycleNs(run) / cycleNs(first) : 1)) / base - 1;
  // Runs that did not finish are neither.
  const worth = first.summary.finished && run.summary.finished ? better * share : 0;
  const good = worth > 0.0005 ? "better" : worth < -0.0005 ? "worse" : "";
  const sign = share > 0 ? "+" : share < 0 ? "−" : "±";
  return [`${sign}${digits(Math.abs(share) * 100, 3)} %${clocks ? " in time" : ""}${good ? ` ${good}` : ""}`, good];
}

function compareTable(runs) {
  const rows = kCompared.map(([label, value, text, better, counts]) => {
    const values = runs.map(value);
    if (values.every((v) => v === null || v === undefined)) return null;
    return html("tr", {}, html("td", {}, label), values.map((v, i) => {
      if (v === null || v === undefined) return html("td", {}, "–");
      const known = i > 0 && values[0] !== null && values[0] !== undefined;
      const delta = known ? difference(v, values[0], runs[i], runs[0], better, counts) : null;
      return html(
          "td", {"data-value": String(v)}, text(v),
          delta ? html("span", {class: `delta ${delta[1]}`}, delta[0]) : null);
    }));
  });
  return html(
      "div", {class: "wide"},
      html(
          "table", {id: "comparison"},
          html(
              "thead", {},
              html(
                  "tr", {}, html("th", {}, ""),
                  runs.map(
                      (r, i) => html(
                          "th", {}, r.label, i === 0 ? " (base)" : "", r.summary.finished ? "" : " (not finished)")))),
          html("tbody", {}, rows)));
}

function compareBars(runs, label, value, text, unit) {
  const known = runs.filter((r) => value(r) !== null && value(r) !== undefined);
  if (known.length < 2) return null;
  return card(
      label, unit,
      horizontalBars(
          known.map((r) => ({name: r.label, value: value(r), text: text(value(r)), colour: runs.indexOf(r)})), label));
}

/// Share of packets that took at most so long.
function latencyCurves(runs) {
  const series = runs.filter((r) => r.latency && !r.summary.saturated).map((r) => {
    const total = r.latency.steps.length > 0 ? r.latency.steps[r.latency.steps.length - 1][1] : 0;
    const points = [[0, 0]].concat(r.latency.steps.map(([cycles, sum]) => Object.assign([cycles, (sum / total) * 100], {
      text: `${r.label}\n${percent(sum / total)} of the packets within ${count(cycles)} cycles`
    })));
    return {name: r.label, kind: "steps", marker: -1, colour: runs.indexOf(r), dash: runs.indexOf(r), points};
  });
  if (series.length < 2) return null;
  return card(
      "Packet latency", "Share of the packets that took at most so long. Cycles of each run's own clock.", chart({
        label: "Distribution of packet latencies",
        width: 1240,
        height: 340,
        x: {label: "latency in cycles", text: count},
        y: {label: "% of packets", high: 100},
        series
      }));
}

function smallWafers(runs) {
  const figures = runs.filter((r) => !r.wafer.missing && r.wafer.links.from.length > 0).map((r) => {
    const model = unpack(r.wafer);
    const plan = makePlan(model, false);
    const uses = model.links.map((l) => l.utilisation);
    onTheme(() => plan.paint(uses, null));
    const top = busiestLink(r);
    return html(
        "figure", {},
        html(
            "div", {
              class: "stage",
              role: "img",
              "aria-label": `Links of ${r.label}: busiest ${percent(top.use)}, mean ${percent(meanUse(r))}`
            },
            plan.element),
        html(
            "figcaption", {}, html("b", {}, r.label),
            ` · ${time(r.summary.time_ns)} · links ${percent(meanUse(r))} used on average`));
  });
  if (figures.length < 2) return null;
  return card(
      "Wafers", "Share of each link's capacity used over the whole run.", html("div", {class: "small-wafers"}, figures),
      useLegend());
}

/// Bars of parts, one below the other, to scale. `kinds` has the words of each part, in order; `nsOf` gives its length.
function partBars(runs, kinds, nsOf, title, unit) {
  const used = Object.keys(kinds).filter((k) => runs.some((r) => nsOf(r, k) > 0));
  const most = Math.max(...runs.map((r) => r.summary.time_ns));
  const above = runs.some((r) => r.label.length > 26);
  const [width, left, pitch, bar] = above ? [1240, 0, 50, 23] : [1240, 190, 30, 5];
  const root = svg("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${runs.length * pitch + 6}`,
    role: "img",
    "aria-label": runs.map((r) => `${r.label}: ${used.map((k) => `${k} ${time(nsOf(r, k))}`).join(", ")}`).join("; ")
  });
  const legend = html("div", {class: "legend"});
  onTheme(() => {
    root.replaceChildren();
    runs.forEach((r, i) => {
      root.append(svg("text", {x: 0, y: i * pitch + (above ? 16 : 20), class: "title"}, shortened(r.label, 160)));
      let at = left;
      used.forEach((k) => {
        const wide = (nsOf(r, k) / most) * (width - left - 110);
        const part =
            svg("rect", {x: at, y: i * pitch + bar, width: wide, height: 21, fill: seriesColour(kColourOf[k])});
        part.append(svg("title", {}, `${k}: ${time(nsOf(r, k))}, ${percent(nsOf(r, k) / r.summary.time_ns)}`));
        root.append(part);
        at += wide;
      });
      root.append(svg("text", {x: at + 6, y: i * pitch + bar + 15}, time(r.summary.time_ns)));
    });
    legend.replaceChildren(...used.map(
        (k) => html(
            "span", {},
            svg("svg", {width: 16, height: 11, "aria-hidden": "true"},
                svg("rect", {width: 16, height: 11, rx: 2, fill: seriesColour(kColourOf[k])})),
            `${k}: ${kinds[k]}`)));
  });
  return card(title, unit, root, legend);
}

/// Critical paths as bars of parts.
function comparePaths(runs) {
  const known = runs.filter((r) => r.summary.critical_path);
  if (known.length < 2) return null;
  const ns = (r, k) => (r.summary.critical_path[k] / r.summary.critical_path.cycles) * r.summary.time_ns;
  return partBars(known, kPathKinds, ns, "What made up the time", "The critical path of each run, to scale.");
}

/// Parts of the time of a training step. While a rank computes nothing else counts.
const kTimeParts = {
  compute: "on the accelerator or the host core",
  load: "waits for loads and stores, such as weights that are streamed",
  mp: "waits for collectives of tensor parallel groups",
  dp: "waits for collectives of data parallel groups",
  pp: "waits for transfers between pipeline stages, and for their bubble",
  collective: "waits for other collectives",
  other: "nothing of its own is under way"
};
/// What the last rank of each trace did.
function compareTimeParts(runs) {
  const known = runs.filter((r) => r.time_parts && r.workload === "trace");
  if (known.length < 2) return null;
  const ns = (r, k) => (r.time_parts.parts[k] / r.time_parts.cycles) * r.summary.time_ns;
  return partBars(
      known, kTimeParts, ns, "What the last rank did",
      "Computing and exposed communication of the rank that ends last, to scale. Of what goes on at the same time the first in this list counts.");
}

const sourcesOf = (runs) => runs.map((r) => ({name: r.label, classes: r.collectives.classes}));

function comparePanel(runs) {
  const alike = runs.every((r) => comparable(r, runs[0]));
  const classes = runs.filter((r) => r.collectives && r.collectives.classes.length > 0);
  return [
    html("h2", {}, `${runs.map((r) => r.label).join(" · ")}`),
    html("p", {class: "muted"}, `Differences are against ${runs[0].label}.`), unlikeWork(runs),
    html("section", {class: "card"}, compareTable(runs)),
    html(
        "div", {class: "pair"},
        compareBars(
            runs, "Simulated time", (r) => r.summary.time_ns, time,
            alike ? "Shorter is better." : "Of unlike work: not comparable."),
        compareBars(
            runs, "Bus bandwidth", (r) => bestBandwidth(r)?.busbw ?? null, (v) => `${digits(v)} GB/s`,
            `Of each run's largest collective; ${alike ? "longer is better" : "unlike work: not comparable"}.`)),
    compareTimeParts(runs), comparePaths(runs), smallWafers(runs),
    classes.length > 1 ?
        card(
            "Bandwidth of collectives",
            "Bus bandwidth (filled) and bytes / time (hollow); of equal collectives at their mean time, largest size first.",
            bandwidthChart(sourcesOf(classes), 1240), bandwidthTable(sourcesOf(classes))) :
        null,
    latencyCurves(runs)
  ];
}
