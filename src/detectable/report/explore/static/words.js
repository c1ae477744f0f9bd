// What the page says, in the words of strings.json.
const strings = JSON.parse(document.getElementById("strings").textContent);
const plural = new Intl.PluralRules("en");

export function say(key, values = {}) {
  return strings[key].replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

// A sentence that depends on a number: key.one or key.other.
export function sayCount(key, n, values = {}) {
  return say(`${key}.${plural.select(n)}`, { ...values, n: n.toLocaleString("en") });
}

// A number as the library prints it, with a real minus.
export function sayNumber(value, digits, { sign = false } = {}) {
  if (value === null || value === undefined) return say("same.none");
  const size = Math.abs(value).toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  const zero = Number(Math.abs(value).toFixed(digits)) === 0;
  if (value < 0 && !zero) return `−${size}`;
  return sign && !zero ? `+${size}` : size;
}
