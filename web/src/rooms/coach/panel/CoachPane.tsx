import { useState } from "react";

import { Button } from "@/components/Button";
import { Markdown } from "@/components/Markdown";

import { reviewWork } from "../desk/acting";
import { useDesk } from "../desk/store";
import { StartForm } from "../start/StartForm";
import { HintSlider } from "./HintSlider";
import { ObserverSwitch } from "./ObserverSwitch";
import { Phases } from "./Phases";
import { PlanForm } from "./PlanForm";
import { Talk } from "./Talk";

/** Beside the editor: the plan, how closely hints point, and the conversation. */
export function CoachPane() {
  const session = useDesk((state) => state.session);
  const isReviewing = useDesk((state) => state.waiting.review !== undefined);

  if (!session) {
    return (
      <div className="h-full overflow-auto rounded-lg border bg-surface p-3">
        <StartForm />
      </div>
    );
  }
  return (
    <div className="flex h-full min-h-0 flex-col rounded-lg border bg-surface">
      <div className="max-h-[45%] shrink-0 overflow-y-auto p-3" tabIndex={0}>
        <Plan key={session.id} session={session.id} summary={session.issue.summary} />
      </div>
      <div className="flex shrink-0 items-end gap-4 border-y px-3 py-2">
        <HintSlider />
        <ObserverSwitch />
      </div>
      <Talk />
      <div className="shrink-0 border-t p-2">
        <Button className="w-full" isBusy={isReviewing} onClick={reviewWork}>
          Review my work
        </Button>
      </div>
    </div>
  );
}

function Plan({ session, summary }: { session: string; summary: string }) {
  const hasPhases = useDesk((state) => state.phases.length > 0);
  const [isChanging, setChanging] = useState(false);
  return (
    <section className="space-y-2">
      <div className="flex items-baseline justify-between gap-2">
        <h2 className="font-semibold">Plan</h2>
        {hasPhases && !isChanging && (
          <Button kind="quiet" className="-my-1 px-2! py-0.5! text-muted" onClick={() => setChanging(true)}>
            Change the plan
          </Button>
        )}
      </div>
      {summary && (
        <details open={!hasPhases} className="text-sm">
          <summary className="text-muted">The issue</summary>
          <Markdown text={summary} className="mt-1" />
        </details>
      )}
      {hasPhases && <Phases />}
      {(!hasPhases || isChanging) && (
        <PlanForm session={session} onDone={isChanging ? () => setChanging(false) : undefined} />
      )}
    </section>
  );
}
