// Requests to the console. Events are read with fetch, because an EventSource cannot send a token.

let token = sessionStorage.getItem("weir-token");

/** An answer that refuses the request, with the reason as its message. */
class Refusal extends Error {}

let lostSince = "";

/** Shows on the page that no readings arrive, and why. */
export function tellLost(error, badge) {
  const trouble = document.getElementById("trouble");
  if (trouble.hidden) lostSince = new Date().toLocaleTimeString();
  const isRefused = error instanceof Refusal;
  const text = `${isRefused ? `The console has sent no readings since ${lostSince}: ${error.message}`
    : `The process has not answered since ${lostSince}`}. Trying again each second.`;
  if (trouble.textContent !== text) trouble.textContent = text;
  trouble.hidden = false;
  badge.textContent = isRefused ? "no readings" : "not reachable";
}

export function setToken(text) {
  token = text;
  sessionStorage.setItem("weir-token", text);
}

function headers(more) {
  return token ? { ...more, Authorization: `Bearer ${token}` } : more;
}

export async function ask(path) {
  const answer = await fetch(path, { headers: headers({}) });
  return answer.json();
}

export async function change(settings) {
  const answer = await fetch("/api/control", {
    method: "POST",
    headers: headers({ "Content-Type": "application/json" }),
    body: JSON.stringify({ set: settings }),
  });
  return answer.json();
}

/** Parses one event of the stream, given its lines without the final empty line. */
function parse(block) {
  const event = { name: "message", id: null, data: "" };
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    const field = line.slice(0, colon);
    const value = line.slice(colon + 1).trimStart();
    if (field === "event") event.name = value;
    else if (field === "id") event.id = value;
    else if (field === "data") event.data += value;
  }
  return event;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Follows the events forever. Calls on.looks, on.state, on.lost, on.denied and on.restarted. */
export async function follow(on) {
  let last = null;
  for (;;) {
    try {
      if (last !== null && (await ask("/api/state")).look < Number(last)) {
        // Another process now answers at this address, and its readings are numbered from 1 again.
        last = null;
        on.restarted();
      }
      const answer = await fetch("/api/events", { headers: headers(last ? { "Last-Event-ID": last } : {}) });
      if (answer.status === 401) {
        await on.denied();
        continue;
      }
      if (!answer.ok) throw new Refusal((await answer.json()).error);
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        rest += value;
        const blocks = rest.split("\n\n");
        rest = blocks.pop();
        const looks = [];
        for (const block of blocks) {
          const event = parse(block);
          if (event.name === "state") {
            // First deliver the readings before this state.
            if (looks.length > 0) on.looks(looks.splice(0));
            on.state(JSON.parse(event.data));
          } else if (event.id !== null) {
            last = event.id;
            looks.push(JSON.parse(event.data));
          }
        }
        if (looks.length > 0) on.looks(looks);
      }
    } catch (error) {
      on.lost(error);
    }
    await pause(1000);
  }
}
