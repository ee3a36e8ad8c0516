import { useId } from "react";

import type { GateItem, GateKind } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { TextArea } from "@/components/Field";
import { Markdown } from "@/components/Markdown";

import { withPlainPointers } from "../story/document";
import { scopeWords } from "../words";
import { type Choice, takesText, WORDS } from "./itemsGate";
import { RadioChips } from "./RadioChips";

type Props = {
  kind: GateKind;
  item: GateItem;
  choice: Choice;
  onChange: (choice: Choice) => void;
};

export function ItemChoice({ kind, item, choice, onChange }: Props) {
  const title = useId();
  const words = WORDS[kind];
  const options = (item.options ?? []).map((option) => [option, words?.options[option] ?? option] as const);

  function choose(decision: string) {
    const isFresh = takesText(decision) && !choice.text && words?.isPrefilled;
    onChange({ decision, text: isFresh ? item.title : choice.text });
  }

  return (
    <li className="space-y-2 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div id={title} className="min-w-0 grow basis-48 text-sm font-medium break-words">
          {item.title} {item.scope && <Badge tone="accent">{scopeWords(item.scope)}</Badge>}
        </div>
        <RadioChips labelledBy={title} options={options} value={choice.decision} onChange={choose} />
      </div>
      {kind === "adjudication" && item.text ? (
        <details className="text-sm">
          <summary className="text-muted">Read it</summary>
          <Markdown text={withPlainPointers(item.text)} className="mt-2 rounded-md bg-sunken p-3" />
        </details>
      ) : (
        <p className="text-sm text-muted">{item.text}</p>
      )}
      {takesText(choice.decision) && (
        <TextArea
          label={
            <>
              {words?.textLabel} <span className="sr-only">{item.title}</span>
            </>
          }
          rows={2}
          value={choice.text}
          onChange={(event) => onChange({ ...choice, text: event.target.value })}
        />
      )}
    </li>
  );
}
