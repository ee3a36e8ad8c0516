import { Brain, FileText } from "lucide-react";

import type { Gate } from "@/api/schema";
import { isMemory } from "@/api/assistant";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Markdown } from "@/components/Markdown";
import { plural } from "@/lib/words";
import { useKept } from "@/lib/kept";

import type { GateProps } from "./useReply";

/** What is known before anything is written: confirmed, put right, or set aside. */
export function FeedforwardGate({ gate, draftKey, send, isBusy }: GateProps) {
  const [text, setText] = useKept(draftKey, "");
  const correction = text.trim();

  return (
    <div className="space-y-3">
      <div tabIndex={0} className="max-h-96 overflow-y-auto">
        <Markdown text={gate.text} className="text-sm" />
      </div>
      <Facts gate={gate} />
      <TextArea
        label="Is something different this time?"
        hint="It goes before what the files say, for this turn. Name another class to see what is known of it."
        rows={2}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        {correction ? (
          <Button
            kind="primary"
            isBusy={isBusy}
            onClick={() => send({ decision: "modify", text: correction })}
          >
            Go on with this correction
          </Button>
        ) : (
          <Button kind="primary" isBusy={isBusy} onClick={() => send({ decision: "confirm" })}>
            Yes, go on
          </Button>
        )}
        <Button disabled={isBusy} onClick={() => send({ decision: "dismiss" })}>
          Go on without it
        </Button>
      </div>
    </div>
  );
}

type Fact = { text: string; source: string; path: string };

function factsOf(gate: Gate): Fact[] {
  return Array.isArray(gate.data?.facts) ? (gate.data.facts as Fact[]) : [];
}

function Facts({ gate }: { gate: Gate }) {
  const facts = factsOf(gate);
  if (facts.length === 0) return null;
  return (
    <details className="text-sm">
      <summary className="text-muted">{plural(facts.length, "fact")} it rests on</summary>
      <ul className="mt-2 space-y-1.5">
        {facts.map(({ text, source, path }) => (
          <li key={source + text} className="flex gap-2">
            {isMemory(path) ? (
              <Brain aria-label="from memory" className="mt-1 size-4 shrink-0 text-accent" />
            ) : (
              <FileText aria-label="from a file" className="mt-1 size-4 shrink-0 text-muted" />
            )}
            <span>
              {text} <span className="text-xs text-muted">{source}</span>
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}
