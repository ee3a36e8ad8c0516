import { useMemo } from "react";

import { type Command, useCommands } from "@/shell/commands";

import { explainSelection, reviewWork, saveFile } from "./desk/acting";
import { useDesk } from "./desk/store";
import { filePaths } from "./desk/tree";
import { LEVELS, useHintLevel } from "./panel/HintSlider";
import { useMute } from "./panel/ObserverSwitch";
import { useShowFile } from "./places";

/** More would make the palette slow, and nobody reads them. */
const MOST_FILES = 500;

/** The desk's actions and files in the palette. */
export function useCoachCommands(active: string | undefined, endSession: () => void): void {
  const hasSession = useDesk((state) => state.session !== null);
  const tree = useDesk((state) => state.tree);
  const { choose } = useHintLevel();
  const { observer, mute } = useMute();
  const showFile = useShowFile();

  const actions = useMemo<Command[]>(() => {
    const onFile = active ? [{ name: "Save the file", about: active, run: () => saveFile(active) }] : [];
    const always = [...onFile, { name: "Explain the selection", run: explainSelection }];
    if (!hasSession) return always;
    return [
      ...always,
      { name: "Review my work", run: reviewWork },
      ...LEVELS.map(({ level, name, about }) => ({
        name: `Hints: ${name}`,
        about,
        run: () => choose(level),
      })),
      {
        name: observer.muted ? "Let the observer speak" : "Mute the observer",
        run: () => mute.mutate(!observer.muted),
      },
      { name: "End the session", run: endSession },
    ];
  }, [active, hasSession, observer.muted]);

  const files = useMemo<Command[]>(
    () =>
      filePaths(tree)
        .slice(0, MOST_FILES)
        .map((path) => ({ name: `Open ${path}`, run: () => showFile(path) })),
    [tree],
  );

  useCommands("Coach", actions);
  useCommands("Files", files);
}
