import type { TurnEvent } from "@/api/assistant";
import type { Gate, GateReply } from "@/api/schema";

type Of<T extends TurnEvent["type"]> = Extract<TurnEvent, { type: T }>;

/** A turn as the conversation shows it: what belongs together stands together. */
export type Part = { key: number } & (
  | { kind: "calls"; calls: Of<"tool_call">[] }
  | { kind: "hooks"; hooks: Of<"hook">[] }
  | { kind: "said"; said: Of<"model_turn"> }
  | { kind: "gate"; gate: Gate; reply: GateReply | null }
  | { kind: "handoff"; handoff: Of<"handoff"> }
  | { kind: "subagent"; subagent: Of<"subagent"> }
  | { kind: "saved"; path: string }
  | { kind: "end"; end: Of<"completed" | "failed" | "cancelled"> }
);

export function partsOf(events: readonly TurnEvent[]): Part[] {
  const parts: Part[] = [];
  for (const event of events) take(parts, event);
  return parts;
}

function take(parts: Part[], event: TurnEvent) {
  const last = parts.at(-1);
  const key = event.position;
  switch (event.type) {
    case "tool_call":
      if (last?.kind === "calls") last.calls.push(event);
      else parts.push({ key, kind: "calls", calls: [event] });
      break;
    case "hook":
      if (last?.kind === "hooks") last.hooks.push(event);
      else parts.push({ key, kind: "hooks", hooks: [event] });
      break;
    case "model_turn":
      if (event.text.trim()) parts.push({ key, kind: "said", said: event });
      break;
    case "gate":
      parts.push({ key, kind: "gate", gate: event.gate, reply: null });
      break;
    case "gate_answered": {
      const open = parts.findLast((part) => part.kind === "gate" && part.reply === null);
      if (open?.kind === "gate") open.reply = event.reply;
      break;
    }
    case "handoff":
      parts.push({ key, kind: "handoff", handoff: event });
      break;
    case "subagent":
      parts.push({ key, kind: "subagent", subagent: event });
      break;
    case "artefact":
      if (event.path) parts.push({ key, kind: "saved", path: event.path });
      break;
    case "completed":
    case "failed":
    case "cancelled":
      parts.push({ key, kind: "end", end: event });
  }
}

/** What the turn waits for, if it does. */
export function openGate(parts: readonly Part[]): (Part & { kind: "gate" }) | null {
  const last = parts.findLast((part) => part.kind === "gate" || part.kind === "end");
  return last?.kind === "gate" && last.reply === null ? last : null;
}
