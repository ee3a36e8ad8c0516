import { useQuery, useQueryClient } from "@tanstack/react-query";

import { filesKey, sessionKey, sessionQuery, TURN_MOVES, turnsQuery } from "@/api/assistant";
import { useLive } from "@/api/live";
import type { SessionState, TurnView } from "@/api/schema";
import { Page } from "@/components/Page";
import { SplitPanes } from "@/components/SplitPanes";
import { Loading, Problem } from "@/components/States";

import { FileSidebar } from "../files/FileSidebar";
import { draftOf } from "../story/document";
import { useLiveTurn } from "../story/useLiveTurn";
import { useIsNarrow } from "../useIsNarrow";
import { Chat } from "./Chat";
import { SearchTabs } from "./SearchTabs";
import { SessionActions } from "./SessionActions";
import { SessionLead } from "./SessionLead";
import type { SessionSearch } from "./search";
import { SidePane } from "./SidePane";

const PANES = [
  ["chat", "Chat"],
  ["document", "Document"],
  ["files", "Files"],
] as const;

export function SessionPage({ id, search }: { id: string; search: SessionSearch }) {
  const session = useQuery(sessionQuery(id));
  const turns = useQuery(turnsQuery(id));
  const queries = useQueryClient();
  useLive(TURN_MOVES, (event) => {
    if (event.session_id !== id) return;
    void queries.invalidateQueries({ queryKey: sessionKey(id) });
    void queries.invalidateQueries({ queryKey: filesKey });
  });

  if (!session.data || !turns.data) {
    const missing = session.data ? turns : session;
    return (
      <Page title="Session">
        {missing.error ? (
          <Problem error={missing.error} onRetry={() => void missing.refetch()} />
        ) : (
          <Loading lines={8} />
        )}
      </Page>
    );
  }
  return <Shown state={session.data} turns={turns.data.turns} search={search} />;
}

type ShownProps = { state: SessionState; turns: readonly TurnView[]; search: SessionSearch };

function Shown({ state: { session }, turns, search }: ShownProps) {
  const newest = turns.at(-1) ?? null;
  const live = useLiveTurn(session.id, newest?.run_id ?? null);
  const isNarrow = useIsNarrow();
  const draft = draftOf(live.events, session.artefact);

  const files = <FileSidebar plugin={session.plugin} open={search.file} />;
  const chat = <Chat session={session} turns={turns} live={live} />;
  const side = <SidePane session={session} search={search} draft={draft} events={live.events} />;

  return (
    <Page
      isFull
      title={session.title ?? "Session"}
      lead={<SessionLead session={session} turns={turns} />}
      actions={<SessionActions session={session} turn={newest} />}
    >
      {isNarrow ? (
        <>
          <SearchTabs label="Parts of the session" name="pane" tabs={PANES} chosen={search.pane ?? "chat"} />
          <div className="min-h-0 grow overflow-y-auto" tabIndex={0}>
            {{ chat, document: side, files }[search.pane ?? "chat"]}
          </div>
        </>
      ) : (
        <SplitPanes
          className="min-h-0 grow"
          panes={[
            { id: "files", label: "Files and memory", content: files, size: 18 },
            { id: "chat", label: "Conversation", content: chat, size: 44, least: 28 },
            { id: "side", label: "Document", content: side, size: 38, least: 24 },
          ]}
        />
      )}
    </Page>
  );
}
