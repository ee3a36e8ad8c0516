import type { ServerMessage } from "@/api/coach";
import { plural } from "@/lib/words";

import type { Move } from "./reducer";
import type { DeskState, Told } from "./state";

/** What a message adds to the conversation. */
export function told(message: ServerMessage | Move, before: DeskState): readonly Told[] {
  switch (message.type) {
    case "coaching:message":
      return [{ kind: "message", ...message.payload }];
    case "observer:nudge":
      return [{ kind: "nudge", ...message.payload }];
    case "explain:response":
      return [{ kind: "explanation", ...message.payload }];
    case "review:response":
      return "review" in message.payload ? [{ kind: "review", ...message.payload }] : [];
    case "explain:error":
      return [{ kind: "trouble", text: message.payload.error }];
    case "review:error":
      return message.payload.kataId ? [] : [{ kind: "trouble", text: message.payload.error }];
    case "coaching:plan_ready": {
      const { phases, memoryConnection } = message.payload;
      const ready: Told = { kind: "note", text: `The plan is ready: ${plural(phases.length, "phase")}.` };
      return memoryConnection
        ? [ready, { kind: "message", type: "info", message: memoryConnection }]
        : [ready];
    }
    case "coaching:phase_update": {
      const { number, title, status } = message.payload.phase;
      const happened = { active: "begins", complete: "is complete", pending: "was put back" }[status];
      return [{ kind: "note", text: `Phase ${number}, “${title}”, ${happened}.` }];
    }
    case "talk:asked":
      return [{ kind: "asked", text: message.text }];
    case "desk:lost":
      return before.waiting.explain || before.waiting.review
        ? [{ kind: "trouble", text: "The connection was lost before the answer came. Please ask again." }]
        : [];
    default:
      return [];
  }
}
