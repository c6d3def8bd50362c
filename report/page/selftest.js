// With #selftest the page uses itself like a reader does and writes what it finds into an element; scripts/report_test
// reads it. #theme=dark, #tab=KEY and #window=N choose what a picture shows.
function selfTest() {
  // Since the page was asked for: reading, building and drawing the first tab.
  const found = {ready_ms: performance.now(), tabs: [], headlines: {}, checks: {}};
  const press = (element, key) =>
      element.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
  for (const tab of tabs) {
    const begin = performance.now();
    showTab(tab);
    found.tabs.push(
        {key: tab.key, ms: performance.now() - begin, sections: tab.panel.querySelectorAll(".card").length});
    testWafer(tab, found.checks, press);
    testTimeline(tab, found.checks, press);
    const axis = tab.panel.querySelector(".chart[tabindex]");
    if (axis) {
      press(axis, "ArrowRight");
      found.checks[`${tab.key}.chart`] = byId("tip").hidden ? "" : byId("tip").textContent;
      hideTip();
    }
  }
  for (const h of document.querySelectorAll(".headline"))
    found.headlines[h.id] = {value: h.dataset.value, text: h.querySelector(".value").textContent};
  press(tabs[0].button, "End");
  found.checks["tabs.end"] = tabs[tabs.length - 1].button.getAttribute("aria-selected");
  document.body.append(
      html("script", {type: "application/json", id: "selftest"}, JSON.stringify(found).replace(/</g, "\\u003c")));
}

function testWafer(tab, checks, press) {
  const section = [...tab.panel.querySelectorAll(".card")].find((c) => c.waferView);
  if (!section) return;
  const view = section.waferView;
  const strokes = () => view.uses().reduce((a, b) => a + b, 0);
  const ofAll = () => view.uses().reduce((a, b, i) => a + b * view.model.links[i].links, 0);
  const whole = strokes();
  checks[`${tab.key}.links`] = view.model.links.length;
  checks[`${tab.key}.all_links`] = view.model.links.reduce((sum, link) => sum + link.links, 0);
  if (view.slider) {
    view.slider.value = 0;
    view.slider.dispatchEvent(new Event("input"));
    checks[`${tab.key}.slider`] = {
      whole,
      first: strokes(),
      all_first: ofAll(),
      text: view.text.textContent,
      note: view.note(),
      windows: view.model.windows.ends.length
    };
    view.slider.value = -1;
    view.slider.dispatchEvent(new Event("input"));
  }
  press(view.stage, "ArrowRight");
  const box = view.selected && view.selected.name;
  press(view.stage, "Enter");
  checks[`${tab.key}.selected`] = {box, link: view.selected && view.selected.name, details: view.details.textContent};
  const begin = performance.now();
  view.plan.paint(view.shades(), view.selected);
  // Reading a pixel waits until all is drawn.
  if (view.plan instanceof CanvasPlan) view.plan.element.getContext("2d").getImageData(0, 0, 1, 1);
  checks[`${tab.key}.paint_ms`] = performance.now() - begin;
  press(view.stage, "Escape");
}

function testTimeline(tab, checks, press) {
  const section = [...tab.panel.querySelectorAll(".card")].find((c) => c.timeline);
  if (!section) return;
  const timeline = section.timeline;
  press(timeline.holder, "ArrowRight");
  const words = timeline.words.textContent;
  press(timeline.holder, "+");
  checks[`${tab.key}.timeline`] = {
    spans: timeline.spans.length,
    words,
    zoomed: timeline.range[1] - timeline.range[0] < timeline.end
  };
  press(timeline.holder, "0");
  press(timeline.holder, "Escape");
}

function fromHash() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (wanted.has("theme")) setTheme(wanted.get("theme"));
  const tab = tabs.find((t) => t.key === wanted.get("tab"));
  if (tab) showTab(tab);
  if (wanted.has("window")) {
    for (const section of document.querySelectorAll(".card"))
      if (section.waferView) section.waferView.show(Number(wanted.get("window")));
  }
  if (wanted.has("selftest")) selfTest();
}
fromHash();
