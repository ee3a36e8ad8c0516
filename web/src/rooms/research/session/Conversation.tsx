import { useQuery, useQueryClient } from "@tanstack/react-query";

import { messagesQuery, RESEARCH, sayInSession } from "@/api/research";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";

import { Composer } from "../Composer";
import { useDraft } from "../draft";
import { useSingle } from "../single";
import { MessageItem } from "./MessageItem";

const LONGEST_WAIT = 30;

/** All that was said, and the next thing to say. */
export function Conversation({ session }: { session: string }) {
  const messages = useQuery(messagesQuery(session));
  const [text, setText] = useDraft(`say.${session}`);
  const queries = useQueryClient();

  const saying = useSingle({
    mutationFn: async (said: string) => {
      await sayInSession(session, said);
      setText("");
      const answered = await queries.fetchQuery({ ...messagesQuery(session, LONGEST_WAIT), staleTime: 0 });
      queries.setQueryData(messagesQuery(session).queryKey, answered);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: RESEARCH }),
  });

  return (
    <Card title="What was said">
      <WhenReady query={messages}>
        {(said) =>
          said.length === 0 ? (
            <Empty title="Nothing yet">Say something below.</Empty>
          ) : (
            <ol aria-label="Messages" className="space-y-3">
              {said.map((message) => (
                <MessageItem key={message.id} message={message} />
              ))}
            </ol>
          )
        }
      </WhenReady>
      <div className="mt-4">
        <Composer
          label="Say something"
          hint="A quick answer from the library, without the checks. Begin with @deep-research to have it researched."
          action={saying.isPending ? "Being answered" : "Send"}
          text={text}
          onText={setText}
          onSend={() => saying.send(text)}
          isBusy={saying.isPending}
          error={saying.error}
        />
      </div>
    </Card>
  );
}
