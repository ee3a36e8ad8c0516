import type { Gate, GateItem, GateKind, GateReply } from "@/api/schema";
import { plural } from "@/lib/words";

export type Choice = { decision: string; text: string };
export type Choices = Record<string, Choice>;

type Words = {
  options: Record<string, string>;
  /** Of the field that an option with a text opens. */
  textLabel: string;
  /** Whether that field begins with what is proposed. */
  isPrefilled: boolean;
};

export const WORDS: Partial<Record<GateKind, Words>> = {
  adjudication: {
    options: { accept: "Accept", revise: "Revise", alternatives: "Alternatives" },
    textLabel: "What should change?",
    isPrefilled: false,
  },
  memory_capture: {
    options: { confirm: "Remember", edit: "Reword", dismiss: "Don’t" },
    textLabel: "How should it read?",
    isPrefilled: true,
  },
  name_check: {
    options: { edit: "Reword", keep: "Keep: it is no pupil", dismiss: "Don’t remember" },
    textLabel: "How should it read?",
    isPrefilled: true,
  },
};

export function takesText(decision: string): boolean {
  return decision === "revise" || decision === "edit";
}

export function choiceFor(gate: Gate, item: GateItem, choices: Choices): Choice {
  return choices[item.id] ?? { decision: item.default ?? gate.default, text: "" };
}

/** Whether something was begun and not said: to revise, but how? */
export function isUnfinished(gate: Gate, choices: Choices): boolean {
  return (gate.items ?? []).some((item) => {
    const { decision, text } = choiceFor(gate, item, choices);
    return takesText(decision) && !text.trim();
  });
}

/** Items that stay as they are by default are not named: the answer to the whole covers them. */
export function replyOf(gate: Gate, choices: Choices): GateReply {
  const items = (gate.items ?? []).flatMap((item) => {
    const { decision, text } = choiceFor(gate, item, choices);
    if (decision === (item.default ?? gate.default)) return [];
    return [{ id: item.id, decision, text: takesText(decision) ? text.trim() : null }];
  });
  return { decision: gate.default, items };
}

/** What the button does, before it does it. */
export function intent(gate: Gate, choices: Choices): string {
  const decisions = (gate.items ?? []).map((item) => choiceFor(gate, item, choices).decision);
  const times = (decision: string) => decisions.filter((each) => each === decision).length;
  if (gate.kind === "adjudication") {
    if (times("accept") === decisions.length) return `Accept ${all(decisions.length)}`;
    const parts = [
      [times("revise"), "revise"],
      [times("alternatives"), "see alternatives of"],
      [times("accept"), "accept"],
    ] as const;
    const said = parts.flatMap(([number, verb]) => (number > 0 ? [`${verb} ${number}`] : []));
    return said.join(", ").replace(/^./, (letter) => letter.toUpperCase());
  }
  const kept = decisions.length - times("dismiss");
  return kept > 0 ? `Remember ${plural(kept, "note")}` : "Remember nothing";
}

function all(sections: number): string {
  return sections === 1 ? "the section" : `all ${sections} sections`;
}
