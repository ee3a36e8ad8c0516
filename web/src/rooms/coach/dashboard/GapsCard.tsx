import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { gapsQuery, LEARNING } from "@/api/learning";
import type { GapView, Severity } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { toast, toastError } from "@/components/Toasts";
import { plural } from "@/lib/words";

const TONES: Record<Severity, Tone> = { high: "bad", medium: "warn", low: "neutral" };
const WORDS: Record<Severity, string> = { high: "matters much", medium: "matters", low: "matters little" };

export function GapsCard() {
  const gaps = useQuery(gapsQuery);
  const mark = useMark();
  return (
    <Card title="Knowledge gaps">
      <WhenReady query={gaps}>
        {(all) => {
          const open = all.filter(({ addressed }) => !addressed);
          const closed = all.filter(({ addressed }) => addressed);
          return (
            <>
              {open.length === 0 && <p className="text-sm text-muted">{nothingOpen(closed.length)}</p>}
              <ul aria-label="Open gaps" className="divide-y">
                {open.map((gap) => (
                  <Gap key={gap.id} gap={gap} isBusy={mark.isPending} onMark={mark.mutate} />
                ))}
              </ul>
              {closed.length > 0 && (
                <details className="mt-3 text-sm">
                  <summary className="text-muted">{plural(closed.length, "closed gap")}</summary>
                  <ul aria-label="Closed gaps" className="mt-1 divide-y">
                    {closed.map((gap) => (
                      <Gap key={gap.id} gap={gap} isBusy={mark.isPending} onMark={mark.mutate} />
                    ))}
                  </ul>
                </details>
              )}
            </>
          );
        }}
      </WhenReady>
    </Card>
  );
}

function nothingOpen(closed: number): string {
  return closed > 0
    ? "Nothing is open: all that was hard is closed."
    : "Nothing yet. The end of a session names what was hard, with what it saw.";
}

type Marked = { id: string; addressed: boolean };

function useMark() {
  const queries = useQueryClient();
  const mark = useMutation({
    mutationFn: ({ id, addressed }: Marked) =>
      answer(rest.POST("/api/coach/gaps/{id}/addressed", { params: { path: { id } }, body: { addressed } })),
    onSuccess: async ({ id, topic, addressed }) => {
      await queries.invalidateQueries({ queryKey: LEARNING });
      if (addressed) toast(`“${topic}” is closed.`, () => mark.mutate({ id, addressed: false }));
    },
    onError: toastError,
  });
  return mark;
}

type GapProps = { gap: GapView; isBusy: boolean; onMark: (marked: Marked) => void };

function Gap({ gap, isBusy, onMark }: GapProps) {
  const verb = gap.addressed ? "Open again" : "I know this now";
  return (
    <li className="space-y-1 py-3 text-sm first:pt-0">
      <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
        <h3 className="min-w-0 font-medium break-words">{gap.topic}</h3>
        <Badge tone={TONES[gap.severity]}>{WORDS[gap.severity]}</Badge>
      </div>
      <p className="break-words">{gap.evidence}</p>
      {gap.relatedConcepts.length > 0 && (
        <p className="text-muted">See also: {gap.relatedConcepts.join(", ")}.</p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2 text-muted">
        <span>
          Met {plural(gap.frequency, "time")}, last <Time at={gap.lastEncounteredAt} />
        </span>
        <Button
          disabled={isBusy}
          aria-label={`${verb}: ${gap.topic}`}
          onClick={() => onMark({ id: gap.id, addressed: !gap.addressed })}
        >
          {verb}
        </Button>
      </div>
    </li>
  );
}
