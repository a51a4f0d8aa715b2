// The graph of stages: boxes from left to right, in as many rows as necessary.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 210, HEIGHT = 104, GAP = 44, DOWN = 46, BAR = WIDTH - 24;

export function short(n) {
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)} M`;
  if (n >= 1e4) return `${(n / 1e3).toFixed(0)} k`;
  // A rate below one per second must not be shown as 0.
  if (n > 0 && n < 9.95 && !Number.isInteger(n)) return `${Number(n.toPrecision(2))}`;
  return Math.round(n).toLocaleString("en");
}

/** Formats a time, given in microseconds. */
export function micros(us) {
  if (us >= 1e6) return `${(us / 1e6).toFixed(1)} s`;
  if (us >= 1e3) return `${(us / 1e3).toFixed(us >= 1e4 ? 0 : 1)} ms`;
  return us >= 1 ? `${us.toFixed(us >= 10 ? 0 : 1)} µs` : `${Math.round(us * 1000)} ns`;
}

/** Kinds of findings whose name says only where most of the work is done, if anywhere. */
export const NO_LIMITS = ["arrival", "source-idle", "measuring"];

export const percent = (share) => `${Math.round(share * 100)} %`;

function part(parent, name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

/** The path of the line from the last box of a row to the first box of the next row. */
const below = (perRow) =>
  `M ${(perRow - 1) * (WIDTH + GAP) + WIDTH / 2} ${2 - DOWN} V ${-DOWN / 2} H ${WIDTH / 2} V -2`;

/** Sets the text or an attribute of an element, if it has changed. */
export function put(element, key, value) {
  const text = String(value);
  if (key === "text") {
    if (element.textContent !== text) element.textContent = text;
  } else if (element.getAttribute(key) !== text) {
    element.setAttribute(key, text);
  }
}

export class Graph {
  constructor(place) {
    this.place = place;
    this.boxes = new Map();
    this.shape = "";
  }

  show(stages, limiter) {
    const perRow = Math.max(1, Math.floor((this.place.clientWidth + GAP) / (WIDTH + GAP)));
    const shape = `${perRow} ${stages.map((stage) => stage.name).join("\n")}`;
    if (shape !== this.shape && stages.length === 0) this.place.replaceChildren();
    else if (shape !== this.shape) this.build(stages, perRow);
    this.shape = shape;
    const most = Math.max(1, ...stages.map((stage) => stage.out_per_second));
    for (const stage of stages) this.update(this.boxes.get(stage.name), stage, most, limiter);
  }

  build(stages, perRow) {
    const rows = Math.ceil(stages.length / perRow);
    const svg = document.createElementNS(SVG, "svg");
    const width = perRow * (WIDTH + GAP) - GAP;
    svg.setAttribute("viewBox", `-2 -2 ${width + 4} ${rows * (HEIGHT + DOWN) - DOWN + 4}`);
    svg.setAttribute("role", "list");
    svg.setAttribute("aria-label", "Stages in the order of the flow");
    this.boxes.clear();
    stages.forEach((stage, i) => {
      const x = (i % perRow) * (WIDTH + GAP);
      const y = Math.floor(i / perRow) * (HEIGHT + DOWN);
      const group = part(svg, "g", { role: "listitem", transform: `translate(${x} ${y})` });
      const middle = HEIGHT / 2;
      const edge = i === 0 ? null
        : i % perRow !== 0
          ? part(group, "path", { class: "edge", d: `M ${-GAP + 2} ${middle} H -2` })
          : part(group, "path", { class: "edge", d: below(perRow) });
      const box = {
        group, edge,
        frame: part(group, "rect", { class: "box", width: WIDTH, height: HEIGHT, rx: 7 }),
        name: part(group, "text", { class: "name", x: 12, y: 23 }),
        lanes: part(group, "text", { class: "soft", x: WIDTH - 12, y: 23, "text-anchor": "end" }),
        rate: part(group, "text", { x: 12, y: 68 }),
        depth: part(group, "text", { class: "soft", x: WIDTH - 12, y: 68, "text-anchor": "end" }),
        shares: part(group, "text", { class: "soft", x: 12, y: 90 }),
        each: part(group, "text", { class: "soft", x: WIDTH - 12, y: 90, "text-anchor": "end" }),
      };
      box.bars = ["busy", "starved", "blocked", "idle"]
        .map((kind) => part(group, "rect", { class: kind, y: 34, height: 13, x: 12, width: 0 }));
      this.boxes.set(stage.name, box);
    });
    this.place.replaceChildren(svg);
  }

  update(box, stage, most, limiter) {
    const shares = [stage.busy_share, stage.blocked_up_share, stage.blocked_down_share];
    const sum = Math.max(1, shares.reduce((a, b) => a + b, 0));
    const all = [...shares.map((share) => share / sum), Math.max(0, 1 - shares.reduce((a, b) => a + b, 0))];
    let x = 12;
    box.bars.forEach((bar, i) => {
      const width = all[i] * BAR;
      put(bar, "x", x.toFixed(1));
      put(bar, "width", width.toFixed(1));
      x += width;
    });
    const name = stage.name.length > 19 ? `${stage.name.slice(0, 18)}…` : stage.name;
    put(box.name, "text", name);
    put(box.lanes, "text", stage.parallelism > 1 ? `× ${stage.parallelism}` : "");
    put(box.rate, "text", `${short(stage.out_per_second)}/s`);
    put(box.depth, "text", stage.depth > 0 ? `${short(stage.depth)} inside` : "");
    const limits = limiter !== null && limiter.name === stage.name && !NO_LIMITS.includes(limiter.kind);
    // The threads of a waiting limiter do not compute, so they are not called "busy". A throttle occupies no threads.
    const work = limits && limiter.kind === "stage-wait" && shares[0] >= 0.1 ? "waits" : "busy";
    put(box.shares, "text", `${work} ${percent(shares[0])}`);
    put(box.each, "text", stage.time_per_record_us === undefined ? "" : `${micros(stage.time_per_record_us)} each`);
    put(box.frame, "class", limits ? "box limits" : "box");
    if (box.edge) put(box.edge, "stroke-width", (1.5 + 9 * (stage.in_per_second / most)).toFixed(1));
    put(box.group, "aria-label", `${stage.name}: ${short(stage.out_per_second)} per second, ${stage.parallelism} at once, `
      + `${work} ${percent(shares[0])}, starved ${percent(shares[1])}, blocked ${percent(shares[2])}, `
      + `${stage.time_per_record_us === undefined ? "" : `${micros(stage.time_per_record_us)} for each record, `}${stage.depth} inside${limits ? "; it limits the pipeline" : ""}`);
  }
}
