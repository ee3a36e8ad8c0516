import { CircleHelp } from "lucide-react";
import { type ComponentType, useEffect, useId, useRef } from "react";

import type { Gate, GateKind } from "@/api/schema";
import { Problem } from "@/components/States";

import { ChoiceGate } from "./ChoiceGate";
import { ConfidenceGate } from "./ConfidenceGate";
import { FeedforwardGate } from "./FeedforwardGate";
import { ItemsGate } from "./ItemsGate";
import { PermissionGate } from "./PermissionGate";
import { ReflectionGate } from "./ReflectionGate";
import { type GateProps, useReply } from "./useReply";

const TITLES: Record<GateKind, string> = {
  feedforward: "Before it begins",
  confidence: "How sure are you?",
  reflection: "Before you judge the draft",
  adjudication: "Is the draft right?",
  memory_capture: "What should be remembered?",
  name_check: "Does this name a person?",
  permission: "May it do this?",
};

const FORMS: Record<GateKind, ComponentType<GateProps>> = {
  feedforward: FeedforwardGate,
  confidence: ConfidenceGate,
  reflection: ReflectionGate,
  adjudication: ItemsGate,
  memory_capture: ItemsGate,
  name_check: ItemsGate,
  permission: PermissionGate,
};

type Props = { sessionId: string; gate: Gate; draftKey: string };

/** What the turn waits for: it waits for days, if need be. Give it the gate's place as its `key`. */
export function GateCard({ sessionId, gate, draftKey }: Props) {
  const { send, isBusy, error } = useReply(sessionId, draftKey);
  const title = useId();
  const card = useRef<HTMLElement>(null);
  const isChoice = gate.kind === "adjudication" && !gate.items?.length;
  const Form = isChoice ? ChoiceGate : FORMS[gate.kind];

  useEffect(() => {
    card.current?.scrollIntoView({ block: "start" });
  }, []);

  return (
    <section
      ref={card}
      aria-labelledby={title}
      className="scroll-my-4 rounded-lg border-2 border-accent bg-surface p-4 shadow-sm"
    >
      <h3 id={title} className="mb-2 flex items-center gap-2 font-semibold">
        <CircleHelp aria-hidden className="size-5 text-accent" />
        {isChoice ? "Which version do you want?" : TITLES[gate.kind]}
      </h3>
      <Form gate={gate} draftKey={draftKey} send={send} isBusy={isBusy} />
      {error && (
        <div className="mt-3">
          <Problem error={error} />
        </div>
      )}
    </section>
  );
}
