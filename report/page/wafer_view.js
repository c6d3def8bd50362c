// The section of the wafer: picture, slider through time, selection, and the busiest links.
class WaferView {
  constructor(run) {
    this.run = run;
    this.model = unpack(run.wafer);
    this.plan = makePlan(this.model, run.kind, true);
    this.window = -1;
    this.selected = null;
    this.view = {x: 0, y: 0, w: this.model.width, h: this.model.height};
    this.step = run.summary.cycles > 0 ? cycleNs(run) : 0;
    this.details = html("div", {"aria-live": "polite"});
    this.busiest = html("tbody", {});
    this.element = card(
        "Wafer", this.note(),
        html(
            "div", {class: "split"}, html("div", {}, this.makeStage(), useLegend(), this.makeSlider()),
            html(
                "div", {}, this.details,
                html(
                    "table", {},
                    html("thead", {}, html("tr", {}, html("th", {}, "Busiest links"), html("th", {}, "use"))),
                    this.busiest))));
    onTheme(() => this.plan.paint(this.uses(), this.selected));
    this.show(-1);
  }

  note() {
    const l = this.model.links.length;
    const drawn = this.run.kind === "fred" ?
        "Switches are drawn as they are wired; the configuration gives them no coordinates. Each number in a switch is a plane." :
        "One tile per NPU, its router in the lower left corner; y grows upwards.";
    return `${plural(l, "link")}. ${drawn}`;
  }

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

  makeSlider() {
    const ends = this.model.windows ? this.model.windows.ends : [];
    this.text = html("output", {class: "time"});
    if (ends.length === 0) {
      return html(
          "p", {class: "note"},
          "Colours show the whole run: it has no link_windows.csv (log.windows is 0, or there are more than 100,000 links), so there is no slider through time.");
    }
    this.slider = html("input", {
      type: "range",
      min: -1,
      max: ends.length - 1,
      value: -1,
      step: 1,
      "aria-label": "Time window; the first position is the whole run"
    });
    this.slider.addEventListener("input", () => this.show(Number(this.slider.value)));
    this.play = html(
        "button", {type: "button", class: "no-print", "aria-pressed": "false", onclick: () => this.toggle()}, "Play");
    const written = this.model.windows.written;
    const merged = written > ends.length ?
        ` ${count(written)} windows were written; ${
            Math.ceil(written / ends.length)} at a time are shown as one to keep the page small.` :
        "";
    return html(
        "div", {}, this.makeTrace(ends), html("div", {class: "row"}, this.play, this.slider, this.text),
        html(
            "p", {class: "note"},
            `${count(ends.length)} windows of ${
                count(ends[0])} cycles; the first position of the slider is the whole run.${merged}`));
  }

