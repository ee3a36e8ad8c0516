import { Markdown } from "@/components/Markdown";

const HEADING = /^#{1,6}(?=\s)/;
const FENCE = /^\s*(```|~~~)/;
const HIGHEST = 3;

/** What an agent or a skill is told, as a part of a page: its headings go below those around it. */
export function MarkdownSection({ text, className }: { text: string; className?: string }) {
  return <Markdown text={withLowHeadings(text)} className={className} />;
}

/** The highest heading becomes one of the third level, the others keep their distance to it. */
export function withLowHeadings(text: string): string {
  let isCode = false;
  const lines = text.split("\n").map((line) => {
    if (FENCE.test(line)) isCode = !isCode;
    return { line, level: isCode ? 0 : (line.match(HEADING)?.[0].length ?? 0) };
  });
  const highest = Math.min(...lines.flatMap(({ level }) => level || []));
  const lowered = (level: number) => "#".repeat(Math.min(6, level - highest + HIGHEST));
  return lines.map(({ line, level }) => (level ? line.replace(HEADING, lowered(level)) : line)).join("\n");
}
