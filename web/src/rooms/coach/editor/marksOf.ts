import type { DeskState } from "../desk/state";
import type { Comment, Mark } from "./marking";

type Pointing = Pick<DeskState, "regions" | "highlights" | "hovers">;

/** Everything that points into a file, in the order of its lines. */
export function marksOf(path: string, { regions, highlights, hovers }: Pointing): Mark[] {
  const here = <T extends { path: string }>(list: readonly T[]) => list.filter((each) => each.path === path);
  const lines = here(highlights).map(({ start, end, style, hoverText }) => ({
    start,
    end,
    style,
    isRegion: false,
    words: hoverText ?? wordsAt(here(hovers), start),
  }));
  const around = (regions[path] ?? []).map((region) => ({ ...region, isRegion: true }));
  return [...lines, ...around].sort((one, other) => one.start - other.start);
}

function wordsAt(hovers: DeskState["hovers"], line: number): string | undefined {
  return hovers.find(({ range }) => range.startLine <= line && line <= range.endLine)?.hintText;
}

export function commentsOn(path: string, talk: DeskState["talk"]): Comment[] {
  return talk.flatMap((item) =>
    item.kind === "message" && item.anchor?.path === path
      ? [{ key: item.key, line: item.anchor.line, text: item.message, tone: item.type }]
      : [],
  );
}
