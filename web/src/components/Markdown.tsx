import { lazy, Suspense } from "react";

import { Loading } from "./States";
import { patiently } from "@/lib/patiently";

const Rendered = lazy(() => patiently(() => import("./MarkdownRendered")));

/** Markdown as a page. HTML in it is shown as text: it may come from an agent or a stranger. */
export function Markdown({ text, className }: { text: string; className?: string }) {
  return (
    <Suspense fallback={<Loading />}>
      <Rendered text={text} className={className} />
    </Suspense>
  );
}
