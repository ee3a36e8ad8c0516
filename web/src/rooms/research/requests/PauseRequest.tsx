import type { PauseAsked } from "@/api/schema";
import { Button } from "@/components/Button";
import { Markdown } from "@/components/Markdown";
import { plain } from "@/lib/words";
import { useKept } from "@/lib/kept";

import { Composer } from "../Composer";
import { useAnswering } from "./answering";

export function PauseRequest({ id, asked }: { id: string; asked: PauseAsked }) {
  const [text, setText] = useKept(`research.request.${id}`, "");
  const answering = useAnswering(id, () => setText(""));

  return (
    <div className="space-y-3">
      <h3 className="font-medium">
        {asked.agent} waits after “{plain(asked.name)}”
      </h3>
      <div className="text-sm">
        <Markdown text={asked.message || "Go on?"} />
      </div>
      <Composer
        label="Your reply"
        action="Reply"
        text={text}
        onText={setText}
        onSend={() => answering.send({ kind: "reply", text })}
        isBusy={answering.isPending}
        error={answering.error}
      >
        <Button disabled={answering.isPending} onClick={() => answering.send({ kind: "decline" })}>
          Decline
        </Button>
      </Composer>
    </div>
  );
}
