import { useId } from "react";

type Props = {
  labelledBy: string;
  options: readonly (readonly [value: string, label: string])[];
  value: string | null;
  onChange: (value: string) => void;
};

/** One of a few: Tab goes to it, the arrow keys choose. */
export function RadioChips({ labelledBy, options, value, onChange }: Props) {
  const name = useId();
  return (
    <div role="radiogroup" aria-labelledby={labelledBy} className="flex flex-wrap gap-1">
      {options.map(([option, label]) => (
        <label
          key={option}
          className="flex cursor-pointer items-center gap-1.5 rounded-md border border-line-strong/50 bg-surface px-2.5 py-1 text-sm has-checked:border-accent has-checked:bg-accent-soft has-checked:font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={name}
            value={option}
            checked={value === option}
            onChange={() => onChange(option)}
            className="accent-(--accent)"
          />
          {label}
        </label>
      ))}
    </div>
  );
}
