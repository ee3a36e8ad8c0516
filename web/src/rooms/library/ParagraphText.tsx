import { classes } from "@/lib/classes";

/** A paragraph as it was read: its own line breaks, nothing made of its characters. */
export function ParagraphText({ text, className }: { text: string; className?: string }) {
  return <p className={classes("break-words whitespace-pre-wrap", className)}>{text}</p>;
}
