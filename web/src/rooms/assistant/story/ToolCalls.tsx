import { Wrench } from "lucide-react";

import type { ToolCallTold } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { plain, plural } from "@/lib/words";

import { CALL } from "../words";

/** Tools that were used one after the other, each with what it was given and gave back. */
export function ToolCalls({ calls }: { calls: readonly ToolCallTold[] }) {
  const failed = calls.filter(({ state }) => state === "failed").length;
  const names = [...new Set(calls.map(({ name }) => plain(name)))].join(", ");
  return (
    <details className="text-sm">
      <summary className="text-muted">
        <Wrench aria-hidden className="mr-1.5 inline size-4" />
        {plural(calls.length, "tool call")}: {names}
        {failed > 0 && <span className="text-bad"> ({failed} failed)</span>}
      </summary>
      <ul className="mt-2 space-y-1.5 border-l-2 pl-3">
        {calls.map((call) => (
          <Call key={call.position} call={call} />
        ))}
      </ul>
    </details>
  );
}

function Call({ call }: { call: ToolCallTold }) {
  const [words, tone] = CALL[call.state];
  return (
    <li>
      <details>
        <summary className="break-words">
          <code className="font-mono text-xs">{call.name}</code>{" "}
          <span className="text-muted">{subjectOf(call.arguments)}</span> <Badge tone={tone}>{words}</Badge>
        </summary>
        <div className="mt-1 space-y-1">
          <Pre label="Input">{JSON.stringify(call.arguments, null, 2)}</Pre>
          {call.result && <Pre label="Result">{call.result}</Pre>}
        </div>
      </details>
    </li>
  );
}

function Pre({ label, children }: { label: string; children: string }) {
  return (
    <div>
      <p className="text-xs text-muted">{label}</p>
      <pre
        tabIndex={0}
        className="max-h-64 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap"
      >
        {children}
      </pre>
    </div>
  );
}

/** What it is about, in a word: the path, the skill, the query. */
function subjectOf(given: Record<string, unknown>): string {
  const first = Object.values(given).find((value) => typeof value === "string");
  const text = String(first ?? "").replaceAll("\n", " ");
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
