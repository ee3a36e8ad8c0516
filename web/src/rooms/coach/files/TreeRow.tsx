import { ChevronDown, ChevronRight, CircleAlert, FileText, Lightbulb, Star } from "lucide-react";

import type { FileStyle } from "@/api/coach";
import { classes } from "@/lib/classes";

import type { Row } from "../desk/tree";

/** Each glow has its own sign and its own words: colour alone says nothing. */
export const GLOWS = {
  suggested: { icon: Lightbulb, colour: "text-info", words: "suggested" },
  important: { icon: Star, colour: "text-accent", words: "important" },
  critical: { icon: CircleAlert, colour: "text-warn", words: "critical" },
  inside: { icon: Lightbulb, colour: "text-accent", words: "a hint is inside" },
} as const;

type Props = {
  row: Row;
  glow?: FileStyle | "inside";
  isActive: boolean;
  /** Whether Tab comes here. */
  isReachable: boolean;
  onChoose: () => void;
};

export function TreeRow({ row: { node, level, isOpen }, glow, isActive, isReachable, onChoose }: Props) {
  const isFolder = node.type === "directory";
  const Icon = isFolder ? (isOpen ? ChevronDown : ChevronRight) : FileText;
  const hint = glow && GLOWS[glow];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it hears the keys
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={isActive}
      aria-expanded={isFolder ? isOpen : undefined}
      tabIndex={isReachable ? 0 : -1}
      data-path={node.path}
      onClick={onChoose}
      style={{ paddingLeft: `${level * 14 - 6}px` }}
      className={classes(
        "flex cursor-pointer items-center gap-1.5 rounded py-0.5 pr-2 text-sm select-none [content-visibility:auto] focus-visible:outline-offset-[-2px]",
        isActive ? "bg-accent-soft font-medium" : "hover:bg-sunken",
        glow && glow !== "inside" && "ring-1 ring-current/30 ring-inset",
        hint?.colour,
      )}
    >
      <Icon aria-hidden className="size-3.5 shrink-0 text-muted" />
      <span className={classes("truncate", !hint && "text-ink", glow === "inside" && "text-ink")}>
        {node.name}
      </span>
      {hint && (
        <span className="ml-auto flex shrink-0 items-center" title={`Hint: ${hint.words}`}>
          <hint.icon aria-hidden className="size-3.5" />
          <span className="sr-only">(hint: {hint.words})</span>
        </span>
      )}
    </div>
  );
}
