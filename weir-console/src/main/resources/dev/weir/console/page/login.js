// Asks the user for the token, if the console requires one.

import { setToken } from "./feed.js";

/** Shows the form. The returned promise completes when the user has entered a token. */
export function login() {
  const form = document.getElementById("login");
  form.hidden = false;
  return new Promise((done) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      setToken(document.getElementById("token").value);
      form.hidden = true;
      done();
    };
  });
}
