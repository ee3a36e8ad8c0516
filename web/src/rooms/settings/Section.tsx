import type { ReactNode } from "react";

import { Card } from "@/components/Card";

/** A part of the settings that can be linked to. */
export function Section({
  id,
  title,
  note,
  children,
}: {
  id: string;
  title: string;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div id={id} className="scroll-mt-4">
      <Card title={title} note={note}>
        {children}
      </Card>
    </div>
  );
}
