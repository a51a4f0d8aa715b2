// Records a profile when the user presses a button, and then shows its table and flame graphs.

import { ask } from "./feed.js";
import { put } from "./graph.js";
import { showProfile } from "./profile.js";

const SECONDS = 10;

export function offerProfile(button, told, place) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    put(told, "text", `Recording for ${SECONDS} s; the pipeline goes on.`);
    try {
      const profile = await ask(`/api/profile?seconds=${SECONDS}`);
      put(told, "text", profile.error ?? `Recorded at ${new Date().toLocaleTimeString()}.`);
      if (!profile.error) showProfile(place, profile);
    } catch {
      put(told, "text", "The process does not answer.");
    } finally {
      button.disabled = false;
    }
  });
}
