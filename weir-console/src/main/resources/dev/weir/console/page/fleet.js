// The page of a fleet: the limiter of the fleet, the graph of pipelines, and a row for each pipeline and member.

import { follow, tellLost } from "./feed.js";
import { put, short } from "./graph.js";
import { login } from "./login.js";
import { drawPipelines } from "./pipelines.js";

const at = (id) => document.getElementById(id);
const known = (value, unit = "") => (typeof value === "number" ? `${short(value)}${unit}` : "unknown");

/** Formats a time in seconds, minutes or hours. */
function time(seconds) {
  if (seconds < 120) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return `${Math.round(seconds / 3600)} h`;
}

export function ahead(pipeline) {
  if (pipeline.stands_still) return "stands still";
  return typeof pipeline.delay_s === "number" ? time(pipeline.delay_s) : "unknown";
}

function cell(row, text, kind = "") {
  const element = document.createElement("td");
  element.textContent = text;
  if (kind) element.className = kind;
  row.append(element);
  return element;
}

function head(row, text, link) {
  const element = document.createElement("th");
  element.scope = "row";
  if (link) {
    const anchor = document.createElement("a");
    anchor.href = link;
    anchor.textContent = text;
    anchor.rel = "noreferrer";
    element.append(anchor);
  } else {
    element.textContent = text;
  }
  row.append(element);
}

function limiterCell(row, limiter, more) {
  const element = cell(row, typeof limiter === "object" && limiter ? `${limiter.kind}: ${limiter.sentence}` : "unknown", "limiter");
  if (more) {
    const small = document.createElement("small");
    small.textContent = more;
    element.append(small);
  }
}

function pipelineRow(pipeline, limits) {
  const row = document.createElement("tr");
  if (limits) row.className = "limits";
  head(row, pipeline.name);
  const silent = pipeline.members - pipeline.answering;
  cell(row, silent === 0 ? `${pipeline.members}` : `${pipeline.members}, ${silent} of them silent`);
  cell(row, known(pipeline.lag), "number");
  cell(row, ahead(pipeline), "number");
  cell(row, known(pipeline.in_per_second, "/s"), "number");
  cell(row, known(pipeline.out_per_second, "/s"), "number");
  const limiter = pipeline.limiter;
  limiterCell(row, limiter, typeof limiter === "object" ? `${limiter.members} of ${pipeline.answering} members say so` : "");
  return row;
}

function memberRow(member, isShared) {
  const row = document.createElement("tr");
  const name = member.url === "unknown" ? member.client_id : member.url.replace(/^https?:\/\//, "");
  head(row, isShared ? `${name} (${member.member_id})` : name, member.answers ? member.url : null);
  cell(row, member.pipeline_key);
  if (!member.answers) {
    row.className = "silent";
    const reason = cell(row, `does not answer: ${member.reason}`);
    reason.colSpan = 5;
    return row;
  }
  const health = member.live === false ? ", not live" : member.ready === false ? ", not ready"
    : member.progressing === false ? ", makes no progress" : "";
  cell(row, member.state + health);
  cell(row, known(member.partitions), "number");
  cell(row, known(member.lag), "number");
  cell(row, known(member.in_per_second, "/s"), "number");
  limiterCell(row, member.limiter);
  return row;
}

function figures(view) {
  const silent = view.members.filter((each) => !each.answers).length;
  const lags = view.pipelines.map((each) => each.lag);
  const lag = lags.every((each) => typeof each === "number") ? lags.reduce((sum, each) => sum + each, 0) : "unknown";
  const pairs = [["Pipelines", view.pipelines.length], ["Members", view.members.length], ["Silent", silent], ["Lag", known(lag)]];
  at("figures").replaceChildren(...pairs.map(([name, value]) => {
    const pair = document.createElement("div");
    const term = document.createElement("dt");
    const text = document.createElement("dd");
    term.textContent = name;
    text.textContent = value;
    pair.append(term, text);
    return pair;
  }));
}

function show(view) {
  at("trouble").hidden = true;
  put(at("fleet-state"), "text", view.starting ? "starting" : "running");
  if (view.starting) return;
  const limits = view.limits;
  put(at("fleet"), "text", view.groups.length > 0 ? view.groups.join(", ") : "Fleet");
  put(at("limiter"), "text", limits.sentence);
  put(at("advice"), "text", limits.advice ?? "");
  put(at("evidence"), "text", [...(limits.why ?? []), ...view.trouble].join(". "));
  figures(view);
  const named = new Set(limits.candidates);
  drawPipelines(at("graph"), view, named, ahead);
  at("no-edges").hidden = view.edges.length > 0 || view.pipelines.length < 2;
  at("pipelines").replaceChildren(...view.pipelines.map((each) => pipelineRow(each, named.has(each.key))));
  const times = new Map();
  for (const each of view.members) times.set(each.url, (times.get(each.url) ?? 0) + 1);
  at("members").replaceChildren(...view.members.map((each) => memberRow(each, each.member_id && times.get(each.url) > 1)));
}

follow({
  looks() {},
  state: show,
  restarted() {},
  lost: (error) => tellLost(error, at("fleet-state")),
  denied: login,
});
