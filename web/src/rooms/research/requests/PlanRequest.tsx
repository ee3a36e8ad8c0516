import { useState } from "react";

import type { PlanAsked } from "@/api/schema";
import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { Markdown } from "@/components/Markdown";
import { Problem } from "@/components/States";

import { useAnswering } from "./answering";

export function PlanRequest({ id, asked }: { id: string; asked: PlanAsked }) {
  const [comment, setComment] = useState("");
  const answering = useAnswering(id);

  return (
    <div className="space-y-3">
      <h3 className="font-medium">Plan: {asked.title}</h3>
      <div className="max-h-80 overflow-y-auto rounded-md bg-sunken p-3 text-sm" tabIndex={0}>
        <Markdown text={asked.plan} />
      </div>
      <TextArea
        label="What should be different"
        hint="Needed only to send the plan back."
        rows={2}
        value={comment}
        onChange={(event) => setComment(event.target.value)}
      />
      {answering.error && <Problem error={answering.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          kind="primary"
          isBusy={answering.isPending}
          onClick={() => answering.send({ kind: "plan", approved: true, comment })}
        >
          Agree to the plan
        </Button>
        <Button
          disabled={!comment.trim() || answering.isPending}
          onClick={() => answering.send({ kind: "plan", approved: false, comment })}
        >
          Send it back
        </Button>
      </div>
    </div>
  );
}
