import { classes } from "@/lib/classes";

const LONGEST_STEM = 6;

/** The beginnings of words that were looked for, marked wherever they stand. */
export function Highlighted({ text, query, className }: { text: string; query: string; className?: string }) {
  return (
    <p className={classes("break-words", className)}>
      {split(text, query).map((piece, place) =>
        place % 2 === 1 ? (
          <mark key={place} className="rounded bg-warn-soft px-0.5 text-ink">
            {piece}
          </mark>
        ) : (
          piece
        ),
      )}
    </p>
  );
}

/** Every second piece is one that was looked for. */
export function split(text: string, query: string): string[] {
  const words = query.match(/[\p{L}\p{N}]+/gu)?.filter((word) => word.length > 1) ?? [];
  if (words.length === 0) return [text];
  // By its beginning: the server finds a word in any of its forms.
  const stems = words.map((word) => word.slice(0, LONGEST_STEM));
  return text.split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${stems.join("|")})[\\p{L}\\p{N}]*)`, "giu"));
}
