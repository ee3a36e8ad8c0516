import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const watchers = new Set<() => void>();

export function chosenTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
  show();
}

function show() {
  const theme = chosenTheme();
  const isDark = theme === "dark" || (theme === "system" && prefersDark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  for (const watcher of watchers) watcher();
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

prefersDark.addEventListener("change", show);
addEventListener("storage", show); // chosen in another window

export function useTheme(): Theme {
  return useSyncExternalStore(watch, chosenTheme);
}

/** For what draws its own colours: charts and the editor. */
export function useIsDark(): boolean {
  return useSyncExternalStore(watch, () => document.documentElement.dataset.theme === "dark");
}
