// A profile: a table of stages, and three flame graphs. Used by the console and by the file of `weir profile --html`.

const ROW = 20;
const LEAST = 0.001;
const METHODS = 3;
// "Wall" is the time of all threads, whether they run or wait.
const COLUMNS = ["Stage", "CPU", "Top methods", "CPU self", "CPU total", "Wall self", "Wall total", "Allocated", "Waited"];
const GRAPHS = [
  ["cpu", "On CPU", "samples"],
  ["allocation", "Allocation", "bytes"],
  ["blocked", "Off CPU", "ms"],
];

const share = (part) => `${(part * 100).toFixed(1)} %`;
const amount = (value, unit) => unit === "bytes" ? bytes(value) : `${value.toLocaleString("en")} ${unit}`;

function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; value >= 1000 && i < units.length - 1; i++) value /= 1000;
  return `${value.toFixed(i === 0 ? 0 : 1)} ${units[i]}`;
}

function make(tag, text, ...inner) {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  element.append(...inner);
  return element;
}

const shortName = (name) => name.split(".").slice(-2).join(".");
const list = (lines) => make("ul", "", ...lines.map((line) => make("li", line)));

function table(profile) {
  const head = make("tr", "", ...COLUMNS.map((name) => {
    const cell = make("th", name);
    cell.scope = "col";
    return cell;
  }));
  const rows = profile.stages.map((stage) => {
    const name = make("th", stage.name);
    name.scope = "row";
    return make("tr", "", name, make("td", share(stage.cpu_share)),
      ...[(each) => shortName(each.method), (each) => share(each.self_share), (each) => share(each.total_share),
        (each) => amount(each.self_ms, "ms"), (each) => amount(each.total_ms, "ms")]
        .map((column) => make("td", "", list(stage.top.slice(0, METHODS).map(column)))),
      make("td", "", list([bytes(stage.allocated_bytes),
        ...stage.allocation.slice(0, METHODS).map((each) => `${shortName(each.class)}: ${bytes(each.bytes)}`)])),
      make("td", "", list(stage.blocked.slice(0, METHODS)
        .map((each) => `${each.kind} ${each.ms} ms in ${shortName(each.at)}`))));
  });
  const others = [["Weir itself", profile.engine_share], ["Kafka client", profile.client_share], ["Everything else", profile.other_share]]
    .map(([name, part]) => {
      const cell = make("th", name);
      cell.scope = "row";
      const rest = make("td");
      rest.colSpan = COLUMNS.length - 2;
      return make("tr", "", cell, make("td", share(part)), rest);
    });
  const made = make("table", "", make("thead", "", head), make("tbody", "", ...rows, ...others));
  made.className = "profile-table";
  const scroll = make("div", "", made);
  scroll.className = "profile-scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Stages");
  return scroll;
}

function colour(name) {
  let hash = 0;
  for (const letter of name.split(".").slice(0, -1).join(".") || name) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
  return `hsl(${hash} 60% 72%)`;
}

/** A flame graph, with the outermost frame on top. Arrow keys move between frames. Enter zooms in, Escape zooms out. */
class Flames {
  constructor(place, told) {
    this.place = place;
    this.told = told;
    place.className = "flame";
    place.setAttribute("role", "group");
    place.addEventListener("keydown", (event) => this.key(event));
  }

  show(root, unit, name) {
    this.unit = unit;
    this.root = this.link(root, null);
    this.place.setAttribute("aria-label", `${name}: flame graph; arrow keys walk, Enter zooms, Escape goes out`);
    this.zoom(this.root, this.root, false);
    this.told.textContent = root.v === 0 ? "Nothing was seen." : this.words(this.root);
  }

  link(data, parent) {
    const node = { name: data.n, value: data.v, parent, inner: [] };
    node.inner = (data.c ?? []).map((each) => this.link(each, node));
    return node;
  }

  words(node) {
    return `${node.name}: ${amount(node.value, this.unit)}, ${share(node.value / Math.max(1, this.root.value))}`;
  }

  zoom(node, focused, takeFocus) {
    this.zoomed = node;
    this.buttons = new Map();
    this.depth = 0;
    const outer = [];
    for (let each = node.parent; each; each = each.parent) outer.unshift(each);
    outer.forEach((each, i) => this.add(each, 0, 1, i));
    if (node.value > 0) this.draw(node, 0, 1, outer.length);
    this.place.replaceChildren(...this.buttons.values());
    this.place.style.height = `${(this.depth + 1) * ROW}px`;
    this.focus(this.buttons.has(focused) ? focused : node, takeFocus);
  }

  draw(node, left, width, depth) {
    this.add(node, left, width, depth);
    let at = left;
    for (const each of node.inner) {
      const part = width * each.value / Math.max(1, node.value);
      if (part >= LEAST) this.draw(each, at, part, depth + 1);
      at += part;
    }
  }

  add(node, left, width, depth) {
    const button = make("button", width > 0.03 ? shortName(node.name) : "");
    button.type = "button";
    button.tabIndex = -1;
    button.title = this.words(node);
    button.setAttribute("aria-label", this.words(node));
    button.style.left = `${left * 100}%`;
    button.style.width = `${width * 100}%`;
    button.style.top = `${depth * ROW}px`;
    button.style.backgroundColor = colour(node.name);
    button.addEventListener("click", () => this.zoom(node, node, true));
    button.addEventListener("mouseenter", () => { this.told.textContent = this.words(node); });
    button.addEventListener("focus", () => this.focus(node, false));
    this.depth = Math.max(this.depth, depth);
    this.buttons.set(node, button);
  }

  focus(node, take) {
    const before = this.buttons.get(this.focused);
    if (before) before.tabIndex = -1;
    this.focused = node;
    const button = this.buttons.get(node);
    if (!button) return;
    button.tabIndex = 0;
    this.told.textContent = this.words(node);
    if (take) button.focus();
  }

  key(event) {
    const at = this.focused;
    const siblings = at.parent ? at.parent.inner : [at];
    const i = siblings.indexOf(at);
    const to = { ArrowUp: at.parent, ArrowDown: at.inner[0], ArrowLeft: siblings[i - 1], ArrowRight: siblings[i + 1] };
    if (event.key === "Escape") this.zoom(this.zoomed.parent ?? this.root, at, true);
    else if (!(event.key in to)) return;
    else if (to[event.key] && this.buttons.has(to[event.key])) this.focus(to[event.key], true);
    event.preventDefault();
  }
}

/** Shows a profile in an element. Replaces the previous content of the element. */
export function showProfile(place, profile) {
  const summary = make("p", `${profile.samples.toLocaleString("en")} samples (${profile.sampler}) in ${profile.seconds.toFixed(1)} s`
    + (profile.lost > 0 ? `, ${profile.lost.toLocaleString("en")} lost` : ""));
  const choice = make("div", "", make("span", "Flame graph:"));
  choice.className = "flame-choice";
  choice.setAttribute("role", "group");
  choice.setAttribute("aria-label", "Flame graph");
  const told = make("p");
  told.className = "flame-told";
  told.setAttribute("aria-live", "polite");
  const canvas = make("div");
  const flames = new Flames(canvas, told);
  const buttons = GRAPHS.map(([key, name, unit]) => {
    const button = make("button", name);
    button.type = "button";
    button.addEventListener("click", () => {
      buttons.forEach((each) => each.setAttribute("aria-pressed", each === button));
      flames.show(profile.flames[key], unit, name);
    });
    return button;
  });
  choice.append(...buttons);
  place.replaceChildren(summary, table(profile), choice, told, canvas);
  buttons[0].click();
}
