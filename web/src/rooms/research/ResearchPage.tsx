import { getRouteApi } from "@tanstack/react-router";

import { RESEARCH } from "@/api/research";
import { useRefresh } from "@/api/live";
import { Page } from "@/components/Page";

import { AskCard } from "./asking/AskCard";
import { History } from "./history/History";
import { NEWS } from "./news";
import { Requests } from "./requests/Requests";

const route = getRouteApi("/research/");

export function ResearchPage() {
  const { ask, library, agent } = route.useSearch();
  useRefresh(NEWS, RESEARCH);

  return (
    <Page
      title="Research"
      lead="Ask your documents. Every sentence of an answer cites the paragraph that it rests on, or there is no answer."
    >
      <div className="space-y-6">
        <Requests />
        <AskCard question={ask} library={library} agent={agent} />
        <History />
      </div>
    </Page>
  );
}
