// What raters would see, from the form of a new campaign: answered in this tab, and nothing is sent or kept.
const KEPT = "preview";

export const isPreview = location.hash === `#${KEPT}`;

export function keepPreview(said) {
  sessionStorage.setItem(KEPT, JSON.stringify(said));
}

// Answers as the server would.
export function previewed() {
  const { about, pages } = JSON.parse(sessionStorage.getItem(KEPT));
  const saved = new Map();
  let at = 0;
  const given = (n) => ({
    ...pages[n],
    saved: saved.get(pages[n].token) ?? null,
    back: pages[n - 1]?.token ?? null,
    forward: saved.has(pages[n + 1]?.token) ? pages[n + 1].token : null,
  });
  return async (address, method, body) => {
    const [, token] = /pages\/(.+)/.exec(address) ?? [];
    const place = pages.findIndex((one) => one.token === token);
    let said = {};
    if (address.endsWith("/me")) said = about;
    else if (place >= 0 && method === "GET") said = given(place);
    else if (place >= 0) {
      const { key, answers, document_score: overall = null } = JSON.parse(body);
      saved.set(token, { key, answers, overall });
      at = Math.max(at, place + 1);
    } else if (address.includes("/next")) {
      const end = { done: true, state: "open", retry_after: null, ending: "", back: pages.at(-1).token };
      said = at < pages.length ? given(at) : end;
    }
    return { status: 200, said };
  };
}
