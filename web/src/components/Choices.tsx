import { classes } from "@/lib/classes";

type Props<T extends string> = {
  label: string;
  value: T;
  options: readonly (readonly [value: T, name: string])[];
  onChange: (value: T) => void;
};

/** One of a few, side by side: a period, a filter, a way to search. */
export function Choices<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <fieldset className="flex flex-wrap gap-1 rounded-md bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, name]) => (
        <button
          key={option}
          type="button"
          aria-pressed={option === value}
          onClick={() => onChange(option)}
          className={classes(
            "rounded px-2.5 py-1 text-sm",
            option === value ? "bg-surface font-medium text-ink shadow-xs" : "text-muted hover:text-ink",
          )}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}
