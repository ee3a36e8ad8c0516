import { useMemo } from "react";

import type { PhaseReview } from "@/api/coach";
import { Markdown } from "@/components/Markdown";

import { useDesk } from "../desk/store";
import { filePaths } from "../desk/tree";
import { placeIn } from "../places";
import { FileLink } from "./FileLink";

/** A review and its findings, each leading to the line that it is about. */
export function ReviewText({ review: { review, suggestions } }: { review: PhaseReview }) {
  const tree = useDesk((state) => state.tree);
  const files = useMemo(() => new Set(filePaths(tree)), [tree]);
  return (
    <>
      <Markdown text={review} />
      {suggestions.length > 0 && (
        <ul aria-label="Findings" className="list-disc space-y-1 pl-5">
          {suggestions.map((finding, index) => {
            const place = placeIn(finding, (path) => files.has(path));
            return (
              <li key={index} className="break-words">
                {place ? (
                  <>
                    <FileLink path={place.path} line={place.line}>
                      {place.path}
                      {place.line && `, line ${place.line}`}
                    </FileLink>
                    : {place.text}
                  </>
                ) : (
                  finding
                )}
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
