// Asks for the token of a console that demands one.

import { setToken } from "./feed.js";

/** Shows the form; done when a token was given. */
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
