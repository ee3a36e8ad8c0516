import type { ModelTurnTold } from "@/api/schema";
import { Markdown } from "@/components/Markdown";
import { count, money, plural } from "@/lib/words";

import { piecesOf, withPlainPointers } from "./document";

/** Longer than this, with sections, is a document: that stands beside the conversation. */
const LONGEST_REMARK = 900;

export function Said({ said }: { said: ModelTurnTold }) {
  const sections = piecesOf(said.text).filter(({ heading }) => heading !== null).length;
  const isDraft = said.text.length > LONGEST_REMARK && sections > 1;
  const text = withPlainPointers(said.text);
  return (
    <article aria-label={`${said.agent} says`} className="rounded-lg border bg-surface p-3">
      {isDraft ? (
        <details>
          <summary>
            A draft with {plural(sections, "heading")}, {count(said.text.split(/\s+/).length)} words
          </summary>
          <Markdown text={text} className="mt-3 text-sm" />
        </details>
      ) : (
        <Markdown text={text} />
      )}
      <p className="mt-2 text-xs text-muted">
        {said.agent}
        {said.output_tokens > 0 &&
          ` · ${count(said.input_tokens)} tokens in, ${count(said.output_tokens)} out · ${money(said.cost)}`}
      </p>
    </article>
  );
}
