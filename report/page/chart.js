// Line, point, step and bar charts with axes. Every chart can be read with the arrow keys.
function niceStep(span, most) {
  const raw = span / most;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => s >= raw);
}
function linearTicks(low, high, most, whole) {
  if (!(high > low)) return [low];
  const step = whole ? Math.max(1, niceStep(high - low, most)) : niceStep(high - low, most);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-9) + 1e-12; ++i) ticks.push(i * step || 0);
  return ticks;
}
function logTicks(low, high, base, most) {
  const all = [];
  for (let e = Math.floor(Math.log(low) / Math.log(base) + 1e-9); base ** e <= high * 1.0000001; ++e) {
    if (base ** e >= low * 0.9999999) all.push(base ** e);
  }
  const every = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, i) => i % every === 0);
}

/// Maps values to places. `axis`: {low, high, log, base}.
function scaleOf(axis, from, to) {
  const f = axis.log ? Math.log : (v) => v;
  const [a, b] = [f(axis.low), f(axis.high)];
  return (v) => from + ((f(v) - a) / (b - a || 1)) * (to - from);
}
function finishAxis(axis, values, room) {
  const known = values.filter((v) => Number.isFinite(v) && (!axis.log || v > 0));
  axis.low = axis.low ?? (axis.log ? Math.min(...known) : Math.min(0, ...known));
  axis.high = axis.high ?? Math.max(...known) * (1 + room);
  if (!(axis.high > axis.low)) {
    axis.high = axis.low + (Math.abs(axis.low) || 1);
  }
  axis.ticks = axis.log ? logTicks(axis.low, axis.high, axis.base || 10, axis.most || 9) :
                          linearTicks(axis.low, axis.high, axis.most || 7, axis.whole);
  axis.text = axis.text || ((v) => digits(v));
}

const kMarkers = [
  (x, y) => svg("circle", {cx: x, cy: y, r: 4}),
  (x, y) => svg("rect", {x: x - 3.6, y: y - 3.6, width: 7.2, height: 7.2}),
  (x, y) => svg("path", {d: `M${x} ${y - 5}L${x + 5} ${y + 4}L${x - 5} ${y + 4}Z`}),
  (x, y) => svg("path", {d: `M${x} ${y - 5.2}L${x + 5.2} ${y}L${x} ${y + 5.2}L${x - 5.2} ${y}Z`}),
  (x, y) => svg("path", {d: `M${x} ${y + 5}L${x + 5} ${y - 4}L${x - 5} ${y - 4}Z`}),
];

function drawAxes(root, o, box, sx, sy) {
  for (const t of o.y.ticks) {
    root.append(svg("line", {class: "gridline", x1: box.left, x2: box.right, y1: sy(t), y2: sy(t)}));
    root.append(svg("text", {x: box.left - 7, y: sy(t) + 4, "text-anchor": "end"}, o.y.text(t)));
  }
  for (const t of o.x.ticks) {
    root.append(svg("line", {class: "axis", x1: sx(t), x2: sx(t), y1: box.bottom, y2: box.bottom + 4}));
    root.append(svg("text", {x: sx(t), y: box.bottom + 18, "text-anchor": "middle"}, o.x.text(t)));
  }
  root.append(svg("line", {class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom}));
  root.append(svg("text", {x: (box.left + box.right) / 2, y: box.bottom + 37, "text-anchor": "middle"}, o.x.label));
  root.append(svg("text", {x: 4, y: 14}, o.y.label));
}

function linePath(points, sx, sy, steps) {
  let d = "";
  points.forEach(([x, y], i) => {
    if (i === 0)
      d += `M${sx(x).toFixed(1)} ${sy(y).toFixed(1)}`;
    else
      d += steps ? `H${sx(x).toFixed(1)}V${sy(y).toFixed(1)}` : `L${sx(x).toFixed(1)} ${sy(y).toFixed(1)}`;
  });
  return d;
}

function drawSeries(root, series, i, sx, sy, box) {
  const colour = seriesColour(series.colour ?? i);
  const group = svg("g", {fill: colour, stroke: "none"});
  const points = series.points.filter((p) => Number.isFinite(p[0]) && Number.isFinite(p[1]));
  if (series.kind === "bars") {
    for (const [x, y, wide] of points) {
      const [a, b] = [sx(x), sx(x + wide)];
      group.append(svg("rect", {
        x: a,
        y: sy(y),
        width: Math.max(0.8, b - a - 0.6),
        height: Math.max(0, box.bottom - sy(y)),
        "fill-opacity": series.opacity ?? 0.85
      }));
    }
  } else {
    if (series.kind !== "points") {
      group.append(svg("path", {
        d: linePath(points, sx, sy, series.kind === "steps"),
        fill: "none",
        stroke: colour,
        "stroke-width": 2.2,
        "stroke-linejoin": "round",
        "stroke-dasharray": kDashes[(series.dash ?? i) % kDashes.length]
      }));
    }
    if (series.kind !== "steps" && points.length <= 200) {
      for (const p of points) {
        if (p.low !== undefined)
          group.append(
              svg("line",
                  {x1: sx(p[0]), x2: sx(p[0]), y1: sy(p.low), y2: sy(p.high), stroke: colour, "stroke-width": 1.5}));
        const m = kMarkers[(series.marker ?? i) % kMarkers.length](sx(p[0]), sy(p[1]));
        if (p.hollow || series.hollow) {
          m.setAttribute("fill", css("--panel"));
          m.setAttribute("stroke", colour);
          m.setAttribute("stroke-width", 2);
        }
        group.append(m);
      }
    }
  }
  root.append(group);
}

