import type { TurnEvent } from "@/api/assistant";
import type { AssistantSessionView } from "@/api/schema";

import { FileEditor } from "../files/FileEditor";
import type { Draft } from "../story/document";
import { Decisions } from "./Decisions";
import { DocumentView } from "./DocumentView";
import { HookLog } from "./HookLog";
import { SearchTabs } from "./SearchTabs";
import type { SessionSearch } from "./search";

type Props = {
  session: AssistantSessionView;
  search: SessionSearch;
  draft: Draft;
  events: readonly TurnEvent[];
};

/** Beside the conversation: the document, a file, what was decided, what hooks did. */
export function SidePane({ session, search, draft, events }: Props) {
  const { file } = search;
  const view = search.view === "file" && !file ? "document" : (search.view ?? "document");
  const tabs = [
    ["document", "Document"],
    ...(file ? [["file", file.split("/").at(-1) ?? file] as const] : []),
    ["decisions", "Decisions"],
    ["hooks", "Hooks"],
  ] as const;

  return (
    <div className="relative flex min-h-full flex-col px-1">
      <SearchTabs label="Beside the conversation" name="view" tabs={tabs} chosen={view} />
      {view === "document" && <DocumentView draft={draft} />}
      {view === "file" && file && <FileEditor key={file} plugin={session.plugin} path={file} />}
      {view === "decisions" && <Decisions sessionId={session.id} />}
      {view === "hooks" && <HookLog events={events} />}
    </div>
  );
}
