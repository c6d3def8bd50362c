// The wafer as a picture: boxes, links as lines with a colour for their use. SVG for small fabrics, canvas for big
// ones.
const kSvgLinks = 1500;

const lineWidth = (link, drawing, use) =>
    (drawing.dense                       ? 0.22 + 0.34 * use :
         link.from.kind === link.to.kind ? 0.45 + 0.6 * use :
                                           0.3 + 0.45 * use);

const kBoxes = {
  wafer: {fill: "--wafer", stroke: "--line", radius: 2.5},
  frame: {fill: "--soft", stroke: "--line", radius: 1},
  npu: {fill: "--npu", stroke: "--npu-line", radius: 0.8},
  router: {fill: "--chip", stroke: "--npu-line", radius: 0.3},
  chiplet: {fill: "--chip", stroke: "--npu-line", radius: 0.5},
  io: {fill: "--panel", stroke: "--npu-line", radius: 2, dash: "1 0.7"},
};

function boxText(box, detail) {
  const number = box.name.match(/\[(\d+)\]$/);
  if (box.kind === "npu" && detail) return [number[1], box.w * 0.32];
  if (box.kind === "io" && detail) return [number[1], box.w * 0.42];
  if (box.kind === "chiplet" && detail) return [number[1], box.h * 0.5];
  return null;
}
function cornerText(box) { return box.kind === "frame" ? box.name.replace(/^l(\d+)\[(\d+)\]/, "L$1 [$2]") : null; }

