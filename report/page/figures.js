// Ranks, stalls, latencies, bandwidths of one run.

// Ranks -------------------------------------------------------------------------------------------------------------
function rankSection(run) {
  const r = run.ranks;
  if (!r) return null;
  const n = r.rank.length;
  const together = Math.ceil(n / 160);
  const bars = [];
  // A rank that has not finished is shown up to the end of the run.
  const ends = r.finish_ns.map((ns) => ns ?? run.summary.time_ns);
  for (let i = 0; i < n; i += together) {
    const open = r.finish_ns.slice(i, i + together).filter((ns) => ns === null).length;
    const mean = (list) => list.slice(i, i + together).reduce((a, b) => a + b, 0) / list.slice(i, i + together).length;
    bars.push({
      first: r.rank[i],
      last: r.rank[Math.min(n, i + together) - 1],
      compute: mean(r.compute_ns),
      comm: mean(r.exposed_comm_ns),
      finish: mean(ends),
      end: open === 0 ? `finished after ${time(mean(ends))}` :
          together > 1 ? `${open} not finished` :
                         "not finished"
    });
  }
  const part = (name, low, high, colour, opacity) => ({
    name,
    kind: "bars",
    colour,
    opacity,
    points: bars.map((b, i) => Object.assign([i, high(b), 1], {
      low: low(b),
      text: `rank ${b.first}${b.last > b.first ? ` – ${b.last}, mean` : ""}\ncompute ${
          time(b.compute)}\nexposed communication ${time(b.comm)}\n${b.end}`
    }))
  });
  const late = r.finish_ns.filter((ns) => ns === null).length;
  const parts = [
    part("idle or waiting", () => 0, (b) => b.finish, kColourOf.idle, 0.25),
    part("exposed communication", () => 0, (b) => b.compute + b.comm, kColourOf.communication),
    part("compute", () => 0, (b) => b.compute, kColourOf.compute)
  ];
  const shown = r.all > n ? ` The ${count(n)} ranks that ended last, of ${count(r.all)}, are shown.` : "";
  const binned = together > 1 ? ` Each bar is the mean of ${together} ranks.` : "";
  const open = late > 0 ? ` ${plural(late, "rank")} had not finished when the run ended.` : "";
  const [unit, factor] = axisTime(Math.max(...bars.map((b) => b.finish)));
  return card(
      "Ranks",
      `What each rank's time is made of. Exposed communication: outstanding while nothing computes.${open}${shown}${
          binned}`,
      chart({
        label: "Time of each rank",
        x: {label: "rank", text: (v) => (bars[v] ? count(bars[v].first) : ""), most: 12, whole: true},
        y: {label: `time in ${unit}`, text: (v) => digits(v / factor)},
        series: parts,
        height: 260
      }));
}
const axisTime = (ns) => (ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ns >= 1e3 ? ["µs", 1e3] : ["ns", 1]);

