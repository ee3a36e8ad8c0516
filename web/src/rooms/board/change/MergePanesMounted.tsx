import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { markdown } from "@codemirror/lang-markdown";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useEffectEvent, useRef } from "react";

import { look } from "@/components/CodeEditorMounted";
import { useIsDark } from "@/lib/theme";

import type { MergePanesProps } from "./MergePanes";

const THEME = EditorView.theme({
  ".cm-changedLine, &.cm-merge-b .cm-changedLine": { backgroundColor: "var(--good-soft)" },
  "&.cm-merge-a .cm-changedLine, .cm-deletedChunk": { backgroundColor: "var(--bad-soft)" },
  "&.cm-merge-b .cm-changedText, &.cm-merge-a .cm-changedText, .cm-deletedChunk .cm-deletedText": {
    background: "color-mix(in srgb, var(--ink) 14%, transparent)",
  },
  ".cm-collapsedLines": { color: "var(--muted)", background: "var(--sunken)" },
  ".cm-deletedChunk del": { textDecoration: "line-through" },
  ".cm-deletedChunk .cm-chunkButtons": { position: "static", padding: "2px 0" },
  ".cm-deletedChunk .cm-chunkButtons button": { color: "var(--accent)", backgroundColor: "var(--surface)" },
});

const TAKE_OVER = "Take theirs here";
const COLLAPSE = { margin: 4, minSize: 8 };

export default function MergePanesMounted({ left, right, onChange }: MergePanesProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const isDark = useIsDark();
  const isNarrow = matchMedia("(max-width: 767px)").matches;
  const isReadOnly = onChange === undefined;
  const changed = useEffectEvent((text: string) => onChange?.(text));

  useEffect(() => {
    if (!place.current) return;
    const shared = [lineNumbers(), EditorView.lineWrapping, markdown(), look(isDark), THEME];
    const mine: Extension = [
      shared,
      named(right.label),
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap]),
      EditorState.readOnly.of(isReadOnly),
      EditorView.updateListener.of(({ docChanged, state }) => docChanged && changed(state.doc.toString())),
    ];
    const opened = isNarrow
      ? inOne(place.current, left.text, right.text, mine, isReadOnly)
      : sideBySide(
          place.current,
          { doc: left.text, extensions: [shared, named(left.label), EditorState.readOnly.of(true)] },
          { doc: right.text, extensions: mine },
          isReadOnly,
        );
    view.current = opened instanceof MergeView ? opened.b : opened;
    return () => opened.destroy();
  }, [left.text, isDark, isNarrow, isReadOnly]);

  useEffect(() => {
    const editor = view.current;
    if (editor && editor.state.doc.toString() !== right.text) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: right.text } });
    }
  }, [right.text]);

  return (
    <div className="overflow-hidden rounded-md border">
      <div aria-hidden className="hidden grid-cols-2 border-b bg-sunken text-sm font-medium md:grid">
        <p className="px-3 py-1.5">{left.label}</p>
        <p className="px-3 py-1.5">{right.label}</p>
      </div>
      <p className="border-b bg-sunken px-3 py-1.5 text-sm font-medium md:hidden">
        {right.label}; struck out: {left.label.toLowerCase()}
      </p>
      <div ref={place} tabIndex={0} className="max-h-[60vh] overflow-auto" />
    </div>
  );
}

function named(label: string): Extension {
  return EditorView.contentAttributes.of({ "aria-label": label });
}

type Pane = { doc: string; extensions: Extension };

function sideBySide(parent: HTMLElement, a: Pane, b: Pane, isReadOnly: boolean): MergeView {
  return new MergeView({
    parent,
    a,
    b,
    collapseUnchanged: COLLAPSE,
    revertControls: isReadOnly ? undefined : "a-to-b",
    renderRevertControl: () =>
      control("→", TAKE_OVER, (button) => {
        // The view listens for the mouse only; a key is to do the same.
        button.addEventListener("click", ({ detail }) => {
          if (detail === 0) button.dispatchEvent(new MouseEvent("mousedown", { bubbles: true }));
        });
      }),
  });
}

function inOne(parent: HTMLElement, original: string, doc: string, mine: Extension, isReadOnly: boolean) {
  const merge = unifiedMergeView({
    original,
    collapseUnchanged: COLLAPSE,
    mergeControls: isReadOnly
      ? false
      : (type, act) =>
          type === "accept"
            ? document.createElement("span") // what is mine stays without being told so
            : control("Take theirs", TAKE_OVER, (button) => {
                button.addEventListener("click", act);
              }),
  });
  return new EditorView({ parent, doc, extensions: [mine, merge] });
}

function control(text: string, label: string, wire: (button: HTMLButtonElement) => void): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text;
  button.title = label;
  button.setAttribute("aria-label", label);
  button.className = "rounded border bg-surface px-1.5 text-accent";
  wire(button);
  return button;
}
