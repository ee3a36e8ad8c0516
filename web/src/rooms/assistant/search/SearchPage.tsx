import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Search } from "lucide-react";
import { type FormEvent, useState } from "react";

import { searchQuery } from "@/api/assistant";
import { Badge } from "@/components/Badge";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { Time } from "@/components/Time";

import { RoomTabs } from "../RoomTabs";
import { commandTitle } from "../words";
import { Highlighted } from "./Highlighted";

/** A line of markdown without what only a renderer needs. */
function withoutMarks(text: string): string {
  return text.replace(/(^|\s)#{1,6}\s|\*\*|`/g, "$1");
}

type Props = { query: string; classId: string };

/** Sessions by what was said in them. */
export function SearchPage({ query, classId }: Props) {
  const [words, setWords] = useState(query);
  const [group, setGroup] = useState(classId);
  const navigate = useNavigate();
  const found = useQuery(searchQuery(query, classId));

  function submit(event: FormEvent) {
    event.preventDefault();
    void navigate({
      to: "/assistant/search",
      search: { query: words.trim() || undefined, class: group.trim() || undefined },
    });
  }

  return (
    <Page title="Search sessions" lead="Every word must have been said, by you or by an agent, in any form.">
      <RoomTabs />
      <form aria-label="Search sessions" onSubmit={submit} className="mb-6 flex flex-wrap items-end gap-3">
        <TextField
          label="Words"
          type="search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          className="grow basis-60"
        />
        <TextField
          label="Class"
          placeholder="any"
          value={group}
          onChange={(event) => setGroup(event.target.value)}
          className="w-28"
        />
        <Button kind="primary" type="submit" isBusy={found.isFetching}>
          Search
        </Button>
      </form>
      <WhenReady query={found}>
        {({ found: sessions }) =>
          sessions.length > 0 ? (
            <ul aria-label="Found sessions" className="space-y-3">
              {sessions.map(({ session, excerpt }) => (
                <li key={session.id} className="rounded-lg border bg-surface p-4">
                  <Link
                    to="/assistant/sessions/$id"
                    params={{ id: session.id }}
                    className="font-medium break-words hover:underline"
                  >
                    {session.title ?? "Without a title"}
                  </Link>
                  <p className="mt-0.5 flex flex-wrap items-center gap-2 text-xs text-muted">
                    {session.class_id && <Badge>{session.class_id}</Badge>}
                    {commandTitle(session.command ?? session.plugin)}
                    <Time at={session.updated_at} />
                  </p>
                  {query && (
                    <Highlighted text={withoutMarks(excerpt)} query={query} className="mt-2 text-sm" />
                  )}
                </li>
              ))}
            </ul>
          ) : (
            <Empty
              title={query ? `Nobody said “${query}” yet.` : "There are no sessions yet."}
              icon={<Search />}
            >
              {query
                ? "Try fewer words, or another form of them."
                : "Start with a command; then it can be found here."}
            </Empty>
          )
        }
      </WhenReady>
    </Page>
  );
}
