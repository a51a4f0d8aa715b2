// The page of a benchmark's console. It is updated with the figures of every second, and sends commands to the run.

import { change, follow, tellLost } from "./feed.js";
import { put, short } from "./graph.js";
import { login } from "./login.js";

const KEPT = 900;
const at = (id) => document.getElementById(id);
let seconds = [];
let told = 0;

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const millis = (value) => (value === null || value === undefined ? "-" : `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en")} ms`);
const count = (value, unit = "") => (value === null || value === undefined ? "-" : `${short(value)}${unit}`);
const known = (values) => values.filter((value) => value !== null && value !== undefined);

/** Draws groups of lines and returns the upper end of each group's scale. An unknown value interrupts its line. */
function draw(canvas, groups) {
  const pen = canvas.getContext("2d");
  pen.clearRect(0, 0, canvas.width, canvas.height);
  return groups.map((group) => {
    const most = Math.max(1, ...group.flatMap((line) => known(line.values)));
    for (const { values, name } of group) {
      pen.strokeStyle = colour(name);
      pen.lineWidth = 2;
      pen.beginPath();
      let isOn = false;
      values.forEach((value, i) => {
        if (value === null || value === undefined) {
          isOn = false;
          return;
        }
        const x = canvas.width - (values.length - 1 - i) * (canvas.width / KEPT);
        const y = canvas.height - 4 - (value / most) * (canvas.height - 10);
        if (isOn) pen.lineTo(x, y);
        else pen.moveTo(x, y);
        isOn = true;
      });
      pen.stroke();
    }
    return most;
  });
}

function charts() {
  const of = (name) => seconds.map((figures) => figures[name]);
  const [lagMost, rateMost] = draw(at("rates"), [
    [{ values: of("lag"), name: "--lag" }],
    [{ values: of("planned_per_second"), name: "--starved" }, { values: of("handled"), name: "--busy" }],
  ]);
  const [latencyMost] = draw(at("latency"), [[{ values: of("p99_ms"), name: "--blocked" }, { values: of("p50_ms"), name: "--busy" }]]);
  const now = seconds.at(-1);
  if (!now) return;
  put(at("rate-most"), "text", `${short(rateMost)}/s`);
  put(at("lag-most"), "text", `${short(lagMost)} records`);
  put(at("latency-most"), "text", millis(latencyMost));
  put(at("rates"), "aria-label", `now ${count(now.handled)} records handled per second of ${count(now.planned_per_second)} planned, and a lag of ${count(now.lag)};`
    + ` the highest lag of the last ${seconds.length} seconds: ${short(Math.max(0, ...known(of("lag"))))}`);
  put(at("latency"), "aria-label", `now a median of ${millis(now.p50_ms)} and a 99th percentile of ${millis(now.p99_ms)};`
    + ` the highest of the last ${seconds.length} seconds: ${millis(Math.max(0, ...known(of("p99_ms"))))}`);
}

/** Draws the fetch charts. They are hidden for drivers that do not use Kafka's clients and thus report no fetches. */
function fetching() {
  const of = (name) => seconds.map((figures) => figures[name]);
  const names = ["fetch_ms", "records_per_fetch", "records_per_poll_max"];
  at("fetching").hidden = !names.some((name) => known(of(name)).length > 0);
  const [fetchMost, recordsMost] = draw(at("fetches"), [
    [{ values: of("fetch_ms"), name: "--lag" }],
    [{ values: of("records_per_fetch"), name: "--busy" }, { values: of("records_per_poll_max"), name: "--starved" },
      { values: of("records_per_poll_p50"), name: "--blocked" }],
  ]);
  const now = seconds.at(-1) ?? {};
  put(at("fetch-most"), "text", millis(fetchMost));
  put(at("per-fetch-most"), "text", `${short(recordsMost)} records`);
  put(at("fetches"), "aria-label", `now ${count(now.records_per_fetch)} records per fetch, which takes ${millis(now.fetch_ms)};`
    + ` polls return ${count(now.records_per_poll_p50)} records by the median and ${count(now.records_per_poll_max)} at most`);
}

