import type { ReactNode } from "react";

/** The parts of an entry under their names; what nobody said is left out. */
export function LabelledTexts({ parts }: { parts: readonly (readonly [name: string, text: ReactNode])[] }) {
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[9rem_1fr]">
      {parts.map(([name, text]) =>
        text ? (
          <div key={name} className="contents">
            <dt className="text-sm text-muted sm:pt-px">{name}</dt>
            <dd className="min-w-0 break-words whitespace-pre-wrap">{text}</dd>
          </div>
        ) : null,
      )}
    </dl>
  );
}
