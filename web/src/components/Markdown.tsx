import { lazy, Suspense } from "react";

import { Loading } from "./States";
import { loadWithRetries } from "@/lib/retry";

const Rendered = lazy(() => loadWithRetries(() => import("./MarkdownRendered")));

/** Markdown as a page. HTML in it is shown as text: it may come from an agent or a stranger. */
export function Markdown({ text, className }: { text: string; className?: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <Rendered text={text} className={className} />
    </Suspense>
  );
}
