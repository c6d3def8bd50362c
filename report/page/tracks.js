// What the timeline shows, by track: a view is a list of rows, each a list of spans.
const kRankRows = [
  ["compute", ["compute", "host"]], ["communication", ["collective", "send", "receive", "message"]],
  ["memory", ["load", "store"]]
];

function timelineSpans(t) {
  return t.spans.track.map((track, i) => ({
                             track,
                             start: t.spans.start[i],
                             end: t.spans.start[i] + t.spans.length[i],
                             name: t.names[t.spans.name[i]],
                             category: t.categories[t.spans.category[i]]
                           }));
}

/// A few rows for each process: what it computed, sent and received, loaded and stored.
function rankRows(t) {
  const rows = new Map();
  const classes = new Map(kRankRows.flatMap(([name, list]) => list.map((c) => [c, name])));
  for (const span of timelineSpans(t)) {
    const kind = classes.get(span.category);
    if (!kind) continue;
    const process = t.tracks[span.track].process;
    const key = `${process}|${kind}`;
    if (!rows.has(key)) rows.set(key, {label: `${process} · ${kind}`, spans: []});
    rows.get(key).spans.push(span);
  }
  for (const row of rows.values()) row.spans.sort((a, b) => a.start - b.start);
  return [...rows.values()];
}

/// All tracks of timeline.json; what lies within something else lies below it.
function allRows(t) {
  const tracks = t.tracks.map((track) => ({label: `${track.process} · ${track.thread}`, spans: []}));
  for (const span of timelineSpans(t)) tracks[span.track].spans.push(span);
  return stack(tracks);
}

function groupRows(collectives) {
  const groups = new Map();
  for (const [name, kind, algorithm, group, size, start, end, ranks, finished] of collectives.spans) {
    if (!groups.has(group)) groups.set(group, []);
    const more = `${algorithm}, ${bytes(size)}, ${plural(ranks, "rank")}${finished ? "" : ", not finished"}`;
    groups.get(group).push({start, end, name, category: kind, more});
  }
  return stack([...groups].map(([group, spans]) => ({label: group === "all" ? "all ranks" : `group ${group}`, spans})));
}

/// Times of spans are rounded to thousandths of a ns, starts and lengths each.
const kSpanSlack = 0.003;

/// Spans that overlap lie below each other.
function stack(tracks) {
  const rows = [];
  for (const track of tracks) {
    track.spans.sort((a, b) => a.start - b.start || b.end - a.end);
    const ends = [];
    const first = rows.length;
    for (const span of track.spans) {
      let row = ends.findIndex((end) => end <= span.start + kSpanSlack);
      if (row < 0) {
        row = ends.push(0) - 1;
        rows.push({label: row === 0 ? track.label : "", spans: []});
      }
      ends[row] = span.end;
      rows[first + row].spans.push(span);
    }
  }
  return rows;
}

/// The views that a run's data allows: [name, rows, what it shows].
function timelineViews(run) {
  const views = [];
  if (run.collectives && run.collectives.shown > 0) {
    views.push([
      "collectives by group", () => groupRows(run.collectives),
      "Collectives by process group: from the first rank's start to the last rank's end.", run.collectives
    ]);
  }
  if (run.timeline && run.timeline.shown > 0) {
    if (rankRows(run.timeline).length > 0)
      views.unshift(["ranks", () => rankRows(run.timeline), "What each rank did, by timeline.json.", run.timeline]);
    views.push(["all tracks", () => allRows(run.timeline), "All tracks of timeline.json.", run.timeline]);
  }
  return views;
}