  /// Mean and greatest use over time, above the slider.
  makeTrace(ends) {
    const links = this.model.links;
    const mean = [];
    const top = [];
    ends.forEach((end, w) => {
      let sum = 0;
      let most = 0;
      for (const link of links) {
        const u = useOf(this.model, link, w);
        sum += u;
        if (u > most) most = u;
      }
      mean.push(sum / links.length);
      top.push(most);
    });
    const [width, height] = [760, 64];
    const root = svg("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});
    const last = ends[ends.length - 1];
    const x = (cycle) => (cycle / last) * width;
    const y = (u) => height - 16 - u * (height - 20);
    onTheme(() => {
      root.replaceChildren();
      for (const [values, colour, opacity] of [[top, scaleColour(0.5), 0.45], [mean, scaleColour(0.9), 1]]) {
        let d = `M0 ${height - 16}`;
        values.forEach((v, i) => {
          d += `V${y(v).toFixed(1)}H${x(ends[i]).toFixed(1)}`;
        });
        root.append(svg("path", {d: `${d}V${height - 16}Z`, fill: colour, opacity}));
      }
      this.cursor = svg(
          "rect",
          {y: 0, height: height - 16, fill: "none", stroke: css("--bad"), "stroke-width": 1.5, visibility: "hidden"});
      root.append(
          this.cursor, svg("text", {x: 0, y: height - 2}, "0"),
          svg("text", {x: width, y: height - 2, "text-anchor": "end"}, time(last * this.step)),
          svg("text", {x: width / 2, y: height - 2, "text-anchor": "middle"},
              "use over time: of the busiest link, behind; mean of all links, in front"));
      this.moveCursor();
    });
    this.traceX = x;
    return root;
  }
  moveCursor() {
    if (!this.cursor || !this.model.windows) return;
    const ends = this.model.windows.ends;
    if (this.window < 0) {
      this.cursor.setAttribute("visibility", "hidden");
      return;
    }
    const begin = this.window === 0 ? 0 : ends[this.window - 1];
    this.cursor.setAttribute("visibility", "visible");
    this.cursor.setAttribute("x", this.traceX(begin));
    this.cursor.setAttribute("width", Math.max(1, this.traceX(ends[this.window]) - this.traceX(begin)));
  }

  toggle() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = null;
    } else {
      this.timer =
          setInterval(() => this.show(this.window + 1 < this.model.windows.ends.length ? this.window + 1 : 0), 120);
    }
    this.play.textContent = this.timer ? "Pause" : "Play";
    this.play.setAttribute("aria-pressed", String(Boolean(this.timer)));
  }

  uses() { return this.model.links.map((link) => useOf(this.model, link, this.window)); }

  /// Shows a window of time; -1 = the whole run.
  show(window) {
    this.window = window;
    const uses = this.uses();
    this.plan.recolour(uses, this.selected);
    if (this.slider) {
      const ends = this.model.windows.ends;
      const begin = window <= 0 ? 0 : ends[window - 1];
      const words = window < 0 ? `the whole run, ${time(ends[ends.length - 1] * this.step)}` :
                                 `cycles ${count(begin)} – ${count(ends[window])} (${time(begin * this.step)} – ${
                                     time(ends[window] * this.step)})`;
      this.text.textContent = words;
      this.slider.value = window;
      this.slider.setAttribute("aria-valuetext", words);
      this.moveCursor();
    }
    const order = uses.map((u, i) => [u, i]).sort((a, b) => b[0] - a[0] || a[1] - b[1]).slice(0, 10);
    this.busiest.replaceChildren(...order.map(
        ([u, i]) => html(
            "tr", {},
            html(
                "td", {},
                html(
                    "button", {type: "button", onclick: () => this.select(this.model.links[i])},
                    this.model.links[i].name)),
            html("td", {}, percent(u)))));
    this.describe();
  }

  select(thing) {
    this.selected = thing;
    this.plan.recolour(this.uses(), thing);
    this.describe();
  }

  textOf(thing) {
    if (thing.segments) {
      return `${thing.name}\n${thing.from.name} → ${thing.to.name}\n${
          percent(useOf(this.model, thing, this.window))} used${this.window < 0 ? "" : " in this window"}, ${
          count(thing.flits)} flits in the run`;
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
    const stalls =
        this.run.summary.cycles > 0 ? ` (${percent(thing.stalls / this.run.summary.cycles)} of the run)` : "";
    this.details.replaceChildren(
        html("h3", {}, thing.name), facts([
          ["from", thing.from.name], ["to", thing.to.name], ["flits", count(thing.flits)],
          ["use, whole run", percent(thing.utilisation)],
          this.window < 0 ? [] : ["use, this window", percent(useOf(this.model, thing, this.window))],
          this.run.kind === "fred" ? [] : ["waited for credits", `${plural(thing.stalls, "cycle")}${stalls}`]
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
    if (this.plan instanceof CanvasPlan) this.plan.recolour(this.uses(), this.selected);
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
    const boxes = this.model.places.filter((p) => p.kind !== "wafer" && p.kind !== "frame");
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

function waferSection(run) {
  if (run.wafer.missing) return card("Wafer", run.wafer.missing);
  if (run.wafer.links.from.length === 0) return card("Wafer", "This fabric has no links.");
  const view = new WaferView(run);
  view.element.waferView = view;
  return view.element;
}
