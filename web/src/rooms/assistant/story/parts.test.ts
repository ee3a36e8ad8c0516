import { expect, test } from "vitest";

import type { TurnEvent } from "@/api/assistant";

import { openGate, partsOf } from "./parts";

const AT = "2026-05-01T12:00:00Z";
const GATE = { kind: "permission", text: "May it?", options: ["allow", "deny"], default: "deny" } as const;

function told(...events: object[]): TurnEvent[] {
  return events.map((event, place) => ({ position: place + 1, at: AT, ...event }) as TurnEvent);
}

test("tools that are used one after the other stand together, whatever the model thinks between them", () => {
  const parts = partsOf(
    told(
      { type: "tool_call", name: "read_file" },
      { type: "model_turn", text: "" },
      { type: "tool_call", name: "read_skill" },
      { type: "hook", name: "age-appropriate" },
      { type: "tool_call", name: "write_file" },
    ),
  );
  expect(parts.map(({ kind }) => kind)).toEqual(["calls", "hooks", "calls"]);
  expect(parts[0]).toMatchObject({ calls: [{ name: "read_file" }, { name: "read_skill" }] });
});

test("a gate is open until it is answered or its turn has ended", () => {
  const asked = told({ type: "gate", gate: GATE });
  expect(openGate(partsOf(asked))?.gate).toEqual(GATE);
  const answered = told(
    { type: "gate", gate: GATE },
    { type: "gate_answered", kind: "permission", reply: { decision: "allow" } },
  );
  expect(openGate(partsOf(answered))).toBeNull();
  expect(partsOf(answered)).toMatchObject([{ kind: "gate", reply: { decision: "allow" } }]);
  const stopped = told({ type: "gate", gate: GATE }, { type: "cancelled" });
  expect(openGate(partsOf(stopped))).toBeNull();
});
