import { useMutation } from "@tanstack/react-query";
import { answer, rest } from "@/api/client";
import type { TextReport } from "@/api/schema";
import { Button } from "@/components/Button";
import { Card } from "@/components/Card";
import { TextArea } from "@/components/Field";
import { Empty, Notice, Problem } from "@/components/States";
import { plural } from "@/lib/words";
import { useKept } from "@/lib/kept";

import { Claim } from "./Claim";

const LONGEST = 20_000;

/** A text as somebody wrote it, held against the library sentence by sentence. */
export function CheckText({ name, isEmpty }: { name: string; isEmpty: boolean }) {
  const [text, setText] = useKept(`check-text.${name}`, "");
  const checking = useMutation({
    mutationFn: () =>
      answer(rest.POST("/api/libraries/{name}/verify/text", { params: { path: { name } }, body: { text } })),
  });

  if (isEmpty) return <Empty title="Nothing to check against yet">Add documents first.</Empty>;
  return (
    <div className="space-y-4">
      <Card
        title="Check a text"
        note="Judged on this machine; what stays open goes to the configured model, if there is one."
      >
        <form
          className="space-y-3"
          onSubmit={(event) => {
            event.preventDefault();
            if (!checking.isPending) checking.mutate();
          }}
        >
          <TextArea
            label="Text"
            hint="Every sentence is held against what it cites, such as [210.1], or else against what the library has nearest."
            placeholder="The skipper of a visitor announces the arrival at least two hours before the entrance [210.1]."
            value={text}
            maxLength={LONGEST}
            required
            onChange={(event) => setText(event.target.value)}
          />
          <Button kind="primary" type="submit" isBusy={checking.isPending}>
            Check it
          </Button>
        </form>
      </Card>
      {checking.error && <Problem error={checking.error} onRetry={() => checking.mutate()} />}
      {checking.data && <Checked name={name} report={checking.data} />}
    </div>
  );
}

function Checked({ name, report: { claims, supported, cut } }: { name: string; report: TextReport }) {
  if (!claims.length) return <Empty title="There is no sentence in it to check" />;
  return (
    <section aria-label="Results" className="space-y-3" aria-live="polite">
      <Notice tone={supported === claims.length ? "good" : "warn"}>
        {supported} of {plural(claims.length, "sentence")} {supported === 1 ? "holds" : "hold"}.
        {cut && " The text is long: only its beginning was checked."}
      </Notice>
      <ol className="space-y-3">
        {claims.map((claim, index) => (
          <Claim key={index} library={name} {...claim} />
        ))}
      </ol>
    </section>
  );
}
