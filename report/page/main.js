// Puts the page together: a tab for the comparison, for each run and for each sweep.
function describeRun(run) {
  const what = {
    trace: "plays a trace",
    collective: "runs a collective",
    traffic: "synthetic traffic",
    io: "streams of I/O controllers"
  }[run.workload] ||
      run.workload;
  return `A ${run.fabric} with ${plural(run.summary.nodes, "node")}, ${run.clock}; ${what}. ${run.folder}`;
}

function runHead(run, number) {
  return [
    html("h2", {}, run.label), html("p", {class: "muted"}, describeRun(run)), messages(run), headlineCards(run, number)
  ];
}

function runPanel(run) {
  return [
    waferSection(run), timelineSection(run), pathMissing(run),
    html(
        "div", {class: "pair"}, pathSection(run), rankSection(run), stallSection(run), latencySection(run),
        bandwidthSection(run), memorySection(run)),
    configSection(run)
  ];
}

/// Names in tabs tell runs of one configuration apart: by the last parts of their folders, as many as it takes; one
/// folder given twice by a number.
function nameTabs(list) {
  const groups = new Map();
  for (const one of list) groups.set(one.name, [...(groups.get(one.name) || []), one]);
  for (const [name, group] of groups) {
    const parts = group.map((one) => (one.place || one.folder).split("/").filter(Boolean));
    const end = (p, n) => p.slice(-n).join("/");
    const different = new Set(parts.map((p) => p.join("/"))).size;
    /// The least number of parts in which no other folder agrees.
    const shortest = (p) => {
      let n = 1;
      while (parts.some((q) => end(q, n) === end(p, n) && end(q, Infinity) !== end(p, Infinity))) ++n;
      return end(p, n);
    };
    const used = new Map();
    group.forEach((one, i) => {
      const label = group.length === 1 || different === 1 ? name : shortest(parts[i]);
      used.set(label, (used.get(label) || 0) + 1);
      one.label = used.get(label) > 1 ? `${label} (${used.get(label)})` : label;
    });
  }
}

const tabs = [];
/// `head` is in the page at once, what `fill` gives when the tab is first shown.
function addTab(label, key, head, fill) {
  const panel = html("section", {role: "tabpanel", id: `panel-${key}`, "aria-labelledby": `tab-${key}`, hidden: true});
  const button = html(
      "button", {
        type: "button",
        role: "tab",
        id: `tab-${key}`,
        "aria-controls": `panel-${key}`,
        "aria-selected": "false",
        tabindex: -1
      },
      label);
  const tab = {key, panel, button, fill, filled: false};
  button.addEventListener("click", () => showTab(tab));
  button.addEventListener("keydown", (e) => {
    const step = {ArrowRight: 1, ArrowLeft: -1}[e.key];
    const to = e.key === "Home" ? 0 :
        e.key === "End"         ? tabs.length - 1 :
        step                    ? (tabs.indexOf(tab) + step + tabs.length) % tabs.length :
                                  -1;
    if (to < 0) return;
    e.preventDefault();
    showTab(tabs[to]);
    tabs[to].button.focus();
  });
  panel.append(...head.flat(2).filter(Boolean));
  tabs.push(tab);
  byId("tabs").append(button);
  byId("panels").append(panel);
}
function showTab(tab) {
  for (const other of tabs) {
    other.panel.hidden = other !== tab;
    other.button.setAttribute("aria-selected", String(other === tab));
    other.button.tabIndex = other === tab ? 0 : -1;
  }
  if (!tab.filled) {
    tab.panel.append(...tab.fill().flat(2).filter(Boolean));
    tab.filled = true;
  }
  // Canvases have a size now.
  for (const listener of themeListeners) listener();
}

function build() {
  setTheme("system");
  const all = [...data.runs, ...data.sweeps].sort((a, b) => a.order - b.order);
  nameTabs(all);
  byId("subtitle").textContent = all.map((o) => o.label).join(" · ");
  if (data.runs.length > 1) addTab("Comparison", "compare", [], () => comparePanel(data.runs));
  for (const one of all) {
    const run = data.runs.indexOf(one);
    const sweep = data.sweeps.indexOf(one);
    if (run >= 0)
      addTab(one.label, `run-${run + 1}`, runHead(one, run), () => runPanel(one));
    else
      addTab(one.label, `sweep-${sweep + 1}`, [], () => sweepPanel(one, sweep));
  }
  byId("tabs").hidden = tabs.length < 2;
  byId("foot").textContent =
      `weft ${data.version}. 1 KiB = 1024 B, 1 GB = 10^9 B. All numbers are in the element weft-data of this page.`;
  showTab(tabs[0]);
}
build();
