import type { EditorView } from "@codemirror/view";
import { useEffect, useEffectEvent, useMemo, useState } from "react";

import { CodeEditor } from "@/components/CodeEditor";

import { explainSelection, saveFile, selectText, typeText } from "../desk/acting";
import type { Tab } from "../desk/state";
import { type Comment, type Mark, marking, reveal, selecting } from "./marking";

type Props = {
  tab: Tab;
  marks: readonly Mark[];
  comments: readonly Comment[];
  /** The line to show, once. */
  line?: number;
  onShown: () => void;
};

/** One file's text with everything that points into it. It stays mounted while its tab is open. */
export function FileEditor({ tab, marks, comments, line, onShown }: Props) {
  const { path } = tab;
  const [view, setView] = useState<EditorView | null>(null);
  const extensions = useMemo(
    () => [
      selecting({
        onSelect: (range, text) => selectText(range && { path, range, text }),
        onExplain: explainSelection,
      }),
      marking(marks, comments),
    ],
    [path, marks, comments],
  );

  const shown = useEffectEvent(onShown);
  useEffect(() => {
    if (!view || line === undefined) return;
    reveal(view, line);
    shown();
  }, [view, line]);

  function typed(text: string) {
    const position = view?.state.selection.main.head ?? 0;
    const at = view?.state.doc.lineAt(position);
    typeText(path, text, at && { line: at.number, column: position - at.from + 1 });
  }

  return (
    <CodeEditor
      label={`Text of ${path}`}
      value={tab.text}
      language={tab.language}
      onChange={typed}
      onSave={() => saveFile(path)}
      extensions={extensions}
      viewRef={setView}
      className="h-full"
    />
  );
}
