import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";

import { type ChangeRef, validationQuery } from "@/api/changes";
import type { IssueView, Level, ValidationView } from "@/api/schema";
import { Badge, type Tone } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Notice, WhenReady } from "@/components/States";

import type { PanelProps } from "./Panel";
import { TABS, tabOfFile } from "./tabs";

const LEVELS: Record<Level, { tone: Tone; word: string }> = {
  ERROR: { tone: "bad", word: "must be mended" },
  WARNING: { tone: "warn", word: "should be mended" },
  INFO: { tone: "neutral", word: "worth knowing" },
};

/** Whether it could be approved, and what is in the way. */
export function ValidationPanel({ at, change }: PanelProps) {
  const validation = useQuery(validationQuery(at));
  return (
    <WhenReady query={validation} lines={6}>
      {(data) => (
        <Card title={data.valid ? "Validation" : "What is in the way"} note={<CheckedBy {...data} />}>
          {data.valid && (
            <Notice tone="good">
              <p className="flex items-center gap-2">
                <CircleCheck aria-hidden className="size-4 shrink-0" />
                It is valid{change.status === "proposing" ? " and can be approved" : ""}.
              </p>
            </Notice>
          )}
          {data.issues.length > 0 && (
            <ul className="mt-3 divide-y">
              {data.issues.map((issue, index) => (
                <Issue key={index} at={at} issue={issue} />
              ))}
            </ul>
          )}
          {data.note && <p className="mt-3 text-sm text-muted">{data.note}</p>}
        </Card>
      )}
    </WhenReady>
  );
}

function CheckedBy({ checked_by_openspec }: ValidationView) {
  return checked_by_openspec ? "Checked by Bottega and by OpenSpec" : "Checked by Bottega";
}

function Issue({ at, issue }: { at: ChangeRef; issue: IssueView }) {
  const { tone, word } = LEVELS[issue.level];
  const tab = tabOfFile(issue.path);
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 py-2 text-sm">
      <Badge tone={tone}>{word}</Badge>
      <p className="min-w-0 grow basis-64 break-words">{issue.message}</p>
      <Link
        to="/board/changes/$id"
        params={{ id: at.id }}
        search={{ tab: tab === "proposal" ? undefined : tab, project: at.project }}
        className="break-all text-accent underline underline-offset-2"
      >
        {issue.path || TABS[tab]}
        {issue.line !== null && `, line ${issue.line}`}
      </Link>
    </li>
  );
}