// Stalls ------------------------------------------------------------------------------------------------------------
/// Names that do not fit beside the bars stand above them.
const kNameLetters = 17;
const shortened = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function horizontalBars(rows, label) {
  const width = 620;
  // What the longest text beside a bar needs.
  const room = 16 + 6.4 * Math.max(...rows.map((r) => r.text.length));
  const above = rows.some((r) => r.name.length > kNameLetters) || room > 330;
  const [left, pitch, bar] = above ? [0, 44, 21] : [120, 26, 5];
  const height = rows.length * pitch + 8;
  const most = Math.max(...rows.map((r) => r.value), 1e-12);
  const root = svg("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label});
  onTheme(() => root.replaceChildren(...rows.flatMap((r, i) => {
    const long = (r.value / most) * Math.max(60, width - left - Math.max(260, room));
    return [
      svg("text", {x: 0, y: i * pitch + (above ? 15 : 18), class: "title"}, shortened(r.name, 80)), svg("rect", {
        x: left,
        y: i * pitch + bar,
        width: Math.max(r.value > 0 ? 1 : 0, long),
        height: 17,
        rx: 2,
        fill: seriesColour(r.colour ?? 1)
      }),
      svg("text", {x: left + 6 + long, y: i * pitch + bar + 13}, r.text)
    ];
  })));
  return root;
}

/// What is measured at links, with its number in the values of a link.
const kLinkQuantities = data.link_quantities.map((q, number) => ({...q, number}));
/// Those that say why a link carried nothing, and the meanings that give their colours.
const kStallReasons = kLinkQuantities.filter((q) => q.stall);
const kStallMeanings = {
  no_credit: "credit",
  lost_arbitration: "switch",
  waiting_operand: "operand"
};

/// What a link joins, in words: its direction on a grid, elsewhere the kinds of its ends.
function linkGroup(run, i) {
  const wafer = run.wafer;
  const l = wafer.links;
  if (!wafer.drawing.grid) {
    const kind = (box) => wafer.boxes.name[box].replace(/[[.].*$/, "").replace(/^npu$/, "NPU");
    return `${kind(l.from[i])} to ${kind(l.to[i])}`;
  }
  const name = wafer.labels[l.label[i]].replace(/^.*[@%]\.?/, "").replace(/\[\d+\]/, "");
  return name === "local" ? "to the NPU" : name === "inject" ? "from the NPU" : name;
}

function stallBars(run) {
  const l = run.wafer.links;
  const groups = new Map();
  l.label.forEach((label, i) => {
    const name = linkGroup(run, i);
    const g = groups.get(name) || {links: 0, cycles: kLinkQuantities.map(() => 0)};
    g.links += l.links ? l.links[i] : 1;
    for (const {number} of kStallReasons) g.cycles[number] += l.values[number][i];
    groups.set(name, g);
  });
  const rows = [];
  for (const [name, g] of groups) {
    kStallReasons.forEach(({key, number, words}) => {
      if (g.cycles[number] === 0) return;
      const colour = kColourOf[kStallMeanings[key] ?? "other"];
      const share = g.cycles[number] / g.links / Math.max(1, run.summary.cycles);
      rows.push({name, colour, value: share, text: `${words} ${percent(share)}, ${plural(g.links, "link")}`});
    });
  }
  return rows;
}

function stallSection(run) {
  const s = run.summary;
  if (run.wafer.missing) {
    const settings = settingFacts(run);
    return settings.length > 0 ? card("Stall reasons", run.wafer.missing, ...settings) : null;
  }
  if (run.wafer.links.from.length === 0) return null;
  const l = run.wafer.links;
  const waited = (i) =>
      kStallReasons.reduce((sum, {number}) => sum + l.values[number][i], 0) / (l.links ? l.links[i] : 1);
  const order = l.from.map((v, i) => [waited(i), i]).filter((p) => p[0] > 0).sort((a, b) => b[0] - a[0]).slice(0, 8);
  const headings = ["Links that waited longest", ...kStallReasons.map(({words}) => words), "of the run"];
  const table = html(
      "table", {class: "narrow"}, html("thead", {}, html("tr", {}, headings.map((t) => html("th", {}, t)))),
      html(
          "tbody", {},
          order.map(
              ([v, i]) => html(
                  "tr", {}, html("td", {class: "name"}, linkName(run.wafer, i)),
                  kStallReasons.map(({number}) => html("td", {}, count(l.values[number][i]))),
                  html("td", {}, percent(v / Math.max(1, s.cycles)))))));
  const bars = order.length === 0 ? [html("p", {}, "No link waited.")] : [
    horizontalBars(
        stallBars(run),
        "Share of the run in which links carried nothing although something waited, mean of so many links"),
    html("div", {class: "wide"}, table)
  ];
  return card(
      "Stall reasons",
      `Cycles in which a link carried nothing although something waited for it. ${
          kStallReasons.map(({words, meaning}) => `${words[0].toUpperCase()}${words.slice(1)}: ${meaning[0].toLowerCase()}${meaning.slice(1)}`)
              .join(" ")}`,
      ...bars, ...settingFacts(run));
}

// What made up the run's time ----------------------------------------------------------------------------------------
const kPathKinds = {
  compute: "on the accelerator",
  host: "on the host core",
  memory: "loads, stores, memory of messages",
  endpoint: "delays and reductions in an NPU",
  injection: "the NPU's own link is taken: its bandwidth",
  credit: "no credit at the NPU",
  link: "through links as if nothing else were there",
  switch: "waiting in routers or switches",
  other: "anything else"
};
/// Why there is no critical path, where there could be one.
function pathMissing(run) {
  if (run.summary.critical_path || run.workload === "traffic" || run.workload === "io") return null;
  return html(
      "p", {class: "note"},
      run.summary.finished ?
          "What made up the time is not known: this run has no critical path; weft run --set log.level=steps keeps one." :
          "What made up the time is not known: only runs that finish have a critical path.");
}
function pathSection(run) {
  const path = run.summary.critical_path;
  if (!path) {
    if (run.workload === "traffic" || run.workload === "io") return null;
    return null;
  }
  const rows = Object.keys(kPathKinds).filter((k) => path[k] > 0).map((k) => ({
                                                                        name: k,
                                                                        value: path[k],
                                                                        colour: kColourOf[k],
                                                                        text: `${percent(path[k] / path.cycles)} · ${
                                                                            kPathKinds[k]}`
                                                                      }));
  return card(
      "What made up the time",
      `The critical path: the chain of events that ends with the last rank, on ${
          path.ends_on}. Its parts add up to all ${count(path.cycles)} cycles.`,
      horizontalBars(rows, "Parts of the critical path"));
}

/// Why FRED switches changed their stored setting.
function settingFacts(run) {
  const c = run.summary.stored_settings;
  if (!c) return [];
  const known = (v) => (v === null || v === undefined ? "not told by RTL" : count(v));
  return [
    html("h3", {}, "Stored settings"), facts([
      ["changes of the active setting", count(c.changes)], ["of those: reloads from outside", count(c.reloads)],
      ["for a higher phase (pre-emptions)", known(c.preemptions)],
      ["back to a lower phase, the higher could not advance", known(c.yields)],
      [
        "most stored settings in one chiplet",
        c.most > 0 ? `${count(c.most)} of ${count(c.capacity)} that its memory holds, in ${c.where}` : "none"
      ],
      run.summary.link_layer ?
          [
            "packets sent again over links",
            `${count(run.summary.link_layer.resent)} of ${count(run.summary.link_layer.packets)}`
          ] :
          []
    ])
  ];
}

// Latency -----------------------------------------------------------------------------------------------------------
function latencySection(run) {
  const l = run.latency;
  if (!l)
    return run.latency === null && run.summary.packets > 1e5 ?
        card(
            "Latency", "latency.csv has more than 100,000 rows and was not written; weft run --all-tables writes it.") :
        null;
  const total = l.packets.reduce((a, b) => a + b, 0);
  const s = run.summary.latency_cycles;
  const bars = l.packets.map((n, i) => Object.assign([i * l.bin_cycles, n, l.bin_cycles], {
    text: `${count(i * l.bin_cycles)} – ${count((i + 1) * l.bin_cycles - 1)} cycles\n${plural(n, "packet")} (${
        percent(n / Math.max(1, total))})\nin the network: ${count(l.network[i])}`
  }));
  const network = {
    name: "in the network only",
    kind: "steps",
    colour: 1,
    dash: 0,
    points: l.network.flatMap((n, i) => [[i * l.bin_cycles, n]]).concat([[l.network.length * l.bin_cycles, 0]])
  };
  const all = {name: "from creation to the last flit", kind: "bars", colour: 0, opacity: 0.75, points: bars};
  const marks =
      s.mean === null ? [] : [{x: s.p50, text: `p50 ${count(s.p50)}`}, {x: s.p99, text: `p99 ${count(s.p99)}`}];
  return card(
      "Packet latency",
      `${plural(total, "packet")}, in bins of ${plural(l.bin_cycles, "cycle")}${
          l.bin_cycles > 1 ? ` (${count(l.values)} different latencies in latency.csv)` : ""}.`,
      chart({
        label: "Histogram of packet latencies",
        x: {label: "latency in cycles", text: count},
        y: {label: "packets", text: (v) => bigParts(v).join(" ").trim()},
        series: [all, network],
        marks
      }));
}

// Bandwidth ---------------------------------------------------------------------------------------------------------
const kMostClasses = 12;
const kMostLines = 14;
function bandwidthTable(sources) {
  const all = sources.flatMap((s) => s.classes.map((c) => [s.name, c])).sort((a, b) => b[1].bytes - a[1].bytes);
  const rows = all.slice(0, kMostClasses);
  const named = sources.some((s) => s.name);
  return html(
      "div", {class: "wide"},
      html(
          "table", {class: "narrow"},
          html(
              "thead", {},
              html(
                  "tr", {},
                  [
                    ...(named ? ["run"] : []), "collective", "size", "ranks", "bus GB/s", "bytes / time GB/s", "time",
                    "count"
                  ].map((t) => html("th", {}, t)))),
          html(
              "tbody", {},
              rows.map(
                  ([name, c]) => html(
                      "tr", {}, named ? html("td", {class: "name"}, name) : null,
                      html("td", {class: "name"}, `${c.kind.replace(/_/g, "-")}, ${c.algorithm}`),
                      [bytes(c.bytes), count(c.ranks), digits(c.busbw), digits(c.algbw), time(c.ns), count(c.count)]
                          .map((t) => html("td", {}, t)))))),
      all.length > rows.length ?
          html("p", {class: "note"}, `The ${rows.length} largest of ${count(all.length)} sorts of collective.`) :
          null);
}

/// Chart of classes of collectives; each of `sources` is {name, classes}.
function bandwidthChart(sources, width) {
  const lines = new Map();
  for (const source of sources) {
    for (const c of source.classes) {
      const name = `${source.name ? `${source.name}: ` : ""}${c.kind.replace(/_/g, "-")}, ${c.algorithm}, ${
          plural(c.ranks, "rank")}`;
      if (!lines.has(name)) lines.set(name, []);
      lines.get(name).push(c);
    }
  }
  const series = [];
  [...lines].slice(0, kMostLines).forEach(([name, classes], i) => {
    classes.sort((a, b) => a.bytes - b.bytes);
    const text = (c) => `${name}\n${bytes(c.bytes)}\nbus ${digits(c.busbw)} GB/s, algorithm ${digits(c.algbw)} GB/s${
        c.count > 1 ? `\nat the mean time of ${c.count}, bus ${digits(c.busbw_min)} – ${digits(c.busbw_max)}` :
                      ""}\n${time(c.ns)}`;
    series.push({
      name: `${name}: busbw`,
      colour: i,
      marker: i,
      dash: 0,
      points: classes.map(
          (c) => Object.assign(
              [c.bytes, c.busbw], c.count > 1 ? {low: c.busbw_min, high: c.busbw_max, text: text(c)} : {text: text(c)}))
    });
    series.push({
      name: "algbw",
      colour: i,
      marker: i,
      dash: 1,
      hollow: true,
      points: classes.map((c) => Object.assign([c.bytes, c.algbw], {text: text(c)}))
    });
  });
  const sizes = series.flatMap((s) => s.points.map((p) => p[0])).filter((b) => b > 0);
  if (new Set(sizes).size < 2) return null;  // one size is no curve; a table says more
  const [low, high] =
      [2 ** Math.floor(Math.log2(Math.min(...sizes)) - 0.001), 2 ** Math.ceil(Math.log2(Math.max(...sizes)) + 0.001)];
  const picture = chart({
    label: "Bandwidth of collectives against message size",
    width,
    x: {label: "message size (comm_size)", log: true, base: 2, low, high, text: bytes, most: 8},
    y: {label: "GB/s", text: (v) => digits(v)},
    series
  });
  if (lines.size > kMostLines)
    picture.append(html("p", {class: "note"}, `The first ${kMostLines} of ${count(lines.size)} curves are drawn.`));
  return picture;
}
function bandwidthSection(run) {
  if (!run.collectives || run.collectives.classes.length === 0) return null;
  return card(
      "Bandwidth of collectives",
      "Bus bandwidth (filled) is comparable with the bandwidth of a rank's links; hollow: bytes / time. Bars span the least and the greatest of equal collectives; points and the table are at the mean time, as in the terminal; largest size first.",
      bandwidthChart([{name: "", classes: run.collectives.classes}]),
      bandwidthTable([{name: "", classes: run.collectives.classes}]));
}

function configSection(run) {
  return html(
      "section", {class: "card"},
      html("details", {}, html("summary", {}, "Configuration"), html("pre", {tabindex: 0}, run.config)));
}
