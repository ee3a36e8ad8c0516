import { Button } from "@/components/Button";
import { TextArea } from "@/components/Field";
import { useKept } from "@/lib/kept";

import type { GateProps } from "./useReply";

/** One wish for all of the draft, instead of a word on each section. */
export function WholeRevision({ draftKey, send, isBusy }: Omit<GateProps, "gate">) {
  const [text, setText] = useKept(draftKey, "");
  return (
    <details className="mt-3 text-sm" open={text !== ""}>
      <summary className="text-muted">Or change something throughout</summary>
      <div className="mt-2 space-y-2">
        <TextArea
          label="What should change everywhere?"
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button
          isBusy={isBusy}
          disabled={!text.trim()}
          onClick={() => {
            send({ decision: "revise", text: text.trim() });
          }}
        >
          Revise all of it
        </Button>
      </div>
    </details>
  );
}
