import type { Explanation } from "@/api/coach";
import { Badge } from "@/components/Badge";
import { Markdown } from "@/components/Markdown";

import { FileLink } from "./FileLink";

export function ExplanationText({ explanation }: { explanation: Explanation }) {
  const { explanation: text, keyConcepts, analogy, relatedFiles, phaseConnection } = explanation;
  return (
    <>
      <Markdown text={text} />
      {analogy && <p className="border-l-4 pl-3 text-muted">{analogy}</p>}
      {phaseConnection && <Markdown text={phaseConnection} />}
      {keyConcepts.length > 0 && (
        <ul aria-label="Key concepts" className="flex flex-wrap gap-1">
          {keyConcepts.map((concept) => (
            <li key={concept}>
              <Badge>{concept}</Badge>
            </li>
          ))}
        </ul>
      )}
      {relatedFiles && relatedFiles.length > 0 && (
        <ul aria-label="Related files">
          {relatedFiles.map((path) => (
            <li key={path}>
              <FileLink path={path} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
