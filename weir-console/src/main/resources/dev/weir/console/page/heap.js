// The live heap by class, shown on request.

import { ask } from "./feed.js";
import { put } from "./graph.js";
import { bytes } from "./charts.js";

export function offerHeap(button, told, place) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    put(told, "text", "Counting …");
    try {
      const heap = await ask("/api/heap");
      place.replaceChildren();
      if (heap.error) put(told, "text", heap.error);
      else if (!heap.available) put(told, "text", `Not available: ${heap.reason}.`);
      else {
        put(told, "text", `${bytes(heap.bytes)} live at ${new Date().toLocaleTimeString()}; the ${heap.classes.length} classes with the most.`);
        place.append(table(heap));
      }
    } catch {
      put(told, "text", "The process does not answer.");
    } finally {
      button.disabled = false;
    }
  });
}

function cell(tag, text) {
  const made = document.createElement(tag);
  made.textContent = text;
  return made;
}

function table(heap) {
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  for (const name of ["Class", "Bytes", "Share", "Objects"]) {
    const made = cell("th", name);
    made.scope = "col";
    head.append(made);
  }
  const body = made.createTBody();
  for (const each of heap.classes) {
    const row = body.insertRow();
    const name = cell("th", each.class);
    name.scope = "row";
    row.append(name, cell("td", bytes(each.bytes)), cell("td", `${((100 * each.bytes) / Math.max(1, heap.bytes)).toFixed(1)} %`),
      cell("td", each.objects.toLocaleString("en")));
  }
  return made;
}
