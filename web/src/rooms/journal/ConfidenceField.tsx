import { useId } from "react";

import { percent } from "@/lib/words";

type Props = { value: number | null; onChange: (value: number | null) => void };

/** How sure somebody is; saying nothing is an answer too. */
export function ConfidenceField({ value, onChange }: Props) {
  const id = useId();
  return (
    <div className="max-w-md">
      <div className="mb-1 flex items-baseline justify-between gap-4 text-sm">
        <label htmlFor={id} className="font-medium">
          How sure are you?
        </label>
        <output htmlFor={id} className="text-muted">
          {value === null ? "not said" : percent(value)}
          {value !== null && (
            <button type="button" className="ml-2 text-accent underline" onClick={() => onChange(null)}>
              Take back
            </button>
          )}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={0}
        max={1}
        step={0.05}
        value={value ?? 0.5}
        aria-valuetext={value === null ? "not said" : percent(value)}
        onChange={(event) => onChange(Number(event.target.value))}
        className="w-full accent-(--accent)"
      />
      <p className="text-sm text-muted">Said beforehand, it shows later how well you judge yourself.</p>
    </div>
  );
}
