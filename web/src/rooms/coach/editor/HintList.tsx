import { Lightbulb } from "lucide-react";

import { linesIn } from "../places";
import type { Mark } from "./marking";

const STYLES = { hint: "a hint", focus: "look closely", warning: "take care" } as const;

/** The marks of a file in words, each leading to its line. */
export function HintList({ marks, onShow }: { marks: readonly Mark[]; onShow: (line: number) => void }) {
  if (marks.length === 0) return null;
  return (
    <ul
      aria-label="Hints in this file"
      className="max-h-24 shrink-0 overflow-y-auto border-b px-3 py-1.5 text-sm"
      tabIndex={0}
    >
      {marks.map(({ start, end, style, words, isRegion }) => (
        <li key={`${start}-${end}-${style}`} className="flex items-baseline gap-2">
          <Lightbulb aria-hidden className="size-3.5 shrink-0 translate-y-0.5 text-accent" />
          <button type="button" className="text-left hover:underline" onClick={() => onShow(start)}>
            <span className="font-medium">{linesIn(start, end)}</span>:{" "}
            {words?.replaceAll("`", "") ?? (isRegion ? "somewhere around here" : STYLES[style])}
          </button>
        </li>
      ))}
    </ul>
  );
}
