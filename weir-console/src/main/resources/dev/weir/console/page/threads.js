// A row for each thread with its states over the last minute, below the strip of its dispatcher.

import { put } from "./graph.js";

const WORDS = { R: "running", P: "parked", W: "waiting", S: "sleeping", B: "blocked" };
const COLOURS = { R: "--running", P: "--parked", W: "--waiting", S: "--sleeping", B: "--monitor" };
const SECONDS = 60;
const OPEN_ROWS = 16;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export class ThreadRows {
  constructor(place) {
    this.place = place;
    this.groups = new Map();
  }

  /** Shows all threads of a reading. Entries without a name are sums of several threads. */
  show(threads) {
    const rows = threads.filter((each) => each.name !== undefined);
    const names = [...new Set(rows.map((row) => row.dispatcher))];
    for (const name of [...this.groups.keys()]) {
      if (!names.includes(name)) {
        this.groups.get(name).details.remove();
        this.groups.delete(name);
      }
    }
    names.forEach((name, i) => {
      const own = rows.filter((row) => row.dispatcher === name);
      const group = this.groups.get(name) ?? this.build(name, own);
      if (this.place.children[i] !== group.details) this.place.insertBefore(group.details, this.place.children[i] ?? null);
      this.update(group, own);
    });
  }

  build(name, own) {
    const details = document.createElement("details");
    details.open = own[0].kind === "dispatcher" && own.length <= OPEN_ROWS;
    const summary = document.createElement("summary");
    const list = document.createElement("div");
    details.append(summary, list);
    details.addEventListener("toggle", () => this.update(this.groups.get(name), this.groups.get(name).own));
    const group = { name, details, summary, list, own, rows: [] };
    this.groups.set(name, group);
    return group;
  }

  update(group, own) {
    group.own = own;
    const isDispatcher = own[0].kind === "dispatcher";
    put(group.summary, "text", `${isDispatcher ? "Dispatcher " : ""}${group.name}: ${own.length} ${own.length === 1 ? "thread" : "threads"}`);
    if (!group.details.open) return;
    while (group.rows.length < own.length) group.rows.push(this.row(group.list));
    while (group.rows.length > own.length) group.rows.pop().row.remove();
    own.forEach((thread, i) => this.draw(group.rows[i], thread));
  }

  row(list) {
    const row = document.createElement("div");
    row.className = "thread";
    const name = document.createElement("span");
    const canvas = document.createElement("canvas");
    canvas.width = 600;
    canvas.height = 14;
    canvas.setAttribute("role", "img");
    const now = document.createElement("small");
    row.append(name, canvas, now);
    list.append(row);
    return { row, name, canvas, now };
  }

  draw({ name, canvas, now }, thread) {
    put(name, "text", thread.name);
    put(name, "title", thread.name);
    const states = thread.states.slice(-SECONDS);
    const pen = canvas.getContext("2d");
    pen.clearRect(0, 0, canvas.width, canvas.height);
    const width = canvas.width / SECONDS;
    const first = SECONDS - states.length;
    [...states].forEach((letter, i) => {
      if (!(letter in COLOURS)) return;
      pen.fillStyle = colour(COLOURS[letter]);
      pen.fillRect((first + i) * width, 0, width - 1, canvas.height);
    });
    const word = WORDS[states.at(-1)] ?? "gone";
    const cpu = thread.cpu_share === undefined ? "" : `, ${Math.round(thread.cpu_share * 100)} % CPU`;
    put(now, "text", `${word}${cpu}`);
    put(canvas, "aria-label", `${thread.name}: ${word}`);
  }
}
