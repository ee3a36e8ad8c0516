import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";

import { useRefresh } from "@/api/live";
import { RESEARCH, sessionQuery } from "@/api/research";
import { Page } from "@/components/Page";
import { Time } from "@/components/Time";
import { WhenReady } from "@/components/States";
import { money, plural } from "@/lib/words";

import { NEWS } from "../news";
import { Requests } from "../requests/Requests";
import { Conversation } from "./Conversation";
import { SessionActions } from "./SessionActions";
import { Sorting } from "./Sorting";

const route = getRouteApi("/research/sessions/$id");

/** A conversation: questions that were researched, and whatever was said around them. */
export function SessionPage() {
  const { id } = route.useParams();
  const session = useQuery(sessionQuery(id));
  useRefresh(NEWS, RESEARCH);
  const shown = session.data;

  return (
    <Page
      title={shown?.title ?? "Conversation"}
      lead={
        shown && (
          <p className="flex flex-wrap gap-x-3">
            {shown.library && <span>in {shown.library}</span>}
            <span>{plural(shown.message_count, "message")}</span>
            <Time at={shown.seen_at} />
            {shown.token_usage.cost > 0 && <span>costs {money(shown.token_usage.cost)}</span>}
            {shown.archived_at && <span>archived</span>}
          </p>
        )
      }
      actions={shown && <SessionActions key={id} session={shown} />}
    >
      <WhenReady query={session}>
        {() => (
          <div className="space-y-4">
            <Requests session={id} />
            <Conversation key={id} session={id} />
            <Sorting session={id} />
          </div>
        )}
      </WhenReady>
    </Page>
  );
}
