import type { ReactNode } from "react";

import { Badge, type Tone } from "@/components/Badge";
import { Markdown } from "@/components/Markdown";
import { Time } from "@/components/Time";
import { plain } from "@/lib/words";

import type { TalkItem } from "../desk/state";
import { linesIn } from "../places";
import { ExplanationText } from "./ExplanationText";
import { FileLink } from "./FileLink";
import { ReviewText } from "./ReviewText";

const MESSAGES: Record<string, { name: string; tone: Tone }> = {
  info: { name: "Coach", tone: "info" },
  hint: { name: "Hint", tone: "accent" },
  success: { name: "Well done", tone: "good" },
  warning: { name: "Take care", tone: "warn" },
};

/** One thing that was said. */
export function TalkEntry({ item }: { item: TalkItem }) {
  switch (item.kind) {
    case "asked":
      return <p className="ml-8 rounded-lg bg-accent-soft px-3 py-2 text-sm break-words">{item.text}</p>;
    case "note":
      return <p className="text-center text-xs text-muted">{item.text}</p>;
    case "trouble":
      return <Said item={item} name="That did not work" tone="bad" text={item.text} />;
    case "message":
      return (
        <Said item={item} {...MESSAGES[item.type]!} text={item.message}>
          {item.anchor && (
            <FileLink {...item.anchor}>
              {linesIn(item.anchor.line, item.anchor.line)} of {item.anchor.path}
            </FileLink>
          )}
        </Said>
      );
    case "nudge":
      return (
        <Said
          item={item}
          name={`Noticed: ${plain(item.signal)}`}
          tone="warn"
          text={item.message}
          isOffline={item.offline}
        />
      );
    case "explanation":
      return (
        <Said item={item} name="Explanation" tone="info" isOffline={item.offline}>
          <ExplanationText explanation={item} />
        </Said>
      );
    case "review":
      return (
        <Said
          item={item}
          name={item.passed ? "Review: passed" : "Review: not there yet"}
          tone={item.passed ? "good" : "warn"}
          isOffline={item.offline}
        >
          <ReviewText review={item} />
        </Said>
      );
  }
}

type SaidProps = {
  item: TalkItem;
  name: string;
  tone: Tone;
  text?: string;
  isOffline?: boolean;
  children?: ReactNode;
};

function Said({ item, name, tone, text, isOffline = false, children }: SaidProps) {
  return (
    <article className="space-y-2 rounded-lg border p-3 text-sm">
      <header className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <Badge tone={tone}>{name}</Badge>
        {isOffline && <span title="Worked out by rules, without asking a model">without a model</span>}
        <span className="ml-auto">
          <Time at={new Date(item.at).toISOString()} />
        </span>
      </header>
      {text && <Markdown text={text} />}
      {children}
    </article>
  );
}
