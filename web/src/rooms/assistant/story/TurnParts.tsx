import { ArrowRight, FileCheck2, Users } from "lucide-react";

import { Badge } from "@/components/Badge";
import { Markdown } from "@/components/Markdown";

import { AnsweredGate } from "../gates/AnsweredGate";
import { FileLink } from "../files/FileLink";
import { HookNotes } from "./HookNotes";
import type { Part } from "./parts";
import { Said } from "./Said";
import { ToolCalls } from "./ToolCalls";
import { TurnEnd } from "./TurnEnd";

/** All that happened in a turn, in order; what it still waits for stands elsewhere. */
export function TurnParts({ parts }: { parts: readonly Part[] }) {
  return parts.map((part) => <TurnPart key={part.key} part={part} />);
}

function TurnPart({ part }: { part: Part }) {
  switch (part.kind) {
    case "calls":
      return <ToolCalls calls={part.calls} />;
    case "hooks":
      return <HookNotes hooks={part.hooks} />;
    case "said":
      return <Said said={part.said} />;
    case "gate":
      return part.reply && <AnsweredGate gate={part.gate} reply={part.reply} />;
    case "handoff":
      return (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <Badge tone="info">{part.handoff.from}</Badge>
          <ArrowRight aria-label="hands over to" className="size-4" />
          <Badge tone="info">{part.handoff.to}</Badge>
          <span className="text-muted">{reasonOf(part.handoff.context)}</span>
        </p>
      );
    case "subagent":
      return <Helper {...part.subagent} />;
    case "saved":
      return (
        <p className="flex flex-wrap items-center gap-2 text-sm">
          <FileCheck2 aria-hidden className="size-4 text-good" />
          Saved as <FileLink path={part.path} />
        </p>
      );
    case "end":
      return <TurnEnd end={part.end} />;
  }
}

function reasonOf(context: Record<string, unknown>): string {
  return typeof context.reason === "string" ? context.reason : "";
}

function Helper({ agent, task, state, summary }: (Part & { kind: "subagent" })["subagent"]) {
  return (
    <div className="text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Users aria-hidden className="size-4 text-muted" />
        <Badge tone="info">{agent}</Badge>
        <span className="text-muted">{state === "started" ? `helps with: ${task}` : "is done"}</span>
      </p>
      {summary && (
        <details className="mt-1 ml-6">
          <summary className="text-muted">Result</summary>
          <Markdown text={summary} className="mt-2 rounded-md border bg-surface p-3" />
        </details>
      )}
    </div>
  );
}
