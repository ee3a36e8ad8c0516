import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  LanguageDescription,
  type LanguageSupport,
  syntaxHighlighting,
} from "@codemirror/language";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from "react";

import { classes } from "@/lib/classes";
import { useIsDark } from "@/lib/theme";

import type { CodeEditorProps } from "./CodeEditor";
import { loadWithRetries } from "@/lib/retry";

const LANGUAGES = [
  describe("python", () => import("@codemirror/lang-python").then((module) => module.python())),
  describe("typescript", () => script({ typescript: true })),
  describe("typescriptreact", () => script({ typescript: true, jsx: true })),
  describe("javascript", () => script({})),
  describe("javascriptreact", () => script({ jsx: true })),
  describe("markdown", () => import("@codemirror/lang-markdown").then((module) => module.markdown())),
  describe("json", () => import("@codemirror/lang-json").then((module) => module.json())),
  describe("yaml", () => import("@codemirror/lang-yaml").then((module) => module.yaml())),
  describe("css", () => import("@codemirror/lang-css").then((module) => module.css())),
  describe("html", () => import("@codemirror/lang-html").then((module) => module.html())),
];

function describe(name: string, load: () => Promise<LanguageSupport>): LanguageDescription {
  return LanguageDescription.of({ name, load });
}

function script(kind: { typescript?: boolean; jsx?: boolean }) {
  return import("@codemirror/lang-javascript").then((module) => module.javascript(kind));
}

// CodeMirror's own colours are too pale to be read, above all on a tinted line.
const LIGHT_HIGHLIGHTS = highlights({
  keyword: "#7a1564",
  string: "#1c5c36",
  number: "#7a4503",
  comment: "#5f564c",
  called: "#1a4f80",
  defined: "#87340e",
});

const DARK_HIGHLIGHTS = highlights({
  keyword: "#e7a1c4",
  string: "#a5d6a7",
  number: "#e9bd6a",
  comment: "#a09588",
  called: "#8fc0ee",
  defined: "#f0a27a",
});

type Inks = Record<"keyword" | "string" | "number" | "comment" | "called" | "defined", string>;

function highlights({ keyword, string, number, comment, called, defined }: Inks): HighlightStyle {
  return HighlightStyle.define([
    { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: keyword },
    { tag: [tags.string, tags.special(tags.string), tags.regexp], color: string },
    { tag: [tags.number, tags.bool, tags.null, tags.atom], color: number },
    { tag: [tags.comment, tags.meta], color: comment, fontStyle: "italic" },
    { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: called },
    { tag: [tags.definition(tags.variableName), tags.className, tags.typeName], color: defined },
    { tag: [tags.heading, tags.strong], fontWeight: "bold" },
    { tag: tags.emphasis, fontStyle: "italic" },
    { tag: [tags.link, tags.url], color: called, textDecoration: "underline" },
  ]);
}

/** CodeMirror in the colours of the theme. */
export function look(isDark: boolean) {
  const theme = EditorView.theme(
    {
      "&": { height: "100%", backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "13.5px" },
      "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
      ".cm-scroller": { fontFamily: "var(--font-mono, monospace)", lineHeight: "1.6" },
      ".cm-gutters": {
        backgroundColor: "var(--surface)",
        color: "var(--muted)",
        borderRight: "1px solid var(--line)",
      },
      ".cm-activeLine, .cm-activeLineGutter": {
        backgroundColor: "color-mix(in srgb, var(--sunken) 60%, transparent)",
      },
      ".cm-cursor": { borderLeftColor: "var(--ink)" },
      ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": {
        backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent) !important",
      },
      ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
      ".cm-tooltip": {
        backgroundColor: "var(--surface)",
        color: "var(--ink)",
        border: "1px solid var(--line)",
        borderRadius: "6px",
      },
    },
    { dark: isDark },
  );
  return [theme, syntaxHighlighting(isDark ? DARK_HIGHLIGHTS : LIGHT_HIGHLIGHTS)];
}

export default function CodeEditorMounted(props: CodeEditorProps) {
  const { label, value, language, isReadOnly = false, extensions = [], viewRef, className } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const slots = useRef({
    look: new Compartment(),
    language: new Compartment(),
    access: new Compartment(),
    extra: new Compartment(),
  });
  const isDark = useIsDark();
  const changed = useEffectEvent((text: string) => props.onChange?.(text));
  const saved = useEffectEvent(() => props.onSave?.());
  const handled = (act: () => void) => () => {
    act();
    return true;
  };

  // Before the handle below is given out.
  useLayoutEffect(() => {
    if (!place.current) return;
    const { look: lookSlot, language: languageSlot, access, extra } = slots.current;
    const editor = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          bracketMatching(),
          highlightActiveLine(),
          highlightSelectionMatches(),
          EditorView.lineWrapping,
          keymap.of([
            { key: "Mod-s", preventDefault: true, run: handled(saved) },
            ...defaultKeymap,
            ...searchKeymap,
            ...historyKeymap,
            // Escape, then Tab, leaves the editor: so that nobody is caught in it.
            indentWithTab,
          ]),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          EditorView.updateListener.of((update) => update.docChanged && changed(update.state.doc.toString())),
          lookSlot.of(look(isDark)),
          languageSlot.of([]),
          access.of(EditorState.readOnly.of(isReadOnly)),
          extra.of(extensions),
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useImperativeHandle(viewRef, () => view.current as EditorView, []);

  useEffect(() => {
    const editor = view.current;
    if (editor && value !== editor.state.doc.toString()) {
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    }
  }, [value]);

  useEffect(() => {
    view.current?.dispatch({ effects: slots.current.look.reconfigure(look(isDark)) });
  }, [isDark]);

  useEffect(() => {
    view.current?.dispatch({
      effects: slots.current.access.reconfigure(EditorState.readOnly.of(isReadOnly)),
    });
  }, [isReadOnly]);

  useEffect(() => {
    view.current?.dispatch({ effects: slots.current.extra.reconfigure(extensions) });
  }, [extensions]);

  useEffect(() => {
    let isCurrent = true;
    const found = LANGUAGES.find(({ name }) => name === language);
    const show = (support: LanguageSupport) => {
      if (isCurrent) view.current?.dispatch({ effects: slots.current.language.reconfigure(support) });
    };
    // Without it the text is there all the same, in one colour.
    if (found) loadWithRetries(() => found.load()).then(show, () => undefined);
    return () => {
      isCurrent = false;
    };
  }, [language]);

  return <div ref={place} className={classes("min-h-0 overflow-hidden", className)} />;
}
