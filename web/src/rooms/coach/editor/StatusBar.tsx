import { Save, Sparkles } from "lucide-react";

import { Button } from "@/components/Button";

import { explainSelection, saveFile } from "../desk/acting";
import { isUnsaved, isUnsent, type Tab } from "../desk/state";
import { useDesk } from "../desk/store";

/** Where the text stands, and what can be done with it. */
export function StatusBar({ tab }: { tab: Tab }) {
  const isSelected = useDesk((state) => state.selected?.path === tab.path);
  const isExplaining = useDesk((state) => state.waiting.explain !== undefined);
  return (
    <div className="flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-t px-3 py-1">
      <p role="status" className="mr-auto text-xs text-muted">
        {standing(tab)}
      </p>
      {isSelected && (
        <Button isBusy={isExplaining} onClick={explainSelection} title="Explain the selection (Ctrl E)">
          <Sparkles aria-hidden className="size-4" />
          Explain
        </Button>
      )}
      <Button
        kind={isUnsaved(tab) ? "primary" : "plain"}
        disabled={!isUnsaved(tab)}
        isBusy={tab.saving !== undefined}
        onClick={() => saveFile(tab.path)}
        title="Save (Ctrl S)"
      >
        <Save aria-hidden className="size-4" />
        Save
      </Button>
    </div>
  );
}

function standing(tab: Tab): string {
  if (tab.saving !== undefined) return "Saving…";
  if (isUnsent(tab)) return "Not saved, not sent yet.";
  if (isUnsaved(tab)) return "Not saved. Your edits are kept, also over a reload.";
  return "Saved.";
}
