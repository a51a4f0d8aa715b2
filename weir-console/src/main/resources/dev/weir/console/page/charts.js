// Charts of rate, lag and resource usage over time. All have the same time axis, which the user chooses.

import { put, short } from "./graph.js";

const CHOICES = [["1 minute", 60], ["5 minutes", 300], ["15 minutes", 900], ["All", Infinity]];
const KEPT = 900;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; value >= 1000 && i < units.length - 1; i++) value /= 1000;
  return `${value.toFixed(i === 0 || value >= 100 ? 0 : 1)} ${units[i]}`;
}

const percent = (share) => `${Math.round(share * 100)} %`;

// Small charts: id, title, function for the value of a point, format of a value, smallest maximum of the scale, colour.
const SMALL = [
  { id: "cpu", title: "CPU of this process", value: (p) => p.cpu, words: percent, top: () => 1, colour: "--busy" },
  { id: "heap", title: "Heap used", value: (p) => p.heap, words: bytes, top: (state) => state?.heap?.max_bytes ?? 1, colour: "--starved" },
  { id: "allocation", title: "Allocated per second", value: (p) => p.allocated, words: bytes, top: () => 1, colour: "--parked" },
  { id: "collections", title: "Collections, ms per second", value: (p) => p.collected, words: (ms) => `${Math.round(ms)} ms`, top: () => 10, colour: "--blocked" },
];

const known = (values) => values.filter((value) => value !== null && value !== undefined && !Number.isNaN(value));

function fromLook(look, before) {
  return {
    at: Date.parse(look.at), rate: look.stages.at(-1)?.out_per_second ?? 0, lag: look.lag === undefined ? 0 : look.lag, cpu: look.cpu?.process_share,
    heap: look.heap?.used_bytes, allocated: look.allocation?.bytes_per_second,
    collected: before && look.collections && before.collections ? look.collections.ms - before.collections.ms : undefined,
  };
}

const time = (ms) => new Date(ms).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });

export class Charts {
  constructor(parts, askTrend) {
    this.parts = parts;
    this.askTrend = askTrend;
    this.points = [];
    this.past = [];
    this.seconds = 300;
    this.last = null;
    this.buttons = CHOICES.map(([name, seconds]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.addEventListener("click", () => this.choose(seconds));
      return button;
    });
    parts.choice.append(...this.buttons);
    this.small = SMALL.map((chart) => this.build(chart));
    this.mark();
  }

  build(chart) {
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    const canvas = document.createElement("canvas");
    canvas.width = 480;
    canvas.height = 64;
    canvas.setAttribute("role", "img");
    canvas.id = `chart-${chart.id}`;
    figure.append(caption, canvas);
    this.parts.small.append(figure);
    return { ...chart, caption, canvas };
  }

  choose(seconds) {
    this.seconds = seconds;
    this.mark();
    if (seconds === Infinity) this.fetchPast();
    this.draw();
  }

  mark() {
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", CHOICES[i][1] === this.seconds));
  }

  async fetchPast() {
    try {
      const { points = [] } = await this.askTrend();
      this.past = points.map(([at, rate, lag, cpu, heap, allocated, collected]) => ({ at, rate, lag, cpu, heap, allocated, collected }));
      this.fetchedAt = Date.now();
      this.draw();
    } catch {
      // Another part of the page reports that the process does not answer.
    }
  }

  restarted() {
    this.points = [];
    this.past = [];
    this.last = null;
  }

  add(looks) {
    for (const look of looks) {
      this.points.push(fromLook(look, this.last));
      this.last = look;
    }
    this.points = this.points.slice(-KEPT);
    if (this.seconds === Infinity && Date.now() - (this.fetchedAt ?? 0) > 10000) this.fetchPast();
    this.draw();
  }

  /** Returns the points on the chosen time axis. If the run is shorter, the axis begins at the start of the run. */
  shown() {
    if (this.seconds === Infinity) {
      const first = this.points[0]?.at ?? Infinity;
      return [...this.past.filter((point) => point.at < first), ...this.points];
    }
    const from = (this.points.at(-1)?.at ?? 0) - this.seconds * 1000;
    return this.points.filter((point) => point.at > from);
  }

  draw() {
    const points = this.shown();
    if (points.length === 0) return;
    const from = points[0].at;
    const span = Math.max(10000, points.at(-1).at - from);
    const rates = points.map((point) => point.rate);
    const lags = points.map((point) => point.lag);
    const { canvas, rateMost, lagMost, axis } = this.parts;
    clear(canvas);
    const lagMax = Math.max(0, ...known(lags));
    const lagTop = Math.max(1, lagMax);
    const rateTop = Math.max(1, ...rates);
    line(canvas, points, lags, lagTop, from, span, "--lag");
    line(canvas, points, rates, rateTop, from, span, "--busy");
    put(lagMost, "text", `${short(lagMax)} records`);
    put(rateMost, "text", `${short(rateTop)}/s`);
    put(axis.first, "text", time(from));
    put(axis.last, "text", time(from + span));
    put(canvas, "aria-label", `now ${short(rates.at(-1))} records per second and ${lags.at(-1) === null ? "an unknown lag" : `a lag of ${short(lags.at(-1))} records`};`
      + ` the highest of the last ${Math.round((points.at(-1).at - from) / 1000) + 1} seconds: ${short(Math.max(...rates))} and ${short(lagMax)}`);
    for (const chart of this.small) this.drawSmall(chart, points, from, span);
  }

  drawSmall(chart, points, from, span) {
    const values = points.map(chart.value);
    const some = known(values);
    clear(chart.canvas);
    const now = some.at(-1);
    const most = Math.max(...some);
    const words = some.length === 0 ? "not known" : `${chart.words(now)}, highest ${chart.words(most)}`;
    put(chart.caption, "text", `${chart.title}: ${words}`);
    put(chart.canvas, "aria-label", `${chart.title}: ${words}`);
    if (some.length > 0) {
      const full = chart.top(this.last);
      // If the heap is far from full, the scale ends near the largest value.
      const top = chart.id === "heap" ? (most * 4 > full ? full : most * 1.25) : Math.max(full, most);
      line(chart.canvas, points, values, top, from, span, chart.colour);
    }
  }
}

function clear(canvas) {
  canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
}

function line(canvas, points, values, top, from, span, name) {
  const pen = canvas.getContext("2d");
  pen.strokeStyle = colour(name);
  pen.lineWidth = 2;
  pen.beginPath();
  let isOn = false;
  values.forEach((value, i) => {
    if (value === null || value === undefined || Number.isNaN(value)) {
      isOn = false;
      return;
    }
    const x = ((points[i].at - from) / span) * (canvas.width - 2);
    const y = canvas.height - 4 - (value / top) * (canvas.height - 10);
    if (isOn) pen.lineTo(x, y);
    else pen.moveTo(x, y);
    isOn = true;
  });
  pen.stroke();
}
