import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Target } from "lucide-react";

import { useRefresh } from "@/api/live";
import { katasQuery } from "@/api/learning";
import type { KataSummary } from "@/api/schema";
import { Card } from "@/components/Card";
import { Choices } from "@/components/Choices";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { CoachTabs } from "@/rooms/coach/dashboard/CoachTabs";

import { KataItem } from "./KataItem";
import { NextKata } from "./NextKata";

export type Shown = "all" | "open" | "solved";

const SHOWN = [
  ["all", "All"],
  ["open", "To do"],
  ["solved", "Solved"],
] as const;

export function PracticePage({ show }: { show: Shown }) {
  const katas = useQuery(katasQuery);
  useRefresh(["session.*"], katasQuery.queryKey);
  return (
    <Page
      title="Practice"
      lead="Small exercises for what was hard. Your solution is really run against tests."
    >
      <CoachTabs />
      <WhenReady query={katas} lines={6}>
        {(all) => (all.length === 0 ? <NoKatas /> : <Katas katas={all} show={show} />)}
      </WhenReady>
    </Page>
  );
}

function NoKatas() {
  return (
    <Empty title="No katas yet" icon={<Target className="size-6" />}>
      <p className="mb-3">
        The end of a coaching session names what was hard and brings a kata for it. You can also ask for one
        to warm up.
      </p>
      <NextKata />
    </Empty>
  );
}

function Katas({ katas, show }: { katas: readonly KataSummary[]; show: Shown }) {
  const navigate = useNavigate();
  const shown = katas.filter(({ solved }) => show === "all" || solved === (show === "solved"));
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-start justify-between gap-3">
        <NextKata />
        <Choices
          label="Which katas"
          value={show}
          options={SHOWN}
          onChange={(chosen) => navigate({ to: "/coach/practice", search: { show: chosen }, replace: true })}
        />
      </div>
      <Card title="Katas">
        {shown.length === 0 && (
          <p className="text-sm text-muted">
            {show === "open" ? "All of them are solved." : "None of them is solved yet."}
          </p>
        )}
        <ul aria-label="Katas" className="divide-y">
          {shown.map((kata) => (
            <KataItem key={kata.id} kata={kata} />
          ))}
        </ul>
      </Card>
    </div>
  );
}
