import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { Waypoints } from "lucide-react";

import { mapQuery } from "@/api/journal";
import type { JournalMap } from "@/api/schema";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { AxisChooser } from "./AxisChooser";
import { ClusterMap } from "./ClusterMap";
import { ClusterMembers } from "./ClusterMembers";
import { nameOf } from "./clusterNames";
import { JournalLayout } from "./JournalLayout";

const route = getRouteApi("/journal/clusters");

export function ClustersPage() {
  const { axis = "full", cluster } = route.useSearch();
  const drawn = useQuery(mapQuery(axis));
  return (
    <JournalLayout title="Clusters" lead="Similar experiences, drawn close together">
      <AxisChooser axis={axis} to="/journal/clusters" />
      <WhenReady query={drawn} lines={8}>
        {(map) => (map.points.length === 0 ? <TooFew map={map} /> : <Clusters map={map} chosen={cluster} />)}
      </WhenReady>
    </JournalLayout>
  );
}

function TooFew({ map }: { map: JournalMap }) {
  return (
    <Empty title="There is too little to compare yet." icon={<Waypoints className="size-6" />}>
      Clusters need {map.needed} resolved experiences here; there {map.experiences === 1 ? "is" : "are"}{" "}
      {map.experiences}. Resolve more, or import a journal under{" "}
      <Link to="/journal" className="text-accent underline">
        Entries
      </Link>
      .
    </Empty>
  );
}

function Clusters({ map, chosen }: { map: JournalMap; chosen?: string }) {
  const navigate = route.useNavigate();
  const choose = (cluster?: string) => void navigate({ search: (before) => ({ ...before, cluster }) });
  const isKnown = map.clusters.some(({ cluster_id }) => cluster_id === chosen);

  return (
    <div className="grid gap-4 lg:grid-cols-[1fr_20rem]">
      <Card title="Map" note="Scroll to zoom, drag to move, click a point">
        <ClusterMap map={map} chosen={chosen} onChoose={choose} />
      </Card>
      <Card title={plural(map.count, "cluster")} note={`${map.noise_count} in none`}>
        <ul className="max-h-96 space-y-1 overflow-y-auto" tabIndex={0} aria-label="Clusters">
          {map.clusters.map((cluster) => (
            <li key={cluster.cluster_id}>
              <Link
                to="/journal/clusters"
                search={(before) => ({ ...before, cluster: cluster.cluster_id })}
                aria-current={cluster.cluster_id === chosen ? "true" : undefined}
                className="flex items-center justify-between gap-3 rounded-md px-2 py-1.5 text-sm hover:bg-sunken aria-[current=true]:bg-accent-soft aria-[current=true]:text-accent"
              >
                <span>{nameOf(cluster)}</span>
                <span>
                  {plural(cluster.size, "experience")}
                  <span className="sr-only">, mean weight {cluster.avg_weight.toFixed(2)}</span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      </Card>
      <div className="lg:col-span-2">
        {chosen && isKnown ? (
          <ClusterMembers key={chosen} clusterId={chosen} />
        ) : (
          <p className="text-sm text-muted">
            Choose a cluster to read what it holds, and to make a value of it.
          </p>
        )}
      </div>
    </div>
  );
}
