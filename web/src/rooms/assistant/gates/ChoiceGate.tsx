import type { FormEvent } from "react";

import type { Gate } from "@/api/schema";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Markdown } from "@/components/Markdown";
import { useKept } from "@/lib/kept";

import { takesText } from "./itemsGate";
import type { GateProps } from "./useReply";

/** Several versions of a section beside the one that stands. */
export function ChoiceGate({ gate, draftKey, send, isBusy }: GateProps) {
  const [{ decision, text }, setChoice] = useKept(draftKey, { decision: gate.default, text: "" });
  const needsText = takesText(decision);

  function submit(event: FormEvent) {
    event.preventDefault();
    send({ decision, text: needsText ? text.trim() : null });
  }

  return (
    <form onSubmit={submit} className="space-y-3">
      <fieldset className="space-y-2">
        <legend className="mb-2 text-sm">Versions of “{String(gate.data?.section ?? "it")}”</legend>
        {gate.options.map((option) => (
          <label
            key={option}
            className="flex cursor-pointer gap-3 rounded-md border p-3 text-sm has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={draftKey}
              value={option}
              checked={decision === option}
              onChange={() => setChoice({ decision: option, text })}
              className="mt-1 accent-(--accent)"
            />
            <span className="min-w-0">
              <span className="font-medium">{nameOf(option)}</span>
              {shownFor(gate, option) && <Markdown text={shownFor(gate, option)} />}
            </span>
          </label>
        ))}
      </fieldset>
      {needsText && (
        <TextArea
          label="What should change?"
          rows={2}
          value={text}
          onChange={(event) => setChoice({ decision, text: event.target.value })}
        />
      )}
      <Button kind="primary" type="submit" isBusy={isBusy} disabled={needsText && !text.trim()}>
        {needsText ? "Revise it" : `Take “${nameOf(decision)}”`}
      </Button>
    </form>
  );
}

const NAMES: Record<string, string> = { keep: "Keep what stands", revise: "None of these: revise it" };

function nameOf(option: string): string {
  return NAMES[option] ?? option.charAt(0).toUpperCase() + option.slice(1);
}

function shownFor(gate: Gate, option: string): string {
  const { standing, alternatives } = gate.data ?? {};
  if (option === "keep") return String(standing ?? "");
  const number = Number(/^alternative (\d+)$/.exec(option)?.[1]);
  return Array.isArray(alternatives) && number > 0 ? String(alternatives[number - 1] ?? "") : "";
}
