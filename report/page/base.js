// The data, elements, numbers as people read them, colours and the theme.
const data = JSON.parse(document.getElementById("weft-data").textContent);
const byId = (id) => document.getElementById(id);

function make(space, tag, attributes, children) {
  const element = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      element.addEventListener(name.slice(2), value);
    else
      element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}
const html = (tag, attributes, ...children) => make(null, tag, attributes, children);
const svg = (tag, attributes, ...children) => make("http://www.w3.org/2000/svg", tag, attributes, children);

// Numbers ---------------------------------------------------------------------------------------------------------
const count = (n) => Math.round(n).toLocaleString("en-US");
function digits(value, significant = 4) {
  if (value === 0) return "0";
  const places = Math.max(0, significant - 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en-US", {maximumFractionDigits: Math.min(places, 6)});
}
function scaled(value, steps, base) {
  let i = 0;
  while (i + 1 < steps.length && Math.abs(value) >= base) {
    value /= base;
    ++i;
  }
  return [digits(value), steps[i]];
}
const timeParts = (ns) => Math.abs(ns) >= 1e9 ? [digits(ns / 1e9), "s"] : scaled(ns, ["ns", "µs", "ms"], 1000);
const time = (ns) => timeParts(ns).join(" ");
const bytes = (n) => scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024).join(" ");
const bigParts = (n) => (Math.abs(n) < 1e6 ? [count(n), ""] : scaled(n / 1e6, ["M", "G", "T"], 1000));
/// Amounts in the base unit that stands in the data.
const kUnitTexts = {
  "B": bytes,
  "s": (v) => time(v * 1e9),
  "B/s": (v) => scaled(v, ["B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s"], 1000).join(" "),
  "Hz": (v) => scaled(v, ["Hz", "kHz", "MHz", "GHz", "THz"], 1000).join(" "),
  "FLOP/s": (v) => scaled(v, ["FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s"], 1000).join(" ")
};
const amountText = (unit) => kUnitTexts[unit] || ((v) => digits(v));
const percent = (share) => `${digits(share * 100, 3)} %`;
const plural = (n, word) => `${count(n)} ${word}${n === 1 ? "" : "s"}`;
/// What is measured of a whole run, by its key in summary.json.
const kRunQuantities = new Map(data.run_quantities.map((q) => [q.key, q]));
const wordsOf = (key) => kRunQuantities.get(key).words;
/// "mean packet latency, cycles"; words may end in their unit.
function withUnit(key) {
  const {words, unit} = kRunQuantities.get(key);
  return unit && !words.endsWith(unit) ? `${words}, ${unit}` : words;
}
/// The value of a dotted key, null where a summary has none.
const valueOf = (summary, key) => key.split(".").reduce((value, part) => value?.[part] ?? null, summary);
/// Nanoseconds of a cycle of the fabric's clock.
const cycleNs = (run) => (run.summary.cycles > 0 ? run.summary.time_ns / run.summary.cycles : 0);

// Colours ---------------------------------------------------------------------------------------------------------
// Lightness runs one way in both, away from the background, so that they can be told apart in grey, too.
const kScales = {
  light: ["#e3eaee", "#c4e2cf", "#7fcdbb", "#41b1c4", "#1d86c0", "#225ea8", "#0c2c84"],
  dark: ["#333c52", "#3b528b", "#2c728e", "#21918c", "#35b779", "#9fda3a", "#fde725"],
};
const kSeries = {
  light: ["#0072b2", "#c25100", "#00795a", "#a3387a", "#8a6a00", "#3a3a3a", "#2e8fc9", "#7d4a1c", "#7f8b98"],
  dark: ["#56b4e9", "#e69f00", "#3ccb9b", "#e38fc0", "#f0e442", "#d8d8d8", "#8fa6ff", "#c99a6b", "#8b97a3"],
};
/// Numbers of colours in a series that stand for the same thing wherever a run is shown.
const kColourOf = {
  compute: 0,
  collective: 1,
  communication: 1,
  link: 1,
  endpoint: 2,
  send: 2,
  memory: 3,
  load: 3,
  host: 4,
  credit: 5,
  idle: 5,
  injection: 6,
  receive: 6,
  operand: 6,
  switch: 7,
  store: 7,
  message: 8,
  chunk: 8,
  other: 8,
  mp: 2,
  dp: 7,
  pp: 6,
  all_reduce: 1,
  reduce_scatter: 2,
  all_gather: 3,
  all_to_all: 4,
  broadcast: 6,
  reduce: 7,
  barrier: 8
};
const kDashes = ["", "7 4", "2 3", "10 3 2 3", "5 2 1 2"];
let theme = "light";

const hex = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
const tables = {};
for (const [name, stops] of Object.entries(kScales)) {
  tables[name] = Array.from({length: 256}, (_, i) => {
    const at = (i / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const [a, b] = [hex(stops[low]), hex(stops[low + 1])];
    return `rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * (at - low))).join(",")})`;
  });
}
const scaleColour = (share) => tables[theme][Math.max(0, Math.min(255, Math.round(share * 255)))];
const seriesColour = (i) => kSeries[theme][i % kSeries[theme].length];
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Theme -----------------------------------------------------------------------------------------------------------
const themeListeners = [];
const onTheme = (listener) => {
  themeListeners.push(listener);
  listener();
};
const systemDark = matchMedia("(prefers-color-scheme: dark)");
let themeChoice = "system";

function applyTheme(forced) {
  theme = forced || (themeChoice === "system" ? (systemDark.matches ? "dark" : "light") : themeChoice);
  document.documentElement.dataset.theme = theme;
  for (const listener of themeListeners) listener();
}
function setTheme(choice) {
  themeChoice = choice;
  const words = {system: "as the system", light: "light", dark: "dark"}[choice];
  byId("theme").textContent = `Theme: ${words}`;
  byId("theme").setAttribute("aria-label", `Theme: ${words}; changes it`);
  applyTheme();
}
systemDark.addEventListener("change", () => applyTheme());
byId("theme").addEventListener("click", () => {
  setTheme({system: "dark", dark: "light", light: "system"}[themeChoice]);
});
byId("print").addEventListener("click", () => window.print());
// Paper is white.
addEventListener("beforeprint", () => applyTheme("light"));
addEventListener("afterprint", () => applyTheme());

// A small text at the pointer or at what has the focus --------------------------------------------------------------
function showTip(text, x, y) {
  const tip = byId("tip");
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + 18 + box.height > innerHeight ? Math.max(4, y - box.height - 10) : y + 18}px`;
}
const hideTip = () => {
  byId("tip").hidden = true;
};

const facts = (pairs) => html(
    "dl", {class: "facts"},
    pairs.filter((p) => p[1] !== null && p[1] !== undefined)
        .map(([k, v]) => [html("dt", {}, k), html("dd", {}, v)])
        .flat());
const card = (title, note, ...children) => html(
    "section", {class: "card"}, html("h3", {}, title), note ? html("p", {class: "note"}, note) : null, ...children);
