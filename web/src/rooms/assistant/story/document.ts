import type { TurnEvent } from "@/api/assistant";
import type { Gate, GateReply } from "@/api/schema";

export type Mark = "accepted" | "to change" | "alternatives" | "to judge";

export type Draft = {
  text: string;
  /** Where it was saved. */
  path: string | null;
  /** What was decided about sections, by their titles. */
  marks: ReadonlyMap<string, Mark>;
};

const MARKS: Record<string, Mark> = { accept: "accepted", revise: "to change", alternatives: "alternatives" };

/** The document as it is by now: what hooks and people left of what the model wrote. */
export function draftOf(events: readonly TurnEvent[], before: string): Draft {
  let text = before;
  let path: string | null = null;
  let isHelperAtWork = false;
  const marks = new Map<string, Mark>();
  let asked: Gate | null = null;
  for (const event of events) {
    if (event.type === "subagent") isHelperAtWork = event.state === "started";
    if (event.type === "model_turn" && !isHelperAtWork && event.text.trim()) text = event.text;
    if (event.type === "artefact") ({ text, path } = event);
    if (event.type === "gate") {
      asked = event.gate;
      if (typeof asked.data?.artefact === "string") text = asked.data.artefact;
      if (asked.kind === "adjudication")
        for (const { title } of asked.items ?? []) marks.set(title, "to judge");
    }
    if (event.type === "gate_answered" && asked?.kind === "adjudication") mark(marks, asked, event.reply);
  }
  return { text, path, marks };
}

function mark(marks: Map<string, Mark>, gate: Gate, reply: GateReply) {
  const section = gate.data?.section;
  if (typeof section === "string") {
    marks.set(section, reply.decision === "revise" ? "to change" : "accepted");
    return;
  }
  for (const item of gate.items ?? []) {
    const own = reply.items?.find(({ id }) => id === item.id);
    marks.set(item.title, MARKS[own?.decision ?? reply.decision] ?? "accepted");
  }
}

export type Piece = { heading: string | null; level: number; text: string };

/** The text cut at its headings; what is before the first has none. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const found = isCode ? null : /^(#{1,6})\s+(.*)$/.exec(line);
    const last = pieces.at(-1);
    if (found) pieces.push({ heading: found[2]!.trim(), level: found[1]!.length, text: line });
    else if (last) last.text += `\n${line}`;
    else pieces.push({ heading: null, level: 0, text: line });
  }
  return pieces.filter((piece) => piece.text.trim());
}

/** A heading has more than its section's title: “Starter (5 minutes)”. */
export function markOf(marks: ReadonlyMap<string, Mark>, heading: string | null): Mark | null {
  if (heading === null) return null;
  for (const [title, found] of marks) if (heading === title || heading.startsWith(`${title} `)) return found;
  return null;
}

const POINTER = /\[evidence:\s*([^\]\s:]+):L(\d+)(?:-L(\d+))?[^\]]*\]/g;

/** Pointers to the curriculum as people read them; their quotes stand in the files. */
export function withPlainPointers(text: string): string {
  return text.replace(POINTER, (_, path: string, from: string, to?: string) => {
    const lines = to && to !== from ? `lines ${from} to ${to}` : `line ${from}`;
    return `*(${path}, ${lines})*`;
  });
}
