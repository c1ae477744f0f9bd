// Sign in, and show the page that was asked for.
import { send } from "./tell.js";

const form = document.getElementById("sign-in");

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const password = document.getElementById("password");
  const body = JSON.stringify({ password: password.value });
  const { ok, said } = await send("/api/v1/session", "application/json", body);
  if (ok) {
    if (location.pathname === "/sign-in") location.replace("/");
    else location.reload();
    return;
  }
  document.getElementById("fault").textContent = said.message;
  password.select();
});