function drawMarks(root, marks, sx, box, low) {
  const labels = [];
  const rows = Math.max(6, Math.floor((box.bottom - box.top - 20) / 17));
  (marks || []).forEach((m, i) => {
    const x = sx(m.x);
    if (x < box.left - 1 || x > box.right + 1) return;
    const flip = x > box.right - 8 * m.text.length;
    const colour = m.colour === undefined ? css("--bad") : seriesColour(m.colour);
    root.append(svg("line", {class: "mark-line", x1: x, x2: x, y1: box.top, y2: box.bottom, stroke: colour}));
    labels.push(
        svg("text", {
          class: "mark-text",
          x: x + (flip ? -6 : 6),
          y: low ? box.bottom - 10 - 17 * (i % rows) : box.top + 12 + 17 * (i % rows),
          "text-anchor": flip ? "end" : "start",
          fill: colour,
          stroke: css("--panel")
        },
            m.text));
  });
  root.append(...labels);
}

/// Pointer and arrow keys show the nearest point's text.
function readable(root, stops, width) {
  if (stops.length === 0) return;
  const cursor = svg("circle", {class: "cursor", r: 7, visibility: "hidden"});
  let at = -1;
  const show = (i) => {
    at = i;
    root.append(cursor);
    const s = stops[i];
    cursor.setAttribute("cx", s.x);
    cursor.setAttribute("cy", s.y);
    cursor.setAttribute("visibility", "visible");
    const box = root.getBoundingClientRect();
    const k = box.width / width;
    showTip(s.text, box.left + s.x * k, box.top + s.y * k);
  };
  const hide = () => {
    cursor.setAttribute("visibility", "hidden");
    hideTip();
  };
  root.addEventListener("pointermove", (e) => {
    const box = root.getBoundingClientRect();
    const k = width / box.width;
    const [x, y] = [(e.clientX - box.left) * k, (e.clientY - box.top) * k];
    let best = 0;
    let least = Infinity;
    stops.forEach((s, i) => {
      const d = (s.x - x) ** 2 + ((s.y - y) * 0.6) ** 2;
      if (d < least) {
        least = d;
        best = i;
      }
    });
    if (least < 60 ** 2)
      show(best);
    else
      hide();
  });
  root.addEventListener("pointerleave", hide);
  root.addEventListener("blur", hide);
  root.addEventListener("keydown", (e) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    if (e.key === "Escape") hide();
    if (!step) return;
    e.preventDefault();
    show((at + step + stops.length) % stops.length);
  });
}

/// o: {label, width, height, x: axis, y: axis, series: [{name, points: [[x, y]], kind}], marks: [{x, text}]}; points
/// may have a text. Redrawn when the theme changes.
function chart(o) {
  const width = o.width || 760;
  const height = o.height || 300;
  const box = {left: 62, right: width - 30, top: 26, bottom: height - 46};
  const all = o.series.flatMap((s) => s.points);
  finishAxis(o.x, all.flatMap((p) => [p[0], p[0] + (p[2] || 0)]), 0);
  finishAxis(o.y, all.flatMap((p) => [p[1], p.low ?? p[1], p.high ?? p[1]]), 0.06);
  const sx = scaleOf(o.x, box.left, box.right);
  const sy = scaleOf(o.y, box.bottom, box.top);
  const root = svg("svg", {
    class: "chart",
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    tabindex: 0,
    "aria-label": `${o.label}; arrow keys read the values`
  });
  onTheme(() => {
    root.replaceChildren();
    drawAxes(root, o, box, sx, sy);
    o.series.forEach((s, i) => drawSeries(root, s, i, sx, sy, box));
    drawMarks(root, o.marks, sx, box, o.marksLow);
    const stops = o.series.flatMap(
        (s) => s.points.filter((p) => p.text && Number.isFinite(p[1]))
                   .map((p) => ({x: sx(p[0] + (p[2] || 0) / 2), y: sy(p[1]), text: p.text})));
    if (!root.dataset.read) readable(root, stops, width);
    root.dataset.read = "1";
  });
  const legend = o.series.length > 1 || o.legend ? chartLegend(o.series) : null;
  return html("div", {}, root, legend);
}

function chartLegend(series) {
  const root = html("div", {class: "legend"});
  onTheme(() => root.replaceChildren(...series.map((s, i) => {
    const colour = seriesColour(s.colour ?? i);
    const key = svg("svg", {width: 26, height: 12, fill: colour, "aria-hidden": "true"});
    if (s.kind === "bars")
      key.append(svg("rect", {x: 4, y: 1, width: 16, height: 10, "fill-opacity": s.opacity ?? 0.85}));
    else {
      if (s.kind !== "points")
        key.append(svg("line", {
          x1: 0,
          x2: 26,
          y1: 6,
          y2: 6,
          stroke: colour,
          "stroke-width": 2.2,
          "stroke-dasharray": kDashes[(s.dash ?? i) % kDashes.length]
        }));
      if (s.kind !== "steps") {
        const m = kMarkers[(s.marker ?? i) % kMarkers.length](13, 6);
        if (s.hollow) {
          m.setAttribute("fill", css("--panel"));
          m.setAttribute("stroke", colour);
          m.setAttribute("stroke-width", 2);
        }
        key.append(m);
      }
    }
    return html("span", {}, key, s.name);
  })));
  return root;
}
