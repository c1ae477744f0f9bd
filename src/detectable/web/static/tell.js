// Words of the scripts come from the strings; requests that change something carry our header.
const strings = JSON.parse(document.getElementById("strings").textContent);

const { lang } = document.documentElement;
const plurals = new Intl.PluralRules(lang);
const PLURAL = /\{(\w+), plural,((?: \w+ \{[^{}]*\})+)\}/g;
const FORM = / (\w+) \{([^{}]*)\}/g;

function plural(forms, n) {
  const known = Object.fromEntries([...forms.matchAll(FORM)].map(([, name, said]) => [name, said]));
  return (known[plurals.select(n)] ?? known.other).replace("#", n.toLocaleString(lang));
}

export function word(key, values = {}) {
  return strings[key]
    .replace(PLURAL, (_, name, forms) => plural(forms, values[name]))
    .replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export function say(key) {
  document.getElementById("said").textContent = word(key);
}

export async function send(address, type, body, method = "POST") {
  try {
    const headers = { "X-Detectable": "1" };
    if (type) headers["Content-Type"] = type;
    const answer = await fetch(address, { method, headers, body });
    return { ok: answer.ok, status: answer.status, said: read(await answer.text(), answer.status) };
  } catch {
    return { ok: false, said: { message: word("script.gone") } };
  }
}

// The server speaks JSON; what does not was said by a proxy in between.
function read(text, status) {
  try {
    return text ? JSON.parse(text) : {};
  } catch {
    return { message: word("script.between", { status }) };
  }
}
