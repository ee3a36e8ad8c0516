import type { StartSession } from "@/api/schema";
import { Button } from "@/components/Button";
import { TextField } from "@/components/Field";
import { useKept } from "@/lib/kept";

/** Not every piece of work is an issue. */
export function OwnWords({ isBusy, onStart }: { isBusy: boolean; onStart: (asked: StartSession) => void }) {
  const [title, setTitle] = useKept("coach.words", "");
  return (
    <form
      className="mt-3 flex flex-wrap items-end gap-2 border-t pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim()) onStart({ issueTitle: title.trim() });
      }}
    >
      <TextField
        className="min-w-0 grow basis-60"
        label="Or say what you want to work on"
        placeholder="Round sums to whole cents"
        value={title}
        onChange={(event) => setTitle(event.target.value)}
      />
      <Button type="submit" disabled={isBusy || !title.trim()}>
        Start
      </Button>
    </form>
  );
}
