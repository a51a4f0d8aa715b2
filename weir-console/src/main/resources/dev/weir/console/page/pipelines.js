// The graph of pipelines, with a line for each topic between two pipelines. Each pipeline is right of its predecessors.

import { short } from "./graph.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 230, HEIGHT = 92, ACROSS = 130, DOWN = 26;

function part(parent, name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  parent.append(element);
  return element;
}

const cut = (text, most) => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);

/** Returns each pipeline's column: the length of the longest path to it. Cycles of topics are not followed forever. */
function columns(pipelines, edges) {
  const column = new Map(pipelines.map((each) => [each.key, 0]));
  for (let pass = 1; pass < pipelines.length; pass++) {
    let moved = false;
    for (const edge of edges) {
      const next = column.get(edge.from) + 1;
      if (next > column.get(edge.to) && next < pipelines.length) {
        column.set(edge.to, next);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return column;
}

export function drawPipelines(place, view, limits, ahead) {
  const column = columns(view.pipelines, view.edges);
  const rows = new Map();
  const boxes = new Map();
  for (const pipeline of view.pipelines) {
    const x = column.get(pipeline.key);
    const y = rows.get(x) ?? 0;
    rows.set(x, y + 1);
    boxes.set(pipeline.key, { x: 2 + x * (WIDTH + ACROSS), y: 2 + y * (HEIGHT + DOWN) });
  }
  const width = Math.max(3, Math.max(0, ...column.values()) + 1) * (WIDTH + ACROSS) - ACROSS + 4;
  const height = Math.max(1, ...rows.values()) * (HEIGHT + DOWN) - DOWN + 4;
  place.replaceChildren();
  place.setAttribute("viewBox", `0 0 ${width} ${height}`);
  place.style.maxWidth = `${width}px`;
  for (const edge of view.edges) {
    const from = boxes.get(edge.from), to = boxes.get(edge.to);
    const x1 = from.x + WIDTH, y1 = from.y + HEIGHT / 2, y2 = to.y + HEIGHT / 2;
    const bend = Math.max(40, (to.x - x1) / 2);
    part(place, "path", { class: "edge", d: `M ${x1} ${y1} C ${x1 + bend} ${y1} ${to.x - bend} ${y2} ${to.x} ${y2}` });
    part(place, "text", { class: "soft topic", x: (x1 + to.x) / 2, y: (y1 + y2) / 2 - 6, "text-anchor": "middle" }, cut(edge.topic, 18));
  }
  for (const pipeline of view.pipelines) {
    const { x, y } = boxes.get(pipeline.key);
    const silent = pipeline.answering < pipeline.members;
    part(place, "rect", { class: `box${limits.has(pipeline.key) ? " limits" : silent ? " silent" : ""}`, x, y, width: WIDTH, height: HEIGHT, rx: 6 });
    part(place, "text", { class: "name", x: x + 12, y: y + 22 }, cut(pipeline.name, 28));
    part(place, "text", { class: "soft", x: x + 12, y: y + 42 },
      `${pipeline.answering} of ${pipeline.members} members answer`);
    const lag = typeof pipeline.lag === "number" ? short(pipeline.lag) : "unknown";
    part(place, "text", { class: "soft", x: x + 12, y: y + 60 }, `lag ${lag}, work ahead: ${ahead(pipeline)}`);
    const limiter = typeof pipeline.limiter === "object" ? `${pipeline.limiter.kind}: ${pipeline.limiter.name}` : "limiter unknown";
    part(place, "text", { class: "soft", x: x + 12, y: y + 78 }, cut(limiter, 34));
  }
  place.setAttribute("aria-label", view.pipelines.map((each) => {
    const next = view.edges.filter((edge) => edge.from === each.key).map((edge) => `${edge.topic} to ${edge.to}`);
    return `${each.name}: ${ahead(each)} of work ahead${next.length ? `, writes ${next.join(", ")}` : ""}`;
  }).join("; "));
}
