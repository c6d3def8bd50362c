// What the timeline shows, by track.
/// Tracks of timeline.json, or of the collectives where there is none.
function tracksOf(run) {
  const t = run.timeline;
  const tracks = [];
  if (t) {
    t.tracks.forEach((track) => tracks.push({label: `${track.process} · ${track.thread}`, spans: []}));
    t.spans.track.forEach((track, i) => {
      tracks[track].spans.push({
        start: t.spans.start[i],
        end: t.spans.start[i] + t.spans.length[i],
        name: t.names[t.spans.name[i]],
        category: t.categories[t.spans.category[i]]
      });
    });
    return {tracks, nested: true};
  }
  const groups = new Map();
  for (const [name, kind, algorithm, group, size, start, end, ranks, finished] of run.collectives ?
           run.collectives.spans :
           []) {
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push({
      start,
      end,
      name,
      category: kind,
      more: `${algorithm}, ${bytes(size)}, ${plural(ranks, "rank")}${finished ? "" : ", not finished"}`
    });
  }
  for (const [group, spans] of groups) tracks.push({label: group === "all" ? "all ranks" : `group ${group}`, spans});
  return {tracks, nested: false};
}

/// Spans that overlap lie below each other.
function stack(tracks) {
  const rows = [];
  for (const track of tracks) {
    track.spans.sort((a, b) => a.start - b.start || b.end - a.end);
    const ends = [];
    for (const span of track.spans) {
      let row = ends.findIndex((end) => end <= span.start + 1e-9);
      if (row < 0) row = ends.push(0) - 1;
      ends[row] = span.end;
      span.row = row;
    }
    const first = rows.length;
    for (let i = 0; i < Math.max(1, ends.length); ++i) rows.push({label: i === 0 ? track.label : "", spans: []});
    for (const span of track.spans) {
      span.row += first;
      rows[span.row].spans.push(span);
    }
  }
  return rows;
}
