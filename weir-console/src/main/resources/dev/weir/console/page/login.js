// Asks the user for the token, if the console requires one.

import { setToken } from "./feed.js";

let isAgain = false;

/** Shows the form. The returned promise completes when the user has entered a token. */
export function login() {
  const form = document.getElementById("login");
  form.hidden = false;
  const input = document.getElementById("token");
  // A token has no other characters, and a browser may not be able to send them.
  input.pattern = "\\s*[\\x21-\\x7E]+\\s*";
  input.title = "Letters, digits and signs of ASCII";
  if (isAgain) document.getElementById("login-title").textContent = "This is not the token of this console";
  isAgain = true;
  return new Promise((done) => {
    form.onsubmit = (event) => {
      event.preventDefault();
      setToken(input.value.trim());
      form.hidden = true;
      done();
    };
  });
}
