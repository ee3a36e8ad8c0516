import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { answerQuery, messagesQuery } from "@/api/research";
import type { MessageView, RunState } from "@/api/schema";
import { Card } from "@/components/Card";
import { Loading, WhenReady } from "@/components/States";

import { MessageItem } from "../session/MessageItem";

const LONGEST_WAIT = 30;

/** After leaving a run: what was asked instead, and what came of it. */
export function Left({ run }: { run: RunState }) {
  const openQuestion = useQuery(answerQuery(run.id)).data?.open_question;
  const session = run.session_id ?? "";
  const messages = useQuery(messagesQuery(session, LONGEST_WAIT));

  return (
    <Card title="You left this research">
      <p className="text-sm">
        What it had found by then is kept, and known in{" "}
        <Link to="/research/sessions/$id" params={{ id: session }} className="text-accent underline">
          the conversation
        </Link>
        .
      </p>
      {openQuestion && (
        <div className="mt-3 space-y-3">
          <p className="text-sm">
            You asked instead: <q>{openQuestion}</q>
          </p>
          <WhenReady query={messages}>
            {(all) => {
              const said = afterLeaving(all, run.id);
              return said.length > 0 ? (
                <ol className="space-y-3">
                  {said.map((message) => (
                    <MessageItem key={message.id} message={message} />
                  ))}
                </ol>
              ) : (
                <Loading lines={2} label="Being answered" />
              );
            }}
          </WhenReady>
        </div>
      )}
    </Card>
  );
}

/** What was said between leaving this run and whatever was researched next. */
function afterLeaving(messages: readonly MessageView[], run: string): MessageView[] {
  const left = messages.findLastIndex(({ content }) => content.run_id === run);
  const later = messages.slice(left + 1);
  const next = later.findIndex(({ content }) => content.run_id !== undefined);
  return next < 0 ? later : later.slice(0, next);
}
