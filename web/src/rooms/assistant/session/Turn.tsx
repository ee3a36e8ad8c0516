import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { storyQuery } from "@/api/assistant";
import type { TurnView } from "@/api/schema";
import { Markdown } from "@/components/Markdown";
import { WhenReady } from "@/components/States";
import { Time } from "@/components/Time";

import { GateCard } from "../gates/GateCard";
import { openGate, partsOf } from "../story/parts";
import { TurnParts } from "../story/TurnParts";
import type { LiveTurn } from "../story/useLiveTurn";
import { useFollowing } from "./useFollowing";

export function PastTurn({ turn }: { turn: TurnView }) {
  const story = useQuery(storyQuery(turn.session_id, turn.run_id));
  return (
    <Frame turn={turn}>
      <WhenReady query={story}>{({ events }) => <TurnParts parts={partsOf(events)} />}</WhenReady>
    </Frame>
  );
}

export function NewestTurn({ turn, live }: { turn: TurnView; live: LiveTurn }) {
  const parts = partsOf(live.events);
  const gate = openGate(parts);
  const isOver = parts.at(-1)?.kind === "end";
  const end = useFollowing(live.events.length + live.writing.length, gate === null);
  return (
    <Frame turn={turn}>
      <TurnParts parts={parts} />
      {live.writing && (
        <article
          aria-label="Being written"
          aria-busy
          className="rounded-lg border border-dashed bg-surface p-3"
        >
          <Markdown text={live.writing} className="text-sm" />
        </article>
      )}
      {!gate && !isOver && <Working isWriting={live.writing !== ""} />}
      <p aria-live="polite" className="sr-only">
        {gate ? "It asks you something." : isOver ? "The turn has ended." : ""}
      </p>
      {gate && (
        <GateCard
          key={gate.key}
          sessionId={turn.session_id}
          gate={gate.gate}
          draftKey={`gate.${turn.run_id}.${gate.key}`}
        />
      )}
      <div ref={end} aria-hidden className="h-px scroll-mb-36" />
    </Frame>
  );
}

function Frame({ turn, children }: { turn: TurnView; children: ReactNode }) {
  return (
    <section aria-label={`Turn: ${turn.input.slice(0, 60)}`} className="space-y-3">
      <div className="ml-auto w-fit max-w-[92%] rounded-lg bg-accent-soft p-3">
        <p className="break-words whitespace-pre-wrap">{turn.input}</p>
        <p className="mt-1 text-right text-xs text-muted">
          <Time at={turn.created_at} />
        </p>
      </div>
      {children}
    </section>
  );
}

function Working({ isWriting }: { isWriting: boolean }) {
  return (
    <p className="flex items-center gap-2 text-sm text-muted">
      <span
        aria-hidden
        className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
      />
      {isWriting ? "Writing…" : "Working…"}
    </p>
  );
}
