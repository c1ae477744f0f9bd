// The links of raters: shown once, and taken away as a table.
const at = (id) => document.getElementById(id);

export function showLinks(name, links) {
  at("links-list").replaceChildren(
    ...links.map((one) => {
      const item = document.createElement("li");
      const code = document.createElement("code");
      code.textContent = one.link;
      item.append(`${one.rater} `, code);
      return item;
    }),
  );
  at("links-csv").onclick = () => {
    const text = ["rater,link", ...links.map((one) => `${one.rater},${one.link}`), ""].join("\n");
    const file = document.createElement("a");
    file.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    file.download = `${name}-links.csv`;
    file.click();
    URL.revokeObjectURL(file.href);
  };
}
