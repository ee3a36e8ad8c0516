import { RefreshCw } from "lucide-react";
import { useState } from "react";

import type { DashboardIssues, RankedIssue } from "@/api/coach";
import type { StartSession } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { Confirm } from "@/components/Dialog";
import { Empty } from "@/components/States";
import { useStart } from "@/rooms/coach/history/sessions";

import type { Part } from "./arrivals";
import { IssueItem } from "./IssueItem";
import { OwnWords } from "./OwnWords";
import { PartReady } from "./PartReady";

type Props = { part: Part<DashboardIssues>; isUnderWay: boolean; onRefresh: () => void };

export function IssuesCard({ part, isUnderWay, onRefresh }: Props) {
  const start = useStart();
  const [wanted, setWanted] = useState<StartSession | null>(null);

  function begin(asked: StartSession) {
    if (isUnderWay) setWanted(asked);
    else start.mutate(asked);
  }

  return (
    <Card
      title="Issues that fit"
      note={
        <Button kind="quiet" isBusy={part.isAwaited} onClick={onRefresh}>
          {!part.isAwaited && <RefreshCw aria-hidden className="size-4" />}
          Look again
        </Button>
      }
    >
      <PartReady part={part} label="Looking for issues that fit you" onRetry={onRefresh}>
        {(found) => <Issues {...found} isBusy={start.isPending} onWork={begin} />}
      </PartReady>
      {part.error && (
        <p className="mt-3 text-sm text-muted">
          You can do without GitHub: a markdown file for each issue in the project’s <code>issues</code>{" "}
          folder is enough.
        </p>
      )}
      <OwnWords isBusy={start.isPending} onStart={begin} />
      <Confirm
        title="Set the other session aside?"
        action="Set aside and start"
        isOpen={wanted !== null}
        isBusy={start.isPending}
        onConfirm={() => wanted && start.mutate(wanted)}
        onClose={() => setWanted(null)}
      >
        A session is under way. It is set aside when you start another, and you can go on with it later from
        the list of sessions.
      </Confirm>
    </Card>
  );
}

type IssuesProps = DashboardIssues & { isBusy: boolean; onWork: (asked: StartSession) => void };

function Issues({ issues, offline, source, isBusy, onWork }: IssuesProps) {
  if (issues.length === 0) {
    return (
      <Empty title="No open issues">
        {source === "github" ? "GitHub has none for this project." : "The project’s issues folder has none."}{" "}
        Put a markdown file into <code>issues/</code>, or say below what you want to do.
      </Empty>
    );
  }
  return (
    <>
      <p className="mb-2 text-sm text-muted">
        From {source === "github" ? "GitHub" : "the project’s issues folder"}, the best for you first
        {offline && "; judged by labels and words, without a model"}.
      </p>
      <ul aria-label="Issues" className="divide-y">
        {issues.map((issue: RankedIssue) => (
          <IssueItem
            key={issue.number}
            issue={issue}
            isBusy={isBusy}
            onWork={() => onWork({ issueNumber: issue.number })}
          />
        ))}
      </ul>
    </>
  );
}
