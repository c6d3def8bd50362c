// Puts the page together: a tab for the comparison, for each run and for each sweep.
function describeRun(run) {
  const fabric = {mesh: "mesh", torus: "torus", fred: "fabric of FRED switches"}[run.kind];
  const what = {
    trace: "plays a trace",
    collective: "runs a collective",
    traffic: "synthetic traffic",
    io: "streams of I/O controllers"
  }[run.workload] ||
      run.workload;
  return `A ${fabric} with ${plural(run.summary.nodes, "node")}, ${run.clock}; ${what}. ${run.folder}`;
}

function runHead(run, number) {
  return [
    html("h2", {}, run.label), html("p", {class: "muted"}, describeRun(run)), messages(run), headlineCards(run, number)
  ];
}

function runPanel(run) {
  return [
    waferSection(run), timelineSection(run),
    html(
        "div", {class: "pair"}, pathSection(run), rankSection(run), stallSection(run), latencySection(run),
        bandwidthSection(run), memorySection(run)),
    configSection(run)
  ];
}

/// Names in tabs tell runs of one configuration apart.
function nameTabs(list) {
  const seen = new Map();
  for (const one of list) seen.set(one.name, (seen.get(one.name) || 0) + 1);
  const used = new Map();
  for (const one of list) {
    const nth = (used.get(one.name) || 0) + 1;
    used.set(one.name, nth);
    const folder = one.folder.split("/").filter(Boolean).pop();
    one.label = seen.get(one.name) > 1 ? (folder !== one.name ? folder : `${one.name} (${nth})`) : one.name;
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
