import type { Extension } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { lazy, type Ref, Suspense } from "react";

import { Loading } from "./States";
import { loadWithRetries } from "@/lib/retry";

const Mounted = lazy(() => loadWithRetries(() => import("./CodeEditorMounted")));

export type CodeEditorProps = {
  /** What is edited, for those who do not see it. */
  label: string;
  value: string;
  onChange?: (value: string) => void;
  /** Ctrl+S or ⌘S. */
  onSave?: () => void;
  /** As the server names it: `python`, `typescript`, `markdown`… */
  language?: string;
  isReadOnly?: boolean;
  /** Decorations, gutters and the like, on top of the usual. */
  extensions?: Extension;
  /** The view itself, for whoever drives it. */
  viewRef?: Ref<EditorView>;
  className?: string;
};

/** CodeMirror, loaded when first needed. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Loading lines={8} label="Loading the editor" />}>
      <Mounted {...props} />
    </Suspense>
  );
}
