import type { ReactNode } from "react";

export type Field = readonly [name: string, value: ReactNode];

/** What a file says, name by name; what it leaves out is not shown. */
export function Fields({ fields }: { fields: readonly Field[] }) {
  const said = fields.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return (
    <dl className="grid gap-x-4 gap-y-2 text-sm sm:grid-cols-[10rem_1fr]">
      {said.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
