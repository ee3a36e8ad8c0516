import { Button } from "@/components/Button";
import { Notice } from "@/components/States";

import { keepText, reloadFile, saveFile } from "../desk/acting";
import type { Tab } from "../desk/state";

/** What stands between the text here and the file on disk. */
export function FileNotices({ tab }: { tab: Tab }) {
  const { path, saveProblem, foreign, isGone } = tab;
  return (
    <div aria-live="polite" className="space-y-2 not-empty:p-2">
      {saveProblem && (
        <Notice tone="warn">
          <p>It could not be saved: {saveProblem} Your text is still here.</p>
          <Choices>
            <Button onClick={() => saveFile(path)}>Try again</Button>
          </Choices>
        </Notice>
      )}
      {foreign !== undefined && (
        <Notice tone="warn">
          <p>This file was changed on disk while you were editing it.</p>
          <Choices>
            <Button onClick={() => reloadFile(path)}>Take the file from disk</Button>
            <Button onClick={() => keepText(path)}>Keep my text</Button>
          </Choices>
        </Notice>
      )}
      {isGone && (
        <Notice tone="warn">
          <p>This file was deleted on disk. Your text is still here; saving writes the file again.</p>
        </Notice>
      )}
    </div>
  );
}

function Choices({ children }: { children: React.ReactNode }) {
  return <div className="mt-2 flex flex-wrap gap-2 text-ink">{children}</div>;
}
