import type { ComponentProps } from "react";

import { classes } from "@/lib/classes";

export type ButtonKind = "primary" | "plain" | "quiet" | "danger";

const KINDS: Record<ButtonKind, string> = {
  primary: "bg-accent text-accent-ink hover:opacity-90",
  plain: "border border-line-strong/50 bg-surface hover:bg-sunken",
  quiet: "hover:bg-sunken",
  danger: "border border-bad/50 bg-surface text-bad hover:bg-bad-soft",
};

const SHAPE =
  "inline-flex items-center justify-center gap-1.5 rounded-md px-3 py-1.5 text-sm font-medium whitespace-nowrap transition-colors disabled:cursor-not-allowed disabled:opacity-50";

/** For a link that looks like a button. */
export function buttonClass(kind: ButtonKind = "plain"): string {
  return `${SHAPE} ${KINDS[kind]}`;
}

type Props = ComponentProps<"button"> & { kind?: ButtonKind; isBusy?: boolean };

export function Button({ kind = "plain", isBusy = false, className, disabled, children, ...rest }: Props) {
  return (
    <button
      type="button"
      className={classes(buttonClass(kind), className)}
      disabled={disabled || isBusy}
      aria-busy={isBusy || undefined}
      {...rest}
    >
      {isBusy && (
        <span
          aria-hidden
          className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
        />
      )}
      {children}
    </button>
  );
}

/** A button that is only an icon: its label is for those who do not see it, and its tooltip. */
export function IconButton({ label, className, ...rest }: Omit<Props, "aria-label"> & { label: string }) {
  return (
    <Button
      kind="quiet"
      aria-label={label}
      title={label}
      className={classes("px-1.5", className)}
      {...rest}
    />
  );
}
