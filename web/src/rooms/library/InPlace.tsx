import { Link } from "@tanstack/react-router";

import type { ParagraphContext, ParagraphView } from "@/api/schema";

import { ParagraphText } from "./ParagraphText";

/** The paragraph between those that stand before and after it. */
export function InPlace({ library, paragraph, before, after }: ParagraphContext & { library: string }) {
  return (
    <div className="space-y-3">
      {before.map((each) => (
        <Beside key={each.id} library={library} paragraph={each} />
      ))}
      <div className="rounded-md border-l-4 border-accent bg-accent-soft p-3">
        <p className="text-sm font-semibold">{paragraph.ref}</p>
        <ParagraphText text={paragraph.text} />
      </div>
      {after.map((each) => (
        <Beside key={each.id} library={library} paragraph={each} />
      ))}
    </div>
  );
}

function Beside({ library, paragraph: { ref, text } }: { library: string; paragraph: ParagraphView }) {
  return (
    <div className="px-3 text-sm">
      <Link
        to="/libraries/$name/paragraphs/$ref"
        params={{ name: library, ref }}
        className="font-medium text-accent underline-offset-2 hover:underline"
      >
        {ref}
      </Link>
      <ParagraphText text={text} className="text-muted" />
    </div>
  );
}
