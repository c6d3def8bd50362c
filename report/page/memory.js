// DRAM, I/O controllers and the modules of a pool: what each carried, and its share of what it could.

/// [title, what one part is, the axis, key and figure of summary.json that sums it up]
const kMemories = {
  "dram": ["DRAM of the NPUs", "all channels of an NPU", "NPU", "dram_channels"],
  "dram-channels": ["DRAM", "a channel", "channel", "dram_channels"],
  "modules": ["Modules of the pool", "a module", "module", "pool_modules"],
  "io-in": ["I/O controllers, into the wafer", "the line of a controller, one way", "I/O controller"],
  "io-out": ["I/O controllers, out of the wafer", "the line of a controller, one way", "I/O controller"],
  "streams": ["Streams of I/O controllers", "the line of a controller, one way", "I/O controller"]
};

function memoryTotals(run, group) {
  const m = run.summary.memory && run.summary.memory[kMemories[group.key][3]];
  const sum = group.bytes.reduce((a, b) => a + b, 0);
  const shown = (key, value, text) =>
      html("span", {id: `memory-${group.key}-${key}-${data.runs.indexOf(run) + 1}`, "data-value": String(value)}, text);
  const list = [["bytes, all together", shown("bytes", m ? m.bytes : sum, bytes(m ? m.bytes : sum))]];
  if (group.gbps > 0) list.push(["carries at most", `${digits(group.gbps)} GB/s ${m ? "each" : "per line"}`]);
  if (m && m.share !== null) list.push(["used over the whole run", shown("share", m.share, percent(m.share))]);
  return facts(list);
}

function memoryChart(group) {
  const [title, , axis] = kMemories[group.key];
  const n = group.name.length;
  const together = Math.ceil(n / 160);
  const known = group.share[0] !== null;
  const bars = [];
  for (let i = 0; i < n; i += together) {
    const mean = (list) => list.slice(i, i + together).reduce((a, b) => a + b, 0) / list.slice(i, i + together).length;
    const last = group.name[Math.min(n, i + together) - 1];
    const value = known ? mean(group.share) * 100 : mean(group.bytes);
    const queue = mean(group.queue);
    bars.push(Object.assign([i / together, value, 1], {
      text: `${group.name[i]}${together > 1 ? ` – ${last}, mean` : ""}\n${bytes(mean(group.bytes))}${
          known ? `\n${percent(mean(group.share))} of what it can carry` :
                  ""}${queue > 0 ? `\n${digits(queue)} in its queue on average` : ""}`
    }));
  }
  return [
    chart({
      label: `${title}: ${known ? "share of what each can carry" : "bytes"}`,
      height: 220,
      x: {label: axis, whole: true, most: 12, text: (v) => (v * together < n ? count(v * together) : "")},
      y: {label: known ? "% of what it can carry" : "bytes", text: known ? (v) => digits(v) : bytes},
      series: [{name: title, kind: "bars", colour: 0, points: bars}]
    }),
    together > 1 ? ` Each bar is the mean of ${together}.` : ""
  ];
}

function memorySection(run) {
  return run.memory.map((group) => {
    const [picture, binned] = memoryChart(group);
    return card(
        kMemories[group.key][0], `Share of what ${kMemories[group.key][1]} can carry, over the whole run.${binned}`,
        memoryTotals(run, group), picture);
  });
}
