// The page of a pipeline's console. It is updated with one reading per second.

import { ask, follow, tellLost } from "./feed.js";
import { login } from "./login.js";
import { Graph, percent, put, short } from "./graph.js";
import { Partitions, Threads } from "./parts.js";
import { Charts } from "./charts.js";
import { ThreadRows } from "./threads.js";
import { offerHeap } from "./heap.js";
import { Controls } from "./controls.js";
import { offerProfile } from "./profiling.js";

// The number of readings that the thread strips show.
const KEPT = 60;

const at = (id) => document.getElementById(id);

const graph = new Graph(at("graph"));
const controls = new Controls(at("knobs"), at("answer"), at("timeline"));
const partitions = new Partitions(at("partitions"), at("more-partitions"), (key, value) => controls.set(key, value));
const threads = new Threads(at("threads"));
const threadRows = new ThreadRows(at("thread-rows"));
const charts = new Charts({
  choice: at("axis-choice"), canvas: at("rates"), rateMost: at("rate-most"), lagMost: at("lag-most"),
  axis: { first: at("axis-first"), last: at("axis-last") }, small: at("small-charts"),
}, () => ask("/api/trend"));
let looks = [];

// Headlines without numbers, by kind of limiter. For other kinds, the headline is the kind's name.
const LIMITS = {
  "arrival": () => "Nothing limits: all that arrives is done",
  "source-idle": () => "Nothing to do: no readable records are waiting",
  "source-broker": (name) => `Limited by the brokers of ${name}`,
  "source-fetch": (name) => `Limited by the fetching of ${name}`,
  "source-decode": (name) => `Limited by the decoding of ${name}`,
  "measuring": () => "Measuring",
  "stage-cpu": (name) => `Limited by stage ${name}, which computes`,
  "stage-wait": (name) => `Limited by stage ${name}, which waits`,
  "dispatcher": (name) => `Limited by dispatcher ${name}: too few threads`,
  "key-skew": (name) => `Limited by one key in stage ${name}`,
  "one-partition": (name) => `Limited by partition ${name}`,
  "window": (name) => `Limited by the window of ${name}`,
  "byte-budget": (name) => `Limited by the byte budget of ${name}`,
  "producer": (name) => `Limited by the producer of stage ${name}`,
  "output-broker": (name) => `Limited by the brokers that stage ${name} writes to`,
  "commit": (name) => `Limited by the commits of ${name}`,
  "gc": () => "Limited by the garbage collector",
  "machine-cpu": () => "Limited by the machine's processors",
};

function waitsFor(state) {
  if (!state.partitions) return "The source has given out nothing since the pipeline started.";
  if (state.partitions.length === 0) return "No partition is assigned to this process yet.";
  const lag = state.partitions.reduce((sum, each) => sum + Math.max(0, each.lag), 0);
  return lag > 0 ? `${short(lag)} records wait at the brokers.` : "The partitions have none that are unread.";
}

function headline(state) {
  // If the limiter explains why there are no records, for example because brokers do not answer, it is shown instead.
  if (state.phase === "no-records-yet" && (!state.limiter || ["source-idle", "arrival"].includes(state.limiter.kind))) {
    put(at("limiter"), "text", "No records yet");
    put(at("advice"), "text", state.reason ? `Because: ${state.reason}` : waitsFor(state));
    put(at("evidence"), "text", "");
    return;
  }
  put(at("evidence"), "text", state.limiter ? `Seen by: ${state.limiter.sentence}` : "");
  if (state.limiter) {
    const words = LIMITS[state.limiter.kind] ?? ((name) => `Limited by ${state.limiter.kind}: ${name}`);
    put(at("limiter"), "text", words(state.limiter.name));
    const gain = state.limiter.expected_gain >= 1.05 ? ` (expected: ${state.limiter.expected_gain.toFixed(1)} times the rate)` : "";
    const measured = state.limiter.measured_gain ? `; the change before: ${state.limiter.measured_gain.toFixed(1)} times the rate` : "";
    put(at("advice"), "text", `Next: ${state.limiter.advice}${gain}${measured}`);
    return;
  }
  const paused = state.controls.some((knob) => knob.key === "source.paused" && knob.value === true);
  const busiest = [...state.stages].sort((a, b) => b.busy_share - a.busy_share)[0];
  put(at("limiter"), "text", state.state === "starting" ? state.step ?? "The pipeline is starting"
    : !state.running ? "The pipeline has ended"
      : paused ? "The source is paused"
        : state.reason ? state.reason
          : busiest ? `Busiest stage: ${busiest.name}, ${percent(busiest.busy_share)} busy` : "There are no stages");
  put(at("advice"), "text", paused ? "Next: resume it below" : "");
}

// Returns the stages with their recent rates, which cover the same seconds as the shares and the limiter.
const judged = (stages) => stages.map((stage) =>
  ({ ...stage, in_per_second: stage.recent_in_per_second, out_per_second: stage.recent_out_per_second }));

function figures(state, stages) {
  const rate = (stage) => `${short(stage?.out_per_second ?? 0)}/s`;
  const known = (state.partitions ?? []).filter((each) => each.lag >= 0);
  const lag = known.reduce((sum, each) => sum + each.lag, 0);
  const fall = state.figures.lag_fall_per_second ?? NaN;
  const oldest = Math.max(0, ...(state.partitions ?? []).map((each) => each.oldest_unfinished_age_ms ?? 0));
  const pairs = [
    ["In", rate(stages[0])],
    ["Out", rate(stages.at(-1))],
  ];
  if (state.partitions) {
    const isKnown = known.length > 0 || state.partitions.length === 0;
    pairs.push(["Lag", isKnown ? `${short(lag)} records` : "not known"]);
    pairs.push(["Lag gone in", !isKnown ? "not known" : lag === 0 ? "now" : Number.isNaN(fall) ? "not known"
      : fall > 0 ? `${short(lag / fall)} s` : "not at this rate"]);
    pairs.push(["Oldest unfinished", `${(oldest / 1000).toFixed(1)} s`]);
    pairs.push(["Rebalances", state.rebalances]);
  }
  const seconds = Math.round(state.figures.seconds);
  put(at("interval"), "text", seconds === 0 ? "" : `What limits, the rates and the stages: the last ${seconds} s. Lag and oldest record: now.`);
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
    put(list.children[i].children[1], "text", value);
  });
}

function show(state) {
  at("trouble").hidden = true;
  put(at("pipeline"), "text", state.pipeline || "Weir");
  put(at("run-state"), "text", state.phase === "no-records-yet" ? "no records yet" : state.state);
  headline(state);
  document.querySelector("main").hidden = state.state === "starting"; // Empty charts would look like an idle pipeline.
  const stages = judged(state.stages);
  figures(state, stages);
  graph.show(stages, state.limiter);
  partitions.show(state.partitions ?? []);
  controls.show(state.controls, state.changes);
  threadRows.show(state.threads);
}

at("log-form").addEventListener("submit", (event) => {
  event.preventDefault();
  controls.set(`log.${at("logger").value}`, at("level").value);
});

offerProfile(at("record"), at("recording"), at("profile"));
offerHeap(at("count-heap"), at("heap-told"), at("heap"));

follow({
  looks(fresh) {
    looks = looks.concat(fresh).slice(-KEPT);
    charts.add(fresh);
    threads.show(looks, fresh.at(-1).dispatchers);
  },
  state: show,
  restarted() {
    looks = [];
    charts.restarted();
    controls.changes = null;
  },
  lost: (error) => tellLost(error, at("run-state")),
  denied: login,
});
