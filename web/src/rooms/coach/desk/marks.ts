import type { HighlightLines, ServerMessage } from "@/api/coach";

import type { Move } from "./reducer";
import type { DeskState } from "./state";

type Marks = Pick<DeskState, "fileHints" | "regions" | "highlights" | "hovers">;

/** What points somewhere, after a message: glowing files, regions, lines, words on hover. */
export function marksAfter(state: DeskState, message: ServerMessage | Move): Partial<Marks> {
  switch (message.type) {
    case "desk:restored": {
      const { fileHints, regions, highlights } = message.desk;
      return {
        fileHints: fileHints.map((hint) => ({ style: "suggested", ...hint })),
        regions: Object.fromEntries(regions.map(({ path, decorations }) => [path, decorations])),
        highlights,
        hovers: [],
      };
    }
    case "explorer:hint_files": {
      const hinted = new Set(message.payload.hints.map(({ path }) => path));
      const others = state.fileHints.filter(({ path }) => !hinted.has(path));
      return { fileHints: [...others, ...message.payload.hints] };
    }
    case "explorer:clear_hints":
      return { fileHints: [] };
    case "editor:decorations": {
      const { path, decorations } = message.payload;
      return { regions: { ...state.regions, [path]: decorations } };
    }
    case "editor:clear_decorations": {
      const { path } = message.payload;
      if (!path) return { regions: {} };
      return { regions: { ...state.regions, [path]: [] } };
    }
    case "editor:highlight_lines": {
      const others = state.highlights.filter((shown) => !isSame(shown, message.payload));
      return { highlights: [...others, message.payload] };
    }
    case "editor:hover_hint": {
      const { path, hintText } = message.payload;
      const others = state.hovers.filter((hover) => hover.path !== path || hover.hintText !== hintText);
      return { hovers: [...others, message.payload] };
    }
    case "editor:clear_highlights": {
      const { path } = message.payload;
      const isElsewhere = (shown: { path: string }) => Boolean(path) && shown.path !== path;
      return {
        highlights: state.highlights.filter(isElsewhere),
        hovers: state.hovers.filter(isElsewhere),
      };
    }
    default:
      return {};
  }
}

/** The server says a highlight again to whoever opens its file. */
function isSame(one: HighlightLines, other: HighlightLines): boolean {
  return one.path === other.path && one.start === other.start && one.end === other.end;
}
