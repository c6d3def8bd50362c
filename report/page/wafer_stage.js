// The wafer under mouse and keys: what is chosen, what it says about itself, which part is seen.
class WaferStage {
  makeStage() {
    const zoom = (text, label, factor) =>
        html("button", {type: "button", "aria-label": label, onclick: () => this.zoom(factor)}, text);
    this.stage = html(
        "div", {
          class: "stage",
          tabindex: 0,
          role: "group",
          style: `max-width: ${Math.round((600 * this.model.width) / this.model.height)}px`,
          "aria-label":
              "The wafer. Arrow keys choose a neighbour, Enter goes through its links, plus and minus zoom, 0 shows all."
        },
        this.plan.element);
    this.stage.addEventListener("pointermove", (e) => this.hover(e));
    this.stage.addEventListener("pointerleave", () => {
      hideTip();
      this.drag = null;
    });
    this.stage.addEventListener("pointerdown", (e) => {
      this.drag = {x: e.clientX, y: e.clientY, view: {...this.view}, moved: false};
    });
    this.stage.addEventListener("pointerup", (e) => {
      if (this.drag && !this.drag.moved) this.select(this.at(e));
      this.drag = null;
    });
    this.stage.addEventListener("keydown", (e) => this.key(e));
    return html(
        "div", {}, this.stage,
        html(
            "div", {class: "row no-print"}, zoom("+", "Zoom in", 0.7), zoom("−", "Zoom out", 1 / 0.7),
            zoom("Show all", "Show the whole wafer", 0)));
  }

  select(thing) {
    this.selected = thing;
    this.plan.recolour(this.shades(), thing);
    this.describe();
  }

  textOf(thing) {
    if (thing.segments) {
      return `${thing.name}\n${thing.from.name} → ${thing.to.name}\n${
          percent(useOf(this.model, thing, this.window))} used${this.window < 0 ? "" : " in this window"}${
          thing.links > 1 ? `, mean of ${thing.links} links` : ""}, ${count(thing.flits)} flits in the run`;
    }
    const out = this.model.links.filter((l) => l.from === thing);
    const into = this.model.links.filter((l) => l.to === thing);
    const sum = (list) => list.reduce((s, l) => s + l.flits, 0);
    return `${thing.name}\n${count(sum(out))} flits out over ${plural(out.length, "link")}, ${
        count(sum(into))} in over ${plural(into.length, "link")}`;
  }

  describe() {
    const thing = this.selected;
    if (!thing) {
      this.details.replaceChildren(
          html("p", {class: "note"}, "Choose a link or a place in the picture, or a link of the list."));
      return;
    }
    if (!thing.segments) {
      const [, flow] = this.textOf(thing).split("\n");
      this.details.replaceChildren(html("h3", {}, thing.name), html("p", {}, flow));
      return;
    }
    const share = (cycles) =>
        this.run.summary.cycles > 0 ? ` (${percent(cycles / thing.links / this.run.summary.cycles)} of the run)` : "";
    const measured = ({words, unit, number}) => {
      const value = thing.values[number];
      return [words, unit === "cycles" ? `${plural(value, "cycle")}${share(value)}` : `${count(value)} ${unit}`];
    };
    this.details.replaceChildren(
        html("h3", {}, thing.name), facts([
          ["from", thing.from.name], ["to", thing.to.name], thing.links > 1 ? ["links", count(thing.links)] : [],
          ["flits", count(thing.flits)], ["use, whole run", percent(thing.utilisation)],
          this.window < 0 ? [] : ["use, this window", percent(useOf(this.model, thing, this.window))],
          ...kLinkQuantities.map(measured)
        ]),
        this.spark(thing));
  }