function figures(state) {
  const now = state.figures;
  const pairs = now.handled === undefined ? [] : [
    ["Planned", count(now.planned_per_second, "/s")], ["Sent", count(now.sent, "/s")], ["Handled", count(now.handled, "/s")],
    ["Lag", count(now.lag, " records")], ["Median", millis(now.p50_ms)], ["p99", millis(now.p99_ms)],
    ["Consumers", now.consumers ?? "-"], ["A handler blocks", now.work_ms === null || now.work_ms === undefined ? "-" : `${now.work_ms} ms`],
    ...[["Fetch", now.fetch_ms, millis], ["Records per fetch", now.records_per_fetch, short],
      ["Records per poll, median", now.records_per_poll_p50, short], ["Most", now.records_per_poll_max, short],
      ["Empty polls", now.empty_polls_percent, (value) => `${Math.round(value)} %`]]
      .filter(([, value]) => value !== null && value !== undefined).map(([name, value, shown]) => [name, shown(value)]),
  ];
  const list = at("figures");
  if (list.children.length !== pairs.length) {
    list.replaceChildren(...pairs.map(() => {
      const pair = document.createElement("div");
      pair.append(document.createElement("dt"), document.createElement("dd"));
      return pair;
    }));
  }
  pairs.forEach(([name, value], i) => {
    put(list.children[i].children[0], "text", name);
    put(list.children[i].children[1], "text", String(value));
  });
}

function notes(lines) {
  const list = at("notes");
  if (list.dataset.count === String(lines.length) && list.firstChild?.textContent === lines.at(-1)) return;
  list.dataset.count = lines.length;
  list.replaceChildren(...[...lines].reverse().map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
}

function show(state) {
  at("trouble").hidden = true;
  put(at("pipeline"), "text", state.pipeline);
  put(at("run-state"), "text", state.state);
  put(at("doing"), "text", state.doing || "Nothing is run yet");
  figures(state);
  notes(state.notes);
  for (const control of state.controls) {
    const input = document.querySelector(`form[data-key="${control.key}"] input`);
    if (input && document.activeElement !== input && input.value === "") input.value = control.value;
  }
}

async function order(key, value) {
  put(at("answer"), "text", `${key} ${value} is being done …`);
  put(at("answer"), "class", "");
  try {
    const report = await change({ [key]: value });
    const done = report.accepted ? Object.entries(report.applied).map(([name, what]) => `${name}: ${what}`).join(", ") : "";
    put(at("answer"), "text", report.error ?? (report.accepted ? done : `refused: ${report.refused[0].reason}`));
    put(at("answer"), "class", report.accepted ? "" : "refused");
  } catch {
    put(at("answer"), "text", "the process does not answer");
  }
}

for (const form of document.querySelectorAll("form[data-key]")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    order(form.dataset.key, form.querySelector("input")?.value ?? "true");
  });
}
at("client").addEventListener("submit", (event) => {
  event.preventDefault();
  order(`client.${at("property").value}`, at("property-value").value);
});
at("fault").addEventListener("submit", (event) => {
  event.preventDefault();
  order(at("kind").value, at("fault-value").value);
});
const EXAMPLES = { join: "1", leave: "1", rebalance: "true", kill: "1", freeze: "1 for 10s", cut: "1 for 5s", silence: "1 for 5s",
  delay: "200ms for 10s", "lose-broker": "1 for 3s", "fill-disk": "1 for 5s", "slow-disk": "1 by 50ms for 5s", backlog: "5s" };
at("kind").addEventListener("change", () => {
  at("fault-value").value = EXAMPLES[at("kind").value];
});

follow({
  looks(fresh) {
    for (const look of fresh) {
      // Each note also arrives as a reading, which repeats the figures of the previous second. Skip such readings.
      if (look.second > told) seconds.push(look.figures);
      told = look.second;
    }
    seconds = seconds.slice(-KEPT);
    charts();
    fetching();
  },
  state: show,
  restarted() {
    seconds = [];
    told = 0;
  },
  lost: (error) => tellLost(error, at("run-state")),
  denied: login,
});