class SvgPlan {
  constructor(model, detail) {
    this.model = model;
    this.detail = detail;
    this.element = svg("svg", {viewBox: `0 0 ${model.width} ${model.height}`, "aria-hidden": "true"});
    this.back = svg("g", {});
    this.lines = svg("g", {fill: "none", "stroke-linecap": "round"});
    this.front = svg("g", {});
    this.over = svg("g", {fill: "none"});
    this.element.append(this.back, this.lines, this.front, this.over);
    this.paths = model.links.map(
        (link) => svg("path", {
          d: link.segments.map((s) => `M${s[0].toFixed(2)} ${s[1].toFixed(2)}L${s[2].toFixed(2)} ${s[3].toFixed(2)}`)
                 .join("")
        }));
    this.lines.append(...this.paths);
  }
  setView(view) { this.element.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`); }
  drawBoxes() {
    this.back.replaceChildren();
    this.front.replaceChildren();
    for (const p of this.model.boxes) {
      const style = kBoxes[p.kind];
      const target = p.kind === "wafer" || p.kind === "frame" ? this.back : this.front;
      target.append(svg("rect", {
        x: p.x,
        y: p.y,
        width: p.w,
        height: p.h,
        rx: style.radius,
        fill: css(style.fill),
        stroke: css(style.stroke),
        "stroke-width": 0.2,
        "stroke-dasharray": style.dash
      }));
      const inside = boxText(p, this.detail);
      if (inside)
        target.append(
            svg("text", {
              x: p.cx,
              y: p.cy + inside[1] * 0.36,
              "font-size": inside[1],
              "text-anchor": "middle",
              fill: css("--muted")
            },
                inside[0]));
      const corner = this.detail && cornerText(p);
      if (corner)
        target.append(svg("text", {x: p.x + 1, y: p.cy + 0.9, "font-size": 2.4, fill: css("--muted")}, corner));
    }
  }
  paint(uses, selected) {
    this.drawBoxes();
    this.recolour(uses, selected);
  }
  recolour(uses, selected) {
    const idle = css("--grid");
    this.model.links.forEach((link, i) => {
      this.paths[i].setAttribute("stroke", uses[i] > 0 ? scaleColour(uses[i]) : idle);
      this.paths[i].setAttribute("stroke-width", lineWidth(link, this.model.drawing, uses[i]).toFixed(3));
    });
    this.over.replaceChildren();
    if (!selected) return;
    if (selected.segments) {
      const d = selected.segments.map((s) => `M${s[0]} ${s[1]}L${s[2]} ${s[3]}`).join("");
      this.over.append(
          svg("path", {d, stroke: css("--ink"), "stroke-width": 1.5, "stroke-linecap": "round", opacity: 0.35}),
          svg("path", {d, stroke: css("--bad"), "stroke-width": 0.55, "stroke-linecap": "round"}));
    } else {
      this.over.append(svg("rect", {
        x: selected.x - 0.5,
        y: selected.y - 0.5,
        width: selected.w + 1,
        height: selected.h + 1,
        rx: 1,
        stroke: css("--bad"),
        "stroke-width": 0.6
      }));
    }
  }
}

class CanvasPlan {
  constructor(model) {
    this.model = model;
    this.element = html("canvas", {"aria-hidden": "true"});
    this.view = {x: 0, y: 0, w: model.width, h: model.height};
    // Many tiles leave few pixels for each.
    this.bold = model.drawing.dense ? 1 : Math.min(2.6, Math.max(1, model.width / 200));
  }
  setView(view) { this.view = view; }
  paint(uses, selected) { this.recolour(uses, selected); }
  recolour(uses, selected) {
    const canvas = this.element;
    const wide = Math.round(Math.max(320, canvas.clientWidth || 900) * Math.min(2, devicePixelRatio || 1));
    canvas.width = wide;
    canvas.height = Math.round((wide * this.model.height) / this.model.width);
    const c = canvas.getContext("2d");
    const k = wide / this.view.w;
    c.setTransform(k, 0, 0, k, -this.view.x * k, -this.view.y * k);
    this.drawBoxes(c, ["wafer", "frame"]);
    this.drawLines(c, uses);
    this.drawBoxes(c, ["npu", "router", "chiplet", "io"]);
    if (selected) this.drawSelected(c, selected);
  }
  drawBoxes(c, kinds) {
    for (const kind of kinds) {
      c.beginPath();
      for (const p of this.model.boxes)
        if (p.kind === kind) c.rect(p.x, p.y, p.w, p.h);
      c.fillStyle = css(kBoxes[kind].fill);
      c.fill();
      c.lineWidth = 0.2;
      c.strokeStyle = css(kBoxes[kind].stroke);
      c.stroke();
    }
  }
  // Lines of one colour together: a change of colour costs more than a line.
  drawLines(c, uses) {
    const bins = Array.from({length: 65}, () => []);
    this.model.links.forEach(
        (link, i) => bins[uses[i] > 0 ? 1 + Math.min(63, Math.floor(uses[i] * 64)) : 0].push(link));
    c.lineCap = "round";
    bins.forEach((links, bin) => {
      if (links.length === 0) return;
      const use = bin === 0 ? 0 : (bin - 0.5) / 64;
      c.strokeStyle = bin === 0 ? css("--grid") : scaleColour(use);
      for (const same of [true, false]) {
        const some = links.filter((l) => (l.from.kind === l.to.kind) === same);
        if (some.length === 0) continue;
        c.beginPath();
        for (const link of some)
          for (const s of link.segments) {
            c.moveTo(s[0], s[1]);
            c.lineTo(s[2], s[3]);
          }
        c.lineWidth = lineWidth(some[0], this.model.drawing, use) * this.bold;
        c.stroke();
      }
    });
  }
  drawSelected(c, selected) {
    c.strokeStyle = css("--bad");
    c.lineWidth = 0.9;
    c.beginPath();
    if (selected.segments)
      for (const s of selected.segments) {
        c.moveTo(s[0], s[1]);
        c.lineTo(s[2], s[3]);
      }
    else
      c.rect(selected.x - 0.5, selected.y - 0.5, selected.w + 1, selected.h + 1);
    c.stroke();
  }
}

function makePlan(model, detail) {
  if (!model.links[0]?.segments) placeLines(model);
  return model.links.length > kSvgLinks ? new CanvasPlan(model) : new SvgPlan(model, detail);
}

/// The colours with their numbers.
function useLegend() {
  const root = html("div", {class: "legend"});
  let limit = 1;
  const draw = () => {
    const bar = svg("svg", {width: 212, height: 26, "aria-hidden": "true"});
    for (let i = 0; i < 60; ++i)
      bar.append(svg("rect", {x: 16 + i * 2.9, y: 0, width: 3, height: 10, fill: scaleColour(i / 59)}));
    for (const t of [0, 0.5, 1])
      bar.append(
          svg("text", {x: 16 + t * 172, y: 23, "text-anchor": "middle", "font-size": 11, fill: css("--muted")},
              percent(t * limit)));
    root.replaceChildren(
        html("span", {}, bar, "share of a link's capacity"),
        html("span", {}, `idle links are ${theme === "dark" ? "dark" : "pale"}; traffic keeps to the right`));
    root.setAttribute("aria-label", `Colour of a link: share of its capacity that is used, 0 to ${percent(limit)}`);
  };
  onTheme(draw);
  root.showLimit = (value) => {
    limit = value;
    draw();
  };
  return root;
}
