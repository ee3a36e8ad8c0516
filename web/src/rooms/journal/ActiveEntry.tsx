import { useState } from "react";

import type { Active } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Time } from "@/components/Time";
import { plural } from "@/lib/words";

import { ResolveForm } from "./ResolveForm";
import { LabelledTexts } from "./LabelledTexts";
import { UpdateForm } from "./UpdateForm";
import { DOMAINS, STRATEGIES } from "./words";

/** The one that is open now: change it while you learn, then say what happened. */
export function ActiveEntry({ entry }: { entry: Active }) {
  const [doing, setDoing] = useState<"looking" | "changing" | "resolving">("looking");
  const { domain, strategy, iteration_count: iterations, created_at: createdAt } = entry;

  return (
    <Card
      title="Open now"
      note={
        <>
          {domain && DOMAINS[domain]}
          {iterations && iterations > 1 ? `, ${plural(iterations, "attempt")}` : ""}
          {createdAt && (
            <>
              {" · begun "}
              <Time at={createdAt} />
            </>
          )}
        </>
      }
    >
      <LabelledTexts
        parts={[
          ["Goal", entry.goal],
          ["Hypothesis", entry.hypothesis],
          ["Action", entry.action],
          ["Prediction", entry.prediction],
          ["Way", strategy && STRATEGIES[strategy]],
        ]}
      />
      {doing === "looking" && (
        <div className="mt-4 flex flex-wrap gap-2">
          <Button kind="primary" onClick={() => setDoing("resolving")}>
            Say what happened
          </Button>
          <Button onClick={() => setDoing("changing")}>Change it</Button>
        </div>
      )}
      {doing === "changing" && <UpdateForm entry={entry} onDone={() => setDoing("looking")} />}
      {doing === "resolving" && <ResolveForm entryId={entry.id ?? ""} onClose={() => setDoing("looking")} />}
    </Card>
  );
}