  spark(link) {
    if (!this.model.windows) return "";
    const ends = this.model.windows.ends;
    const last = ends[ends.length - 1];
    let d = "M0 40";
    ends.forEach((end, w) => {
      d += `V${(40 - 38 * useOf(this.model, link, w)).toFixed(1)}H${((end / last) * 300).toFixed(1)}`;
    });
    return svg(
        "svg", {class: "chart", viewBox: "0 0 300 56", role: "img", "aria-label": `Use of ${link.name} over time`},
        svg("path", {d: `${d}V40Z`, fill: scaleColour(0.75)}),
        svg("line", {class: "axis", x1: 0, x2: 300, y1: 40, y2: 40}),
        svg("text", {x: 0, y: 54}, "its use over time, 0 – 100 %"));
  }

  at(event) {
    const box = this.plan.element.getBoundingClientRect();
    return hit(
        this.model, this.view.x + ((event.clientX - box.left) / box.width) * this.view.w,
        this.view.y + ((event.clientY - box.top) / box.height) * this.view.h);
  }
  hover(event) {
    if (this.drag && event.buttons && this.view.w < this.model.width) {
      const box = this.plan.element.getBoundingClientRect();
      const k = this.view.w / box.width;
      if (Math.hypot(event.clientX - this.drag.x, event.clientY - this.drag.y) > 4) this.drag.moved = true;
      this.setView({
        ...this.view,
        x: this.drag.view.x - (event.clientX - this.drag.x) * k,
        y: this.drag.view.y - (event.clientY - this.drag.y) * k
      });
      return;
    }
    const thing = this.at(event);
    if (thing)
      showTip(this.textOf(thing), event.clientX, event.clientY);
    else
      hideTip();
  }
  setView(view) {
    this.view = view;
    this.plan.setView(view);
    if (this.plan instanceof CanvasPlan) this.plan.recolour(this.shades(), this.selected);
  }
  zoom(factor) {
    const m = this.model;
    if (factor === 0) {
      this.setView({x: 0, y: 0, w: m.width, h: m.height});
      return;
    }
    const w = Math.max(m.width / 40, Math.min(m.width, this.view.w * factor));
    const h = (w * m.height) / m.width;
    const focus = this.selected && !this.selected.segments ? [this.selected.cx, this.selected.cy] :
        this.selected                                      ? this.selected.segments[0] :
                        [this.view.x + this.view.w / 2, this.view.y + this.view.h / 2];
    const clamp = (v, most) => Math.max(0, Math.min(most, v));
    this.setView({x: clamp(focus[0] - w / 2, m.width - w), y: clamp(focus[1] - h / 2, m.height - h), w, h});
  }

  key(e) {
    const towards = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    if (towards)
      this.selectTowards(...towards);
    else if (e.key === "Enter")
      this.selectNextLink();
    else if (e.key === "Escape")
      this.select(null);
    else if (e.key === "+" || e.key === "=")
      this.zoom(0.7);
    else if (e.key === "-")
      this.zoom(1 / 0.7);
    else if (e.key === "0")
      this.zoom(0);
    else
      return;
    e.preventDefault();
  }
  selectTowards(dx, dy) {
    const boxes = this.model.boxes.filter((p) => p.kind !== "wafer" && p.kind !== "frame");
    const from = this.selected ? (this.selected.segments ? this.selected.from : this.selected) : null;
    if (!from) {
      this.select(boxes[0]);
      return;
    }
    let best = null;
    let least = Infinity;
    for (const p of boxes) {
      const ahead = (p.cx - from.cx) * dx + (p.cy - from.cy) * dy;
      const aside = Math.abs((p.cx - from.cx) * dy) + Math.abs((p.cy - from.cy) * dx);
      if (p === from || ahead <= 0.01 || aside > ahead * 1.5) continue;
      if (ahead + 2 * aside < least) {
        least = ahead + 2 * aside;
        best = p;
      }
    }
    if (best) this.select(best);
  }
  selectNextLink() {
    if (!this.selected) return;
    const from = this.selected.segments ? this.selected.from : this.selected;
    const links = this.model.links.filter((l) => l.from === from);
    if (links.length > 0) this.select(links[(links.indexOf(this.selected) + 1) % links.length]);
  }
}
