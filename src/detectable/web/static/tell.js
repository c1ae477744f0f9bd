// Words of the scripts come from the strings; requests that change something carry our header.
const strings = JSON.parse(document.getElementById("strings").textContent);

export function word(key, values = {}) {
  return strings[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export function say(key) {
  document.getElementById("said").textContent = word(key);
}

export async function send(address, type, body) {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": type, "X-Detectable": "1" },
      body,
    });
    return { ok: answer.ok, said: await answer.json() };
  } catch {
    return { ok: false, said: { message: word("script.gone") } };
  }
}
