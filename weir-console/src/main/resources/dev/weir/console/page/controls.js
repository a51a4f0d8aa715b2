// The controls of the running pipeline, and the changes so far.

import { ask, change } from "./feed.js";
import { put } from "./graph.js";

const WORDS = [
  [/^source\.paused$/, () => "Source"],
  [/^source\.rate$/, () => "Records a second that the source gives out, 0 for no limit"],
  [/^stage\.(.+)\.parallelism$/, (name) => `Elements at once in stage ${name}`],
  [/^dispatcher\.(.+)\.size$/, (name) => `Threads of dispatcher ${name}`],
  [/^breaker\.(.+)$/, (name) => `Circuit breaker ${name}`],
];

function words(key) {
  for (const [pattern, say] of WORDS) {
    const match = key.match(pattern);
    if (match) return say(match[1]);
  }
  return key;
}

export class Controls {
  constructor(place, answer, timeline) {
    this.place = place;
    this.answer = answer;
    this.timeline = timeline;
    this.knobs = new Map();
    this.changes = null;
  }

  async set(key, value) {
    try {
      const report = await change({ [key]: value });
      if (report.error) put(this.answer, "text", report.error);
      else if (report.accepted) put(this.answer, "text", `${key} is ${value} now`);
      else put(this.answer, "text", `refused: ${report.refused[0].reason}`);
      put(this.answer, "class", report.accepted ? "" : "refused");
    } catch {
      put(this.answer, "text", "the process does not answer");
    }
  }

  async showTimeline() {
    const { entries = [] } = await ask("/api/timeline");
    const items = entries.slice(-50).reverse().map((entry) => {
      const item = document.createElement("li");
      const at = new Date(entry.at).toLocaleTimeString();
      item.textContent = `${at} ${entry.key} = ${entry.value}, by ${entry.by}${entry.applied ? "" : `: refused, ${entry.reason}`}`;
      item.className = entry.applied ? "" : "refused";
      return item;
    });
    this.timeline.replaceChildren(...items);
  }

  /** @param changes the number of changes so far, by anyone; the timeline is read when it differs */
  show(knobs, changes) {
    if (changes !== this.changes) {
      this.changes = changes;
      this.showTimeline().catch(() => { this.changes = null; });
    }
    const keys = knobs.map((knob) => knob.key);
    if (keys.join("\n") !== [...this.knobs.keys()].join("\n")) this.build(knobs);
    for (const knob of knobs) this.knobs.get(knob.key)(knob);
  }

  build(knobs) {
    this.knobs.clear();
    this.place.replaceChildren(...knobs.map((knob) => {
      const row = document.createElement("form");
      row.className = "knob";
      row.addEventListener("submit", (event) => event.preventDefault());
      const update = typeof knob.value === "number" ? this.number(row, knob)
        : typeof knob.value === "boolean" ? this.toggle(row, knob) : this.breaker(row, knob);
      this.knobs.set(knob.key, update);
      return row;
    }));
  }

  number(row, knob) {
    const id = `knob-${knob.key}`;
    const label = document.createElement("label");
    label.htmlFor = id;
    label.textContent = words(knob.key);
    const input = document.createElement("input");
    input.type = "number";
    input.required = true; // an empty input would count as 0
    input.id = id;
    const button = document.createElement("button");
    button.textContent = "Set";
    const now = document.createElement("span");
    row.append(label, input, button, now);
    row.addEventListener("submit", () => this.set(knob.key, Number(input.value)));
    return (fresh) => {
      input.min = fresh.min;
      input.max = fresh.max;
      put(now, "text", fresh.key === "source.rate" ? `now ${fresh.value || "no limit"}`
        : `now ${fresh.value}, ${fresh.min} to ${fresh.max}`);
      if (document.activeElement !== input && input.value === "") input.value = fresh.value;
    };
  }

  toggle(row, knob) {
    const what = document.createElement("span");
    what.className = "what";
    what.textContent = words(knob.key);
    const button = document.createElement("button");
    row.append(what, button);
    row.addEventListener("submit", () => this.set(knob.key, button.getAttribute("aria-pressed") !== "true"));
    return (fresh) => {
      put(button, "text", fresh.value ? "Resume the source" : "Pause the source");
      put(button, "aria-pressed", fresh.value);
    };
  }

  breaker(row, knob) {
    const what = document.createElement("span");
    what.className = "what";
    const buttons = ["open", "closed"].map((state) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = state === "open" ? "Open" : "Close";
      button.addEventListener("click", () => this.set(knob.key, state));
      return button;
    });
    row.append(what, ...buttons);
    return (fresh) => put(what, "text", `${words(knob.key)}: ${fresh.value}`);
  }
}
