import {
  type EditorState,
  type Extension,
  Prec,
  type Range,
  StateField,
  Transaction,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  keymap,
  WidgetType,
} from "@codemirror/view";

import type { LineStyle, MessageType, RangeInput } from "@/api/coach";

/** Lines that a hint or an agent points at; a region is only their neighbourhood. */
export type Mark = { start: number; end: number; style: LineStyle; isRegion: boolean; words?: string | null };

/** What the coach says about a line, shown below it. */
export type Comment = { key: number; line: number; text: string; tone: MessageType };

class CommentWidget extends WidgetType {
  readonly #comment: Comment;

  constructor(comment: Comment) {
    super();
    this.#comment = comment;
  }

  override eq(other: CommentWidget): boolean {
    return other.#comment.key === this.#comment.key;
  }

  override toDOM(): HTMLElement {
    const shown = document.createElement("div");
    shown.className = `cm-coach-comment cm-coach-${this.#comment.tone}`;
    shown.setAttribute("role", "note");
    shown.textContent = `Coach: ${this.#comment.text}`;
    return shown;
  }
}

function decorated(state: EditorState, marks: readonly Mark[], comments: readonly Comment[]): DecorationSet {
  const lines = state.doc.lines;
  const found: Range<Decoration>[] = [];
  for (const { start, end, style, isRegion } of marks) {
    const line = Decoration.line({ class: `cm-coach-mark cm-coach-${isRegion ? "region" : style}` });
    for (let number = start; number <= Math.min(end, lines); number++) {
      found.push(line.range(state.doc.line(number).from));
    }
  }
  for (const comment of comments) {
    const { to } = state.doc.line(Math.min(comment.line, lines));
    found.push(Decoration.widget({ widget: new CommentWidget(comment), block: true, side: 1 }).range(to));
  }
  return Decoration.set(found, true);
}

/** Marks and comments, which move along while somebody types above them. */
export function marking(marks: readonly Mark[], comments: readonly Comment[]): Extension {
  const field = StateField.define<DecorationSet>({
    create: (state) => decorated(state, marks, comments),
    update: (shown, transaction) => {
      if (!transaction.docChanged) return shown;
      const isTyped = transaction.annotation(Transaction.userEvent) !== undefined;
      return isTyped ? shown.map(transaction.changes) : decorated(transaction.state, marks, comments);
    },
    provide: (self) => EditorView.decorations.from(self),
  });
  return [field, hovering(marks.filter(({ words }) => words)), LOOK];
}

function hovering(marks: readonly Mark[]): Extension {
  return hoverTooltip((view, position) => {
    const { number, from, to } = view.state.doc.lineAt(position);
    const mark = marks.find(({ start, end }) => start <= number && number <= end);
    if (!mark) return null;
    const create = () => {
      const dom = document.createElement("div");
      dom.className = "cm-coach-hover";
      dom.textContent = mark.words ?? "";
      return { dom };
    };
    return { pos: from, end: to, above: true, create };
  });
}

const tinted = (colour: string) => ({
  backgroundColor: `color-mix(in srgb, var(--${colour}-soft) 55%, transparent)`,
  boxShadow: `inset 3px 0 0 var(--${colour})`,
});

const LOOK = EditorView.baseTheme({
  ".cm-coach-region": { boxShadow: "inset 3px 0 0 var(--line-strong)" },
  ".cm-coach-hint": tinted("info"),
  ".cm-coach-focus": tinted("accent"),
  ".cm-coach-warning": tinted("warn"),
  ".cm-coach-comment": {
    margin: "2px 12px 4px 24px",
    padding: "4px 10px",
    borderLeft: "3px solid var(--info)",
    borderRadius: "4px",
    fontFamily: "var(--font-sans)",
    whiteSpace: "pre-wrap",
    backgroundColor: "var(--info-soft)",
    color: "var(--info)",
  },
  ".cm-coach-comment.cm-coach-success": {
    backgroundColor: "var(--good-soft)",
    color: "var(--good)",
    borderColor: "var(--good)",
  },
  ".cm-coach-comment.cm-coach-warning": {
    backgroundColor: "var(--warn-soft)",
    color: "var(--warn)",
    borderColor: "var(--warn)",
    boxShadow: "none",
  },
  ".cm-coach-hover": { padding: "4px 10px", maxWidth: "24rem", fontFamily: "var(--font-sans)" },
});

type Driving = {
  onSelect: (range: RangeInput | null, text: string) => void;
  onExplain: () => void;
};

/** Tells what is selected, and explains it with Ctrl+E or ⌘E. */
export function selecting({ onSelect, onExplain }: Driving): Extension {
  const explain = () => {
    onExplain();
    return true;
  };
  return [
    Prec.high(keymap.of([{ key: "Mod-e", preventDefault: true, run: explain }])),
    EditorView.updateListener.of(({ state, selectionSet }) => {
      if (!selectionSet) return;
      const { from, to, empty } = state.selection.main;
      onSelect(empty ? null : rangeOf(state, from, to), state.sliceDoc(from, to));
    }),
  ];
}

function rangeOf(state: EditorState, from: number, to: number): RangeInput {
  const first = state.doc.lineAt(from);
  // Both ends are included: a selection up to the start of a line ends in the line before.
  const last = state.doc.lineAt(to - 1);
  return {
    startLine: first.number,
    startCol: from - first.from + 1,
    endLine: last.number,
    endCol: to - last.from,
  };
}

/** Bring a line into sight and put the cursor there. */
export function reveal(view: EditorView, line: number): void {
  const { from } = view.state.doc.line(Math.min(line, view.state.doc.lines));
  view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
  view.focus();
}
