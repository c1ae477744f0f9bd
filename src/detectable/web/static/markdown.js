// Instructions are written in a small part of Markdown, and made of elements and texts: nothing of them is
// ever read as HTML. Headings, lists, paragraphs, **strong**, *emphasis*, `code` and links to web and mail.
const INLINE = /\*\*(.+?)\*\*|\*(.+?)\*|`([^`]+)`|\[([^\]]+)\]\(([^()\s]+)\)/;
const SAFE = /^(https?:\/\/|mailto:)/i;
const ITEM = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/;
const HEADING = /^(#{1,6})\s+(.*)$/;

function made(name, ...inside) {
  const element = document.createElement(name);
  element.append(...inside);
  return element;
}

function link(said, address) {
  if (!SAFE.test(address)) return `${said} (${address})`;
  const element = made("a", ...inline(said));
  Object.assign(element, { href: address, rel: "noopener noreferrer", target: "_blank" });
  return element;
}

function inline(text) {
  const found = INLINE.exec(text);
  if (!found) return text ? [text] : [];
  const [whole, strong, emphasis, code, said, address] = found;
  let element;
  if (strong !== undefined) element = made("strong", ...inline(strong));
  else if (emphasis !== undefined) element = made("em", ...inline(emphasis));
  else if (code !== undefined) element = made("code", code);
  else element = link(said, address);
  return [text.slice(0, found.index), element, ...inline(text.slice(found.index + whole.length))];
}

// Line breaks stay, as people type them.
function paragraph(lines) {
  const inside = lines.flatMap((line, n) => [...(n ? [made("br")] : []), ...inline(line)]);
  return made("p", ...inside);
}

export function markdown(text) {
  const blocks = [];
  let lines = [];
  let list = null;
  const flush = () => {
    if (lines.length) blocks.push(paragraph(lines));
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (item) {
      flush();
      const kind = item[1] === undefined ? "ul" : "ol";
      if (list?.localName !== kind) {
        list = made(kind);
        if (item[1] !== undefined) list.start = Number(item[1]);
        blocks.push(list);
      }
      list.append(made("li", ...inline(item[2])));
    } else if (line.trim() === "") {
      flush();
      list = null;
    } else if (heading) {
      flush();
      list = null;
      blocks.push(made(heading[1].length === 1 ? "h2" : "h3", ...inline(heading[2])));
    } else if (list && /^\s/.test(line)) list.lastChild.append(" ", ...inline(line.trim()));
    else {
      list = null;
      lines.push(line.trim());
    }
  }
  flush();
  return blocks;
}
