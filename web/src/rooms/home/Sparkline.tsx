const WIDTH = 240;
const HEIGHT = 40;
const GAP = 2;

/** A row of bars, one for each number; the numbers themselves stand beside it. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const most = Math.max(...values, Number.MIN_VALUE);
  const step = WIDTH / values.length;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="h-10 w-full"
    >
      {values.map((value, place) => {
        const height = Math.max((value / most) * HEIGHT, 1);
        return (
          <rect
            key={place}
            x={place * step}
            y={HEIGHT - height}
            width={step - GAP}
            height={height}
            className={place === values.length - 1 ? "fill-accent" : "fill-line-strong"}
          />
        );
      })}
    </svg>
  );
}
