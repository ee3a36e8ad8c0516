import { useState } from "react";

import { Button } from "@/components/Button";
import { Markdown } from "@/components/Markdown";
import { classes } from "@/lib/classes";

const SHORT = 600;

/** A text to decide by: its beginning, and all of it on request. */
export function Excerpt({ text }: { text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  const isLong = text.length > SHORT;
  const body = withoutTitle(text);
  return (
    <div className="rounded-md bg-sunken p-3 text-sm">
      <div className={classes(isLong && !isWhole && "max-h-44 overflow-hidden")}>
        <Markdown text={body} />
      </div>
      {isLong && (
        <Button kind="quiet" className="mt-1 -ml-3 text-accent" onClick={() => setIsWhole(!isWhole)}>
          {isWhole ? "Show less" : "Read all"}
        </Button>
      )}
    </div>
  );
}

/** The card says the title already; and headings below a card's own begin at the fourth level. */
function withoutTitle(text: string): string {
  return text.replace(/^\s*# .*\n/, "").replace(/^#{1,3} /gm, "#### ");
}
