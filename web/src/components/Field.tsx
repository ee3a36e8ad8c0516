import { type ComponentProps, type ReactNode, useId } from "react";

import { classes } from "@/lib/classes";

const CONTROL =
  "min-h-8.5 w-full rounded-md border border-line-strong/60 bg-surface px-3 py-1.5 text-sm placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad";

type Labelled = { label: ReactNode; hint?: ReactNode; error?: ReactNode; isLabelHidden?: boolean };

type FrameProps = Labelled & {
  children: (id: string, describedBy: string | undefined) => ReactNode;
  className?: string;
};

function Frame({ label, hint, error, isLabelHidden, children, className }: FrameProps) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className={className}>
      <label htmlFor={id} className={isLabelHidden ? "sr-only" : "mb-1 block text-sm font-medium"}>
        {label}
      </label>
      {children(id, note ? `${id}-note` : undefined)}
      {note && (
        <p id={`${id}-note`} className={classes("mt-1 text-sm", error ? "text-bad" : "text-muted")}>
          {note}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...rest
}: Labelled & ComponentProps<"input">) {
  return (
    <Frame {...{ label, hint, error, isLabelHidden, className }}>
      {(id, describedBy) => (
        <input
          id={id}
          aria-describedby={describedBy}
          aria-invalid={error ? true : undefined}
          className={CONTROL}
          {...rest}
        />
      )}
    </Frame>
  );
}

export function TextArea({
  label,
  hint,
  error,
  isLabelHidden,
  className,
  ...rest
}: Labelled & ComponentProps<"textarea">) {
  return (
    <Frame {...{ label, hint, error, isLabelHidden, className }}>
      {(id, describedBy) => (
        <textarea
          id={id}
          rows={4}
          aria-describedby={describedBy}
          aria-invalid={error ? true : undefined}
          className={classes(CONTROL, "field-sizing-content max-h-96 min-h-20 resize-y")}
          {...rest}
        />
      )}
    </Frame>
  );
}

type SelectProps = Labelled &
  ComponentProps<"select"> & { options: readonly (readonly [value: string, label: string])[] };

export function Select({ label, hint, error, isLabelHidden, className, options, ...rest }: SelectProps) {
  return (
    <Frame {...{ label, hint, error, isLabelHidden, className }}>
      {(id, describedBy) => (
        <select id={id} aria-describedby={describedBy} className={CONTROL} {...rest}>
          {options.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}

export function CheckBox({
  label,
  hint,
  className,
  ...rest
}: { label: ReactNode; hint?: ReactNode } & ComponentProps<"input">) {
  const id = useId();
  return (
    <div className={classes("flex items-start gap-2 text-sm", className)}>
      <input id={id} type="checkbox" className="mt-1 size-4 accent-(--accent)" {...rest} />
      <label htmlFor={id}>
        {label}
        {hint && <span className="block text-muted">{hint}</span>}
      </label>
    </div>
  );
}
