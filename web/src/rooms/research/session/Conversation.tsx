import { useQuery, useQueryClient } from "@tanstack/react-query";

import { messagesQuery, RESEARCH, sayInSession } from "@/api/research";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { useKept } from "@/lib/kept";

import { Composer } from "../Composer";
import { useSingle } from "@/lib/single";
import { MessageItem } from "./MessageItem";

/** Seconds that the server is asked to wait for the answer, and how often it is asked. */
const LONGEST_WAIT = 30;
const MOST_ROUNDS = 20;

/** All that was said, and the next thing to say. */
export function Conversation({ session }: { session: string }) {
  const messages = useQuery(messagesQuery(session));
  const [text, setText] = useKept(`research.say.${session}`, "");
  const queries = useQueryClient();

  const saying = useSingle({
    mutationFn: async (said: string) => {
      await sayInSession(session, said);
      setText("");
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const all = await queries.fetchQuery({ ...messagesQuery(session, LONGEST_WAIT), staleTime: 0 });
        queries.setQueryData(messagesQuery(session).queryKey, all);
        if (all.at(-1)?.role !== "user") return;
      }
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
