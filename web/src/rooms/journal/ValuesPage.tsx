import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Gem } from "lucide-react";

import { valuesQuery } from "@/api/journal";
import type { Axis, ValueView } from "@/api/schema";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Select } from "@/components/Field";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";
import { percent, plural } from "@/lib/words";

import { ContextPanel } from "./ContextPanel";
import { JournalLayout } from "./JournalLayout";
import { AXES } from "./words";

const route = getRouteApi("/journal/values");

export function ValuesPage() {
  const { axis } = route.useSearch();
  const navigate = route.useNavigate();
  const values = useQuery(valuesQuery(axis));
  return (
    <JournalLayout title="Values" lead="What many experiences have taught, a sentence each">
      <div className="grid items-start gap-4 lg:grid-cols-[1fr_22rem]">
        <Card title="Values">
          <Select
            label="Compared by"
            className="mb-4 w-48"
            value={axis ?? ""}
            options={[
              ["", "All"],
              ...Object.entries(AXES).map(([name, { name: word }]) => [name, word] as const),
            ]}
            onChange={(event) =>
              void navigate({ search: { axis: (event.target.value || undefined) as Axis | undefined } })
            }
          />
          <WhenReady query={values}>
            {({ results }) =>
              results.length === 0 ? (
                <Empty title="No value has been formed yet." icon={<Gem className="size-6" />}>
                  Choose a cluster on the{" "}
                  <Link to="/journal/clusters" className="text-accent underline">
                    map
                  </Link>{" "}
                  and say in a sentence what it teaches.
                </Empty>
              ) : (
                <ul className="divide-y">
                  {results.map((value) => (
                    <Value key={value.id} value={value} />
                  ))}
                </ul>
              )
            }
          </WhenReady>
        </Card>
        <ContextPanel />
      </div>
    </JournalLayout>
  );
}

function Value({ value }: { value: ValueView }) {
  return (
    <li className="py-3 first:pt-0">
      <p>{value.text}</p>
      <p className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-muted">
        <Badge>{AXES[value.axis].name}</Badge>
        <Link
          to="/journal/clusters"
          search={{ axis: value.axis, cluster: value.cluster_id }}
          className="text-accent underline"
        >
          from {plural(value.cluster_size, "experience")}
        </Link>
        <span>{percent(value.similarity_to_centroid)} alike</span>
        <Time at={value.created_at} />
      </p>
    </li>
  );
}
