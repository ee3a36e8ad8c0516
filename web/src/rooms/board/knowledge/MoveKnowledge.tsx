import { useQuery } from "@tanstack/react-query";

import { answer, rest } from "@/api/client";
import { projectsQuery } from "@/api/projects";
import { Button } from "@/components/Button";

import { useBoardSearch } from "../search";
import { useDoing } from "../useDoing";
import { type Item, tierOf } from "./tiers";

/** A tier up, or from everywhere back to one project. */
export function MoveKnowledge({ item }: { item: Item }) {
  return tierOf(item) === "global" ? <Demote item={item} /> : <Promote item={item} />;
}

function Promote({ item }: { item: Item }) {
  const tier = tierOf(item);
  const promote = useDoing(
    () =>
      answer(
        rest.POST("/api/board/knowledge/{tier}/{id}/promote", { params: { path: { tier, id: item.id } } }),
      ),
    { done: () => (tier === "task" ? "Its whole project sees it now." : "Every project sees it now.") },
  );
  return (
    <Button kind="quiet" isBusy={promote.isPending} onClick={() => promote.mutate(undefined)}>
      {tier === "task" ? "Tell its project" : "Tell every project"}
    </Button>
  );
}

function Demote({ item }: { item: Item }) {
  const [{ project }] = useBoardSearch();
  const projects = useQuery(projectsQuery).data ?? [];
  const source = "source_project" in item ? item.source_project : null;
  const home = source ?? project ?? (projects.length === 1 ? projects[0]?.id : undefined);
  const name = projects.find(({ id }) => id === home)?.name;
  const demote = useDoing(
    () =>
      answer(
        rest.POST("/api/board/knowledge/global/{id}/demote", {
          params: { path: { id: item.id }, query: { project_id: home } },
        }),
      ),
    { done: () => `Only ${name ?? "its project"} sees it now.` },
  );
  return (
    <Button
      kind="quiet"
      title={home ? undefined : "It came from no project: choose one above first"}
      disabled={!home}
      isBusy={demote.isPending}
      onClick={() => demote.mutate(undefined)}
    >
      Tell only {name ?? "one project"}
    </Button>
  );
}
