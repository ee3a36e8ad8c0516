import { useNavigate } from "@tanstack/react-router";
import { useEffect, useEffectEvent } from "react";

import { PLACES } from "./places";

export type Shortcut = { keys: string; does: string };

/** For the page of shortcuts; rooms add their own lists. */
export const EVERYWHERE: readonly Shortcut[] = [
  { keys: "Ctrl K", does: "Find a page or an action (⌘ K on a Mac)" },
  { keys: "?", does: "Show all shortcuts" },
  ...PLACES.flatMap(({ name, letter }) =>
    letter && letter !== "?" ? [{ keys: `g ${letter}`, does: `Go to ${name}` }] : [],
  ),
];

const PAUSE_BETWEEN = 1_200;

/** `g` and a letter goes to a page; never while somebody writes. */
export function useGoKeys(openPalette: () => void): void {
  const navigate = useNavigate();
  const pressed = useEffectEvent((event: KeyboardEvent, isSecond: boolean): boolean => {
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
      event.preventDefault();
      openPalette();
      return false;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event.target)) return false;
    if (event.key === "g") return true;
    const place = PLACES.find(({ letter }) => letter === event.key);
    if (place && (isSecond || place.letter === "?")) {
      event.preventDefault();
      void navigate({ to: place.to });
    }
    return false;
  });

  useEffect(() => {
    let afterG = 0;
    const listen = (event: KeyboardEvent) => {
      afterG = pressed(event, Date.now() - afterG < PAUSE_BETWEEN) ? Date.now() : 0;
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function isWriting(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest("input, textarea, select, [role=dialog]") !== null)
  );
}
