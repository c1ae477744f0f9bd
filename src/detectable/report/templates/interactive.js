// Draws the charts of a page with Vega, in the page's own colours, at the width that is shown.
const page = JSON.parse(document.getElementById("charts").textContent);
const narrow = window.matchMedia("(max-width: 680px)");
const dark = window.matchMedia("(prefers-color-scheme: dark)");

function coloured(spec) {
  const style = getComputedStyle(document.documentElement);
  let text = JSON.stringify(spec);
  for (const [colour, name] of Object.entries(page.tokens)) {
    text = text.replaceAll(colour, style.getPropertyValue("--" + name).trim());
  }
  return JSON.parse(text);
}

async function draw() {
  for (const [id, specs] of Object.entries(page.charts)) {
    const figure = document.getElementById(id);
    let place = figure.querySelector(".drawn");
    if (!place) {
      place = document.createElement("div");
      place.className = "drawn";
      place.setAttribute("role", "img");
      place.setAttribute("aria-label", figure.querySelector("svg").getAttribute("aria-label"));
      figure.append(place);
    }
    const spec = coloured(narrow.matches ? specs.narrow : specs.wide);
    // The interpreter, so that the page's policy need not allow eval.
    await vegaEmbed(place, spec, { actions: false, renderer: "svg", ast: true });
    figure.classList.add("interactive");
  }
}

draw();
narrow.addEventListener("change", draw);
dark.addEventListener("change", draw);
