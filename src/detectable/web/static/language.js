// The language of the page: what the rater chose on this device, else what the campaign says.
const KEPT = "language";
const choice = document.getElementById("language");

function go(language) {
  location.replace(`/a?language=${language}${location.hash}`);
}

// Says whether the page comes again in another language.
export function changesTo(language) {
  const wanted = localStorage.getItem(KEPT) ?? language;
  const spoken = [...choice.options].some(({ value }) => value === wanted);
  if (!spoken || wanted === document.documentElement.lang) return false;
  go(wanted);
  return true;
}

choice.addEventListener("change", () => {
  localStorage.setItem(KEPT, choice.value);
  go(choice.value);
});
