// The table of partitions, and the strips that show the states of threads.

import { put, short } from "./graph.js";

const MOST_ROWS = 200;
const MOVES = ["running", "parked", "waiting", "sleeping", "blocked"];
const COLOURS = { running: "--running", parked: "--parked", waiting: "--waiting", sleeping: "--sleeping", blocked: "--monitor" };
const REASONS = {
  WINDOW: "window full", BUDGET: "memory budget full", USER: "paused by a user", NOT_DUE: "next record not due yet",
  STARTING: "position not known yet", UNREAD: "no pipeline reads it", END: "at the end",
  OPEN_TRANSACTION: "held up by an open transaction",
};

const seconds = (ms) => `${(ms / 1000).toFixed(ms < 10000 ? 1 : 0)} s`;

export class Partitions {
  constructor(body, more, onPause) {
    this.body = body;
    this.more = more;
    this.onPause = onPause;
    this.rows = new Map();
  }

  show(partitions) {
    const worst = [...partitions].sort((a, b) => b.lag - a.lag).slice(0, MOST_ROWS);
    const shown = worst.sort((a, b) => a.topic.localeCompare(b.topic) || a.partition - b.partition);
    const names = shown.map((each) => `${each.topic}-${each.partition}`);
    if (names.join("\n") !== [...this.rows.keys()].join("\n")) this.build(names);
    shown.forEach((each, i) => this.update(this.rows.get(names[i]), names[i], each));
    put(this.more, "text", partitions.length === 0 ? "No partition is assigned."
      : partitions.length > MOST_ROWS ? `The ${MOST_ROWS} with the largest lag of ${partitions.length}.` : "");
  }

  build(names) {
    this.rows.clear();
    const rows = names.map((name) => {
      const row = document.createElement("tr");
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = name;
      const cells = [1, 2, 3, 4].map(() => document.createElement("td"));
      const button = document.createElement("button");
      button.addEventListener("click", () =>
        this.onPause(`partition.${name}.paused`, button.getAttribute("aria-pressed") !== "true"));
      const last = document.createElement("td");
      last.append(button);
      row.append(head, ...cells, last);
      this.rows.set(name, { cells, button });
      return row;
    });
    this.body.replaceChildren(...rows);
  }

  update(row, name, each) {
    put(row.cells[0], "text", each.lag < 0 ? "not known" : short(each.lag));
    put(row.cells[1], "text", `${short(each.buffered + each.in_flight)} records`);
    put(row.cells[2], "text", each.paused.map((reason) => REASONS[reason] ?? reason).join(", "));
    put(row.cells[3], "text", each.oldest_unfinished_offset === undefined ? ""
      : `offset ${each.oldest_unfinished_offset}, ${seconds(each.oldest_unfinished_age_ms)}, ${each.oldest_unfinished_stage}`);
    const paused = each.paused.includes("USER");
    put(row.button, "text", paused ? "Resume" : "Pause");
    put(row.button, "aria-pressed", paused);
    put(row.button, "aria-label", `${paused ? "Resume" : "Pause"} ${name}`);
  }
}

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class Threads {
  constructor(place) {
    this.place = place;
    this.strips = new Map();
  }

  show(looks, dispatchers) {
    const minute = looks.slice(-60);
    const names = [...new Set(minute.flatMap((look) => look.threads.map((each) => each.dispatcher)))].sort();
    if (names.join("\n") !== [...this.strips.keys()].join("\n")) this.build(names);
    for (const name of names) this.draw(name, minute, dispatchers.find((each) => each.name === name));
  }

  build(names) {
    this.strips.clear();
    this.place.replaceChildren(...names.map((name) => {
      const row = document.createElement("div");
      row.className = "strip";
      const label = document.createElement("div");
      const title = document.createElement("span");
      const small = document.createElement("small");
      title.textContent = name;
      label.append(title, small);
      const canvas = document.createElement("canvas");
      canvas.width = 600;
      canvas.height = 42;
      canvas.setAttribute("role", "img");
      const axis = document.createElement("div");
      axis.className = "axis";
      const top = document.createElement("span");
      const bottom = document.createElement("span");
      bottom.textContent = "0";
      axis.append(top, bottom);
      row.append(label, canvas, axis);
      this.strips.set(name, { small, canvas, top });
      return row;
    }));
  }

  draw(name, minute, dispatcher) {
    const { small, canvas, top } = this.strips.get(name);
    const columns = minute.map((look) => look.threads.find((each) => each.dispatcher === name));
    const total = (column) => (column ? MOVES.reduce((sum, move) => sum + column[move], 0) : 0);
    const most = Math.max(1, ...columns.map(total));
    put(top, "text", most === 1 ? "1 thread" : `${short(most)} threads`);
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const width = canvas.width / 60;
    const first = 60 - columns.length;
    columns.forEach((column, i) => {
      let y = canvas.height;
      for (const move of column ? MOVES : []) {
        const height = (column[move] / most) * canvas.height;
        pen.fillStyle = colour(COLOURS[move]);
        pen.fillRect((first + i) * width, y - height, width - 1, height);
        y -= height;
      }
    });
    const now = columns.at(-1);
    const words = now ? MOVES.filter((move) => now[move] > 0).map((move) => `${now[move]} ${move}`).join(", ") : "no threads";
    const size = dispatcher && dispatcher.size ? ` of ${dispatcher.size}` : "";
    put(small, "text", `${words}${size}${dispatcher && dispatcher.queued > 0 ? `, ${dispatcher.queued} tasks wait` : ""}`);
    put(canvas, "aria-label", `threads of ${name}: ${words}`);
  }
}
