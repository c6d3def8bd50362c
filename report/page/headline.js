// The headline numbers of a run, and what it has to say in words.

/// The figures at the top: [key, label, raw value, [text, unit], detail].
function headlines(run) {
  const s = run.summary;
  const measured = (name, key, parts, detail) => {
    const value = valueOf(s, key);
    return [name, wordsOf(key), value, parts(value, kRunQuantities.get(key).unit), detail];
  };
  const withDigits = (v, unit) => [digits(v), unit];
  const asPercent = (v) => [digits(v * 100, 3), "%"];
  const list = [
    measured("time", "time_ns", timeParts),
    ["cycles", `${wordsOf("cycles")} at ${run.clock}`, s.cycles, [count(s.cycles), ""]]
  ];
  const best = bestBandwidth(run);
  if (best)
    list.push([
      "busbw", "bus bandwidth", best.busbw, [digits(best.busbw), "GB/s"],
      `${best.kind} of ${bytes(best.bytes)}, ${best.algorithm}`
    ]);
  if (s.latency_cycles.mean !== null) {
    list.push(measured(
        "latency", "latency_cycles.mean", withDigits,
        `p50 ${count(s.latency_cycles.p50)}, max ${count(s.latency_cycles.max)}`));
    list.push(measured("latency-p99", "latency_cycles.p99", (v, unit) => [count(v), unit]));
  }
  if (valueOf(s, "accepted") !== null)
    list.push(measured("accepted", "accepted", withDigits, `offered ${digits(s.offered)}`));
  const top = busiestLink(run);
  if (top) list.push(["link", "busiest link", top.use, [digits(top.use * 100, 3), "%"], top.name]);
  const visited = s.avg_hops === 1 ? "router or switch per packet" : wordsOf("avg_hops");
  list.push(
      measured("packets", "packets", bigParts),
      measured("flit-hops", "flit_hops", bigParts, s.avg_hops ? `${digits(s.avg_hops)} ${visited}` : null));
  if (valueOf(s, "io.line_share"))
    list.push(measured("io-line", "io.line_share", asPercent, `of ${digits(s.io.line_gbps)} GB/s, the slowest stream`));
  if (valueOf(s, "io_memory.line_share"))
    list.push(measured("io-line", "io_memory.line_share", asPercent, `of ${digits(s.io_memory.line_gbps)} GB/s`));
  list.push(measured(
      "cpu", "cpu_s", (v, unit) => [digits(v, 3), unit],
      `${digits(s.flit_hops / Math.max(s.cpu_s, 1e-9) / 1e6, 3)} M flit-hops/s`));
  return list;
}
function bestBandwidth(run) {
  const classes = run.collectives ? run.collectives.classes : [];
  return classes.reduce(
      (best, c) => (!best || c.bytes > best.bytes || (c.bytes === best.bytes && c.busbw > best.busbw) ? c : best),
      null);
}
const busiestLink = (run) => run.wafer?.busiest || null;

function headlineCards(run, number) {
  const suffix = number === 0 ? "" : `-${number + 1}`;
  return html(
      "div", {class: "cards"},
      headlines(run).map(
          ([key, label, raw, [text, unit], detail]) => html(
              "div", {class: "headline", id: `headline-${key}${suffix}`, "data-value": String(raw)},
              html("div", {class: "label"}, label),
              html("div", {class: "value"}, text, unit ? html("span", {class: "unit"}, unit) : null),
              detail ? html("div", {class: "detail"}, detail) : null)));
}

const kStopLines = 6;
const kStopLetters = 240;
/// Why a run did not finish: the first lines, the rest on demand.
function stopMessage(s) {
  const lines = (s.stop_text || "").split("\n").filter(Boolean);
  const first = lines.slice(0, kStopLines).map((line) => shortened(line, kStopLetters));
  const whole = lines.length <= kStopLines && lines.every((line, i) => line === first[i]);
  return html(
      "div", {class: "warn"}, `This run did not finish: ${s.stop}. ${first.join("\n")}`,
      whole ? null : html("details", {}, html("summary", {}, "all it says"), html("pre", {tabindex: 0}, s.stop_text)));
}

function messages(run) {
  const s = run.summary;
  const list = (s.warnings || []).map((w) => html("p", {class: "warn"}, w));
  if (!s.finished)
    list.unshift(stopMessage(s));
  else if (s.saturated)
    list.unshift(html(
        "p", {class: "warn"}, "Saturated: the network does not carry what is offered; latencies say nothing then."));
  return list;
}
