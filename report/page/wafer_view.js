// The section of the wafer: picture, slider through time, selection, and the busiest links.
const kLimits = [1, 0.5, 0.25, 0.1, 0.05];

class WaferView extends WaferStage {
  constructor(run) {
    super();
    this.run = run;
    this.model = unpack(run.wafer);
    this.plan = makePlan(this.model, true);
    this.window = -1;
    this.selected = null;
    this.view = {x: 0, y: 0, w: this.model.width, h: this.model.height};
    this.step = run.summary.cycles > 0 ? cycleNs(run) : 0;
    this.details = html("div", {"aria-live": "polite"});
    this.busiest = html("tbody", {});
    this.element = card(
        "Wafer", this.note(),
        html(
            "div", {class: "split"}, html("div", {}, this.makeStage(), this.makeLegend(), this.makeSlider()),
            html(
                "div", {}, this.details,
                html(
                    "table", {},
                    html(
                        "thead", {},
                        html(
                            "tr", {}, html("th", {}, this.run.wafer.binned ? "Busiest lines" : "Busiest links"),
                            html("th", {}, "use"))),
                    this.busiest))));
    onTheme(() => this.plan.paint(this.shades(), this.selected));
    this.show(-1);
  }

  note() {
    const l = this.model.links.length;
    const w = this.run.wafer;
    if (!w.binned) return `${plural(l, "link")}. ${w.drawing.text}`;
    return `${count(w.all)} links are too many for a picture: ${w.binned}. Each of the ${
        count(l)} lines is all links between two of these or, short, within one; its use is their mean. ${
        w.drawing.directions}`;
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
    const line = this.run.wafer.binned ? "line" : "link";
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
              `use over time: of the busiest ${line}, behind; mean of all ${line}s, in front`));
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

  /// The use that has the full colour: chosen, or so that the busiest link is in the upper half.
  limit() {
    if (Number(this.full.value) > 0) return Number(this.full.value);
    const top = this.window < 0 || !this.model.windows ?
        this.model.links.reduce((m, l) => Math.max(m, l.utilisation), 0) :
        this.model.windows.bytes.reduce((m, b) => Math.max(m, b), 0) / 255;
    return kLimits.findLast((limit) => limit >= top) || 1;
  }
  /// Uses as shares of the limit.
  shades() {
    const limit = this.limit();
    return this.uses().map((use) => Math.min(1, use / limit));
  }
  makeLegend() {
    this.legend = useLegend();
    this.full = html(
        "select", {}, html("option", {value: 0}, "automatic"),
        kLimits.map((limit) => html("option", {value: limit}, percent(limit))));
    this.full.addEventListener("change", () => this.show(this.window));
    return html("div", {class: "row"}, this.legend, html("label", {class: "no-print"}, "full colour at ", this.full));
  }

  uses() { return this.model.links.map((link) => useOf(this.model, link, this.window)); }

  /// Shows a window of time; -1 = the whole run.
  show(window) {
    this.window = window;
    const uses = this.uses();
    this.plan.recolour(this.shades(), this.selected);
    this.legend.showLimit(this.limit());
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
}

function waferSection(run) {
  if (run.wafer.missing) return card("Wafer", run.wafer.missing);
  if (run.wafer.links.from.length === 0) return card("Wafer", "This fabric has no links.");
  const view = new WaferView(run);
  view.element.waferView = view;
  return view.element;
}
