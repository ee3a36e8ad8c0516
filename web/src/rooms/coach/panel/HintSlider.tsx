import { useMutation } from "@tanstack/react-query";
import { useId } from "react";

import type { HintLevel } from "@/api/coach";
import { chooseHintLevel } from "@/api/coaching";
import { toastError } from "@/components/Toasts";

import { desk, useDesk } from "../desk/store";

export const LEVELS: readonly { level: HintLevel; name: string; about: string }[] = [
  { level: "none", name: "None", about: "No hints." },
  { level: "file", name: "Files", about: "Files to look at are marked." },
  { level: "region", name: "Regions", about: "Also the neighbourhood of the lines." },
  { level: "line", name: "Lines", about: "The exact lines, with a question on each." },
];

export function useHintLevel() {
  const held = useDesk((state) => state.hintLevel);
  const change = useMutation({
    mutationFn: chooseHintLevel,
    onSuccess: ({ level }) => desk.dispatch({ type: "hints:level", level }),
    onError: toastError,
  });
  return { level: change.isPending ? change.variables : held, choose: change.mutate };
}

/** How closely hints point; what it changes is seen at once, in the tree and in the editor. */
export function HintSlider() {
  const id = useId();
  const { level, choose } = useHintLevel();
  const at = LEVELS.findIndex((each) => each.level === level);
  const shown = LEVELS[at]!;
  return (
    <div className="min-w-0 grow text-sm" title={shown.about}>
      <label htmlFor={id} className="block truncate">
        <span className="font-medium">Hints: {shown.name}</span>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={LEVELS.length - 1}
        value={at}
        aria-valuetext={`${shown.name}. ${shown.about}`}
        onChange={(event) => choose(LEVELS[Number(event.target.value)]!.level)}
        className="mt-1 w-full accent-(--accent)"
      />
    </div>
  );
}
