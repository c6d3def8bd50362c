// The wafer's data unpacked: boxes, links, their use over time, where their lines run, and what lies at a point.
/// Name of link `i`; labels have @ for the sender, % for the receiver.
function linkName(wafer, i) {
  const l = wafer.links;
  return wafer.labels[l.label[i]].replace("@", wafer.boxes.name[l.from[i]]).replace("%", wafer.boxes.name[l.to[i]]);
}

function unpack(wafer) {
  const p = wafer.boxes;
  const boxes = p.name.map((name, i) => ({
                             name,
                             kind: p.kind[i],
                             x: p.x[i],
                             y: p.y[i],
                             w: p.w[i],
                             h: p.h[i],
                             cx: p.x[i] + p.w[i] / 2,
                             cy: p.y[i] + p.h[i] / 2
                           }));
  const l = wafer.links;
  const links = l.from.map((from, i) => ({
                             from: boxes[from],
                             to: boxes[l.to[i]],
                             name: linkName(wafer, i),
                             flits: l.flits[i],
                             utilisation: l.utilisation[i],
                             values: l.values.map((of) => of[i]),
                             links: l.links ? l.links[i] : 1,
                             number: i,
                           }));
  let windows = null;
  if (wafer.windows) {
    const text = atob(wafer.windows.data);
    windows = {
      ends: wafer.windows.ends,
      written: wafer.windows.written,
      bytes: Uint8Array.from(text, (c) => c.charCodeAt(0))
    };
  }
  return {width: wafer.width, height: wafer.height, drawing: wafer.drawing, boxes, links, windows};
}

/// Use of a link in a window; window -1 = the whole run.
function useOf(model, link, window) {
  if (window < 0 || !model.windows) return link.utilisation;
  return model.windows.bytes[link.number * model.windows.ends.length + window] / 255;
}

// Where a line from the middle of `a` towards (x, y) leaves `a`.
function edgePoint(a, x, y) {
  const [dx, dy] = [x - a.cx, y - a.cy];
  const t = Math.min(dx === 0 ? Infinity : a.w / 2 / Math.abs(dx), dy === 0 ? Infinity : a.h / 2 / Math.abs(dy), 1);
  return [a.cx + dx * t, a.cy + dy * t];
}
// A logical switch is met where it is nearest.
function meeting(frame, other) {
  const x = Math.max(frame.x + 1, Math.min(other.cx, frame.x + frame.w - 1));
  return [x, other.cy < frame.cy ? frame.y : frame.y + frame.h];
}

/// Ends of every line: traffic keeps to the right, parallel links lie beside each other. Links around a grid are two
/// stubs.
function placeLines(model) {
  const beside = new Map();
  const gap = model.drawing.dense ? 0.35 : 0.5;
  for (const link of model.links) {
    const pair = `${link.from.name}>${link.to.name}`;
    const nth = beside.get(pair) || 0;
    beside.set(pair, nth + 1);
    const [a, b] = [link.from, link.to];
    if (a === b) {  // links within a block
      link.segments = [[a.x + a.w * 0.2, a.cy, a.x + a.w * 0.8, a.cy]];
      continue;
    }
    const end = b.kind === "frame" ? meeting(b, a) : [b.cx, b.cy];
    const begin = a.kind === "frame" ? meeting(a, b) : [a.cx, a.cy];
    const [dx, dy] = [end[0] - begin[0], end[1] - begin[1]];
    const long = Math.hypot(dx, dy) || 1;
    const off = gap * (1 + 1.6 * nth);
    const [ox, oy] = [(-dy / long) * off, (dx / long) * off];
    if (model.drawing.grid && a.kind === "router" && b.kind === "router" && long > 15) {
      const [ux, uy] = [-dx / long, -dy / long];
      // To just outside of the wafer.
      const rim = model.boxes.find((p) => p.kind === "wafer");
      const stub = (p, out) => {
        const [x, y] = [p.cx + ((ux * p.w) / 2) * out + ox, p.cy + ((uy * p.h) / 2) * out + oy];
        const edge = (u, low, high, at) => (u * out > 0.5 ? high + 1.3 : u * out < -0.5 ? low - 1.3 : at);
        return [x, y, edge(ux, rim.x, rim.x + rim.w, x), edge(uy, rim.y, rim.y + rim.h, y)];
      };
      link.segments = [stub(a, 1), stub(b, -1)];
      continue;
    }
    const [x1, y1] = a.kind === "frame" ? begin : edgePoint(a, end[0], end[1]);
    const [x2, y2] = b.kind === "frame" ? end : edgePoint(b, begin[0], begin[1]);
    link.segments = [[x1 + ox, y1 + oy, x2 + ox, y2 + oy]];
  }
}

function farness(x, y, s) {
  const [dx, dy] = [s[2] - s[0], s[3] - s[1]];
  const t = Math.max(0, Math.min(1, ((x - s[0]) * dx + (y - s[1]) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - s[0] - t * dx, y - s[1] - t * dy);
}
/// The link or box at a point of the picture; null = nothing.
function hit(model, x, y) {
  const box = model.boxes.filter((p) => p.kind !== "wafer" && p.kind !== "frame")
                  .find((p) => x >= p.x && x <= p.x + p.w && y >= p.y && y <= p.y + p.h);
  if (box) return box;
  let best = null;
  let least = 0.9;
  for (const link of model.links) {
    for (const s of link.segments) {
      const d = farness(x, y, s);
      if (d < least) {
        least = d;
        best = link;
      }
    }
  }
  return best;
}
