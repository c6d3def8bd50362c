// Spans on tracks: what ran when. Drag chooses a part, the arrow keys go from span to span.
const kTrackHeight = 20;
const kMostTracks = 600;
const kAxisNameWidth = 96;

class Timeline {
  constructor(run) {
    this.views = timelineViews(run);
    this.whole = run.summary.time_ns;
    this.element = this.build();
    this.show(0);
    onTheme(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  build() {
    this.canvas = html("canvas", {});
    this.axis = html("canvas", {});
    const button = (text, label, act) => html("button", {type: "button", "aria-label": label, onclick: act}, text);
    this.words = html("p", {class: "note", "aria-live": "polite"}, "");
    this.holder = html(
        "div", {
          class: "gantt",
          tabindex: 0,
          role: "group",
          "aria-label":
              "Timeline. Left and right go to the previous and next span, up and down to the next track, plus and minus zoom, 0 shows all."
        },
        this.canvas);
    this.holder.addEventListener("keydown", (e) => this.key(e));
    this.canvas.addEventListener("pointermove", (e) => this.hover(e));
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("pointerdown", (e) => {
      this.drag = {from: e.offsetX, to: e.offsetX};
      this.canvas.setPointerCapture(e.pointerId);
    });
    this.canvas.addEventListener("pointerup", (e) => this.drop(e));
    this.canvas.addEventListener("dblclick", () => this.zoomTo(0, this.end));
    this.legend = html("div", {class: "legend"});
    onTheme(() => this.drawLegend());
    this.note = html("p", {class: "note"});
    const choice = html(
        "select", {"aria-label": "What the timeline shows"},
        this.views.map(([name], i) => html("option", {value: i}, name)));
    choice.addEventListener("change", () => this.show(Number(choice.value)));
    return card(
        "Timeline", "",
        this.views.length > 1 ? html("div", {class: "row no-print"}, html("label", {}, "show ", choice)) : null,
        this.note, this.legend, this.axis, this.holder,
        html(
            "div", {class: "row no-print"}, button("+", "Zoom in", () => this.zoom(0.5)),
            button("−", "Zoom out", () => this.zoom(2)), button("◀", "Earlier", () => this.pan(-0.4)),
            button("▶", "Later", () => this.pan(0.4)),
            button("Show all", "Show the whole run", () => this.zoomTo(0, this.end))),
        this.words);
  }

  /// Shows one of the views.
  show(number) {
    const [, makeRows, what, source] = this.views[number];
    const rows = makeRows();
    this.rows = rows.slice(0, kMostTracks);
    this.spans = this.rows.flatMap((row, i) => {
      for (const span of row.spans) span.row = i;
      return row.spans;
    });
    this.end = this.spans.reduce((end, s) => Math.max(end, s.end), this.whole);
    this.categories = [...new Set(this.spans.map((s) => s.category))];
    // Blue is compute everywhere, so that others get no free number but from 1.
    this.colours =
        new Map(this.categories.map((name, i) => [name, kColourOf[name] ?? 1 + (i % (kSeries.light.length - 1))]));
    this.range = [0, this.end];
    this.at = -1;
    // The name of the axis stands in front of its first number.
    this.labels = Math.min(
        260, Math.max(kAxisNameWidth, 24 + 7 * this.rows.reduce((most, r) => Math.max(most, r.label.length), 4)));
    const thinned =
        source.shown < source.all ? ` The ${count(source.shown)} longest of ${count(source.all)} spans are here.` : "";
    const cut = rows.length > kMostTracks ? ` ${count(rows.length - kMostTracks)} more tracks are not shown.` : "";
    this.note.textContent = `${what} Drag to zoom, double click to show all.${thinned}${cut}`;
    this.words.textContent = "";
    this.drawLegend();
    this.draw();
  }
  drawLegend() {
    this.legend.replaceChildren(
        ...(this.categories || [])
            .slice(0, 14)
            .map(
                (name) => html(
                    "span", {},
                    svg("svg", {width: 16, height: 11, "aria-hidden": "true"},
                        svg("rect", {width: 16, height: 11, rx: 2, fill: seriesColour(this.colours.get(name))})),
                    name.replace(/_/g, "-") || "span")));
  }

  x(t) {
    return this.labels + ((t - this.range[0]) / (this.range[1] - this.range[0])) * (this.width - this.labels - 8);
  }
  timeAt(x) {
    return this.range[0] + ((x - this.labels) / (this.width - this.labels - 8)) * (this.range[1] - this.range[0]);
  }

  prepare(canvas, height) {
    const k = Math.min(2, devicePixelRatio || 1);
    canvas.width = Math.round(this.width * k);
    canvas.height = Math.round(height * k);
    canvas.style.height = `${height}px`;
    canvas.style.width = `${this.width}px`;
    const c = canvas.getContext("2d");
    c.setTransform(k, 0, 0, k, 0, 0);
    c.font = "12px system-ui, 'DejaVu Sans', sans-serif";
    return c;
  }

  draw() {
    const width = this.holder.clientWidth;
    if (width === 0 || !this.rows) return;
    this.width = width;
    this.drawAxis();
    const c = this.prepare(this.canvas, this.rows.length * kTrackHeight + 4);
    this.drawRows(c);
    if (this.drag) {
      c.fillStyle = css("--accent");
      c.globalAlpha = 0.2;
      c.fillRect(
          Math.min(this.drag.from, this.drag.to), 0, Math.abs(this.drag.to - this.drag.from), this.canvas.height);
      c.globalAlpha = 1;
    }
  }
  ticks() { return linearTicks(this.range[0], this.range[1], 8).filter((t) => t >= this.range[0]); }
  drawAxis() {
    const c = this.prepare(this.axis, 20);
    c.fillStyle = css("--muted");
    c.textAlign = "center";
    // One unit for all ticks, so that they can be compared.
    const span = Math.max(Math.abs(this.range[1]), 1);
    const [unit, factor] = span >= 1e9 ? ["s", 1e9] : span >= 1e6 ? ["ms", 1e6] : span >= 1e3 ? ["µs", 1e3] : ["ns", 1];
    for (const t of this.ticks()) {
      const x = this.x(t);
      if (x < this.width - 20) c.fillText(digits(t / factor, 5), x, 14);
    }
    c.textAlign = "left";
    c.fillText(`time in ${unit}`, 2, 14);
  }
  drawRows(c) {
    c.strokeStyle = css("--grid");
    c.lineWidth = 1;
    for (const t of this.ticks()) {
      c.beginPath();
      c.moveTo(this.x(t), 0);
      c.lineTo(this.x(t), this.rows.length * kTrackHeight);
      c.stroke();
    }
    this.rows.forEach((row, i) => {
      const y = i * kTrackHeight;
      c.fillStyle = css("--muted");
      if (row.label) {
        c.textAlign = "left";
        c.fillText(row.label, 2, y + 14, this.labels - 8);
        c.fillStyle = css("--line");
        c.fillRect(0, y, this.width, 0.7);
      }
      row.spans.forEach((span, k) => this.drawSpan(c, span, y, row.spans[k + 1]));
    });
  }
  /// A name takes no more room than there is before the `next` span.
  drawSpan(c, span, y, next) {
    const from = Math.max(this.labels, this.x(span.start));
    const to = Math.min(this.width - 8, Math.max(this.x(span.end), this.x(span.start) + 1));
    if (to < this.labels || from > this.width - 8) return;
    const colour = seriesColour(this.colours.get(span.category));
    c.fillStyle = colour;
    c.globalAlpha = 0.88;
    c.fillRect(from, y + 2, Math.max(1, to - from - (to - from > 3 ? 0.7 : 0)), kTrackHeight - 4);
    c.globalAlpha = 1;
    if (this.spans[this.at] === span) {
      c.strokeStyle = css("--ink");
      c.lineWidth = 2;
      c.strokeRect(from, y + 2, Math.max(2, to - from), kTrackHeight - 4);
    }
    const room = (next ? Math.min(to, this.x(next.start)) : to) - from - 8;
    if (room > 38) {
      c.fillStyle = theme === "dark" ? "#10151b" : "#ffffff";
      c.textAlign = "left";
      let text = span.name;
      while (text.length > 3 && c.measureText(text).width > room) text = `${text.slice(0, -2)}…`.replace("……", "…");
      if (c.measureText(text).width <= room) c.fillText(text, from + 4, y + 14);
    }
  }

  textOf(span) {
    return `${span.name}\n${span.category}${span.more ? `: ${span.more}` : ""}\n${time(span.start)} – ${
        time(span.end)} (${time(span.end - span.start)})`;
  }
  hover(e) {
    if (this.drag) {
      this.drag.to = e.offsetX;
      this.draw();
      return;
    }
    const row = this.rows[Math.floor(e.offsetY / kTrackHeight)];
    const t = this.timeAt(e.offsetX);
    const slack = (this.range[1] - this.range[0]) / this.width * 2;
    const span = row && row.spans.find((s) => t >= s.start - slack && t <= s.end + slack);
    if (span)
      showTip(this.textOf(span), e.clientX, e.clientY);
    else
      hideTip();
  }
  drop(e) {
    const drag = this.drag;
    this.drag = null;
    if (!drag) return;
    if (Math.abs(drag.to - drag.from) > 6) {
      this.zoomTo(this.timeAt(Math.min(drag.from, drag.to)), this.timeAt(Math.max(drag.from, drag.to)));
      return;
    }
    const row = this.rows[Math.floor(e.offsetY / kTrackHeight)];
    const t = this.timeAt(e.offsetX);
    this.choose(row ? this.spans.indexOf(row.spans.find((s) => t >= s.start && t <= s.end)) : -1);
  }
  choose(i) {
    this.at = i;
    const span = this.spans[i];
    this.words.textContent = span ? this.textOf(span).replace(/\n/g, " · ") : "";
    if (span) {
      const wide = this.range[1] - this.range[0];
      if (span.end < this.range[0] || span.start > this.range[1])
        this.zoomTo(span.start - wide * 0.2, span.start + wide * 0.8);
      const y = span.row * kTrackHeight;
      if (y < this.holder.scrollTop || y > this.holder.scrollTop + this.holder.clientHeight - 30)
        this.holder.scrollTop = Math.max(0, y - 60);
    }
    this.draw();
  }
  zoomTo(from, to) {
    const least = this.end / 1e6 || 1;
    if (to - from < least) to = from + least;
    const wide = Math.min(to - from, this.end);
    const start = Math.max(0, Math.min(from, this.end - wide));
    this.range = [start, start + wide];
    this.draw();
  }
  zoom(factor) {
    const span = this.spans[this.at];
    const middle = span ? (span.start + span.end) / 2 : (this.range[0] + this.range[1]) / 2;
    const half = ((this.range[1] - this.range[0]) * factor) / 2;
    this.zoomTo(middle - half, middle + half);
  }
  pan(share) {
    const step = (this.range[1] - this.range[0]) * share;
    this.zoomTo(this.range[0] + step, this.range[1] + step);
  }
  key(e) {
    const n = this.spans.length;
    const span = this.spans[this.at];
    if (e.key === "ArrowRight")
      this.choose(Math.min(n - 1, this.at + 1));
    else if (e.key === "ArrowLeft")
      this.choose(Math.max(0, this.at - 1));
    else if (e.key === "ArrowDown")
      this.choose(span ? Math.max(this.at, this.spans.findIndex((s) => s.row > span.row)) : 0);
    else if (e.key === "ArrowUp" && span)
      this.choose(Math.max(0, this.spans.findLastIndex((s) => s.row < span.row)));
    else if (e.key === "+" || e.key === "=")
      this.zoom(0.5);
    else if (e.key === "-")
      this.zoom(2);
    else if (e.key === "0")
      this.zoomTo(0, this.end);
    else if (e.key === "Escape")
      this.choose(-1);
    else
      return;
    e.preventDefault();
  }
}

function timelineSection(run) {
  if (timelineViews(run).length === 0) return null;
  const timeline = new Timeline(run);
  timeline.element.timeline = timeline;
  return timeline.element;
}
