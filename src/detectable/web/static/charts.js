// Charts: Vega-Lite drawn by Vega's interpreter, in the colours and at the width of the page.
const narrow = matchMedia("(max-width: 700px)");
const dark = matchMedia("(prefers-color-scheme: dark)");
let vega = null; // loaded once, when there is something to draw

function loaded() {
  vega ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/static/vega.js";
    script.type = "module";
    script.onload = () => resolve(globalThis.vegaEmbed);
    script.onerror = reject;
    document.head.append(script);
  });
  return vega;
}

function coloured(text) {
  const style = getComputedStyle(document.documentElement);
  const tokens = JSON.parse(document.getElementById("tokens").textContent);
  let made = text;
  for (const [colour, name] of Object.entries(tokens)) {
    made = made.replaceAll(colour, style.getPropertyValue(`--${name}`).trim());
  }
  return made;
}

export async function drawAll() {
  const figures = [...document.querySelectorAll("figure")];
  if (figures.length === 0) return;
  const embed = await loaded();
  await Promise.all(figures.map((figure) => draw(figure, embed)));
}

async function draw(figure, embed) {
  const name = narrow.matches ? "narrow" : "wide";
  const text = coloured(figure.querySelector(`[data-spec="${name}"]`).textContent);
  const place = figure.querySelector(".drawn");
  if (place.dataset.drawn === text) return;
  const aside = document.createElement("div");
  const spec = JSON.parse(text);
  // The interpreter (ast), so that the page's policy need not allow eval.
  await embed(aside, spec, { actions: false, renderer: "svg", ast: true, tooltip: false, defaultStyle: false });
  // The place has one label for the whole picture; a name for every mark would only be noise.
  for (const mark of aside.querySelectorAll("svg, svg *")) {
    ["role", "aria-roledescription", "aria-label"].forEach((name) => mark.removeAttribute(name));
  }
  place.replaceChildren(...aside.childNodes);
  place.dataset.drawn = text;
}

narrow.addEventListener("change", drawAll);
dark.addEventListener("change", drawAll);
