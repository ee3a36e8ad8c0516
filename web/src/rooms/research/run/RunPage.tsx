import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { runQuery } from "@/api/research";
import { Page } from "@/components/Page";
import { WhenReady } from "@/components/States";

import { RunView } from "./RunView";

const route = getRouteApi("/research/runs/$id");

export function RunPage() {
  const { id } = route.useParams();
  const run = useQuery(runQuery(id));
  if (run.data) return <RunView key={id} run={run.data} />;
  return (
    <Page title="Research">
      <WhenReady query={run}>{() => null}</WhenReady>
    </Page>
  );
}
