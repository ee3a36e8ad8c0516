/** One line of text whose `code` is set as such. */
export function WithCode({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 1 ? (
      <code key={index} className="rounded bg-sunken px-1 font-mono text-[0.9em] text-ink">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
