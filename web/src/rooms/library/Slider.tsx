import { useId } from "react";

type Props = {
  label: string;
  /** The value in words. */
  shown: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number) => void;
};

export function Slider({ label, shown, onChange, ...range }: Props) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="flex justify-between gap-2 text-sm font-medium">
        {label}
        <output htmlFor={id} className="font-normal whitespace-nowrap text-muted">
          {shown}
        </output>
      </label>
      <input
        id={id}
        type="range"
        aria-valuetext={shown}
        className="w-full accent-(--accent)"
        onChange={(event) => onChange(Number(event.target.value))}
        {...range}
      />
    </div>
  );
}
