import { lazy, Suspense } from "react";

import { Loading } from "@/components/States";
import { loadWithRetries } from "@/lib/retry";

const Mounted = lazy(() => loadWithRetries(() => import("./MergePanesMounted")));

type Side = { label: string; text: string };

export type MergePanesProps = {
  left: Side;
  right: Side;
  /** Without it both are only looked at. */
  onChange?: (right: string) => void;
};

/** Two texts and where they differ; loaded when first needed. */
export function MergePanes(props: MergePanesProps) {
  return (
    <Suspense fallback={<Loading lines={8} label="Loading both texts" />}>
      <Mounted {...props} />
    </Suspense>
  );
}
