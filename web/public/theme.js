// Before the first paint: no page flashes in the wrong colours.
{
  const chosen = localStorage.getItem("theme");
  const prefersDark = matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = chosen ?? (prefersDark ? "dark" : "light");
}
