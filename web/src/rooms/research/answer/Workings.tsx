import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import type { ResearchAnswer } from "@/api/schema";
import { plural } from "@/lib/words";

import { CiteChip } from "./CiteChip";

/** What stands behind an answer, for whoever wants to look closer. */
export function Workings({ answer }: { answer: ResearchAnswer }) {
  return (
    <div className="space-y-2 text-sm">
      <More
        title={`Cited: ${plural(answer.citations.length, "paragraph")}`}
        isShown={answer.citations.length > 0}
      >
        {answer.citations.map((cited) => (
          <li key={cited.ref}>
            <CiteChip answer={answer} reference={cited.ref} /> {cited.document}{" "}
            <span className="text-muted">{[cited.path, cited.start].filter(Boolean).join(", ")}</span>
          </li>
        ))}
      </More>
      <More
        title={`From the web: ${plural(answer.web_sources.length, "page")}`}
        isShown={answer.web_sources.length > 0}
      >
        {answer.web_sources.map((page) => (
          <li key={page.label}>
            {page.label}{" "}
            <a href={page.url} target="_blank" rel="noreferrer" className="text-accent underline">
              {page.title || page.url}
            </a>
          </li>
        ))}
      </More>
      <More title="Known before" isShown={answer.prior.length > 0}>
        {answer.prior.map((prior) => (
          <li key={prior.label}>
            {prior.label}{" "}
            <Link to="/research/runs/$id" params={{ id: prior.run_id }} className="text-accent underline">
              {prior.heading}
            </Link>{" "}
            <span className="text-muted">{prior.excerpt}</span>
          </li>
        ))}
      </More>
      <More
        title={`Taken out: ${plural(answer.removed.length, "statement")}`}
        isShown={answer.removed.length > 0}
      >
        {answer.removed.map((taken) => (
          <li key={taken.text}>
            <s className="text-muted">{taken.text}</s> {taken.why}
          </li>
        ))}
      </More>
      <LookedFor answer={answer} />
    </div>
  );
}

export function LookedFor({ answer, isOpen }: { answer: ResearchAnswer; isOpen?: boolean }) {
  return (
    <More title="What was looked for" isShown={answer.sub_queries.length > 0} isOpen={isOpen}>
      {answer.sub_queries.map((each, index) => (
        <li key={index}>
          {each.query}{" "}
          <span className="text-muted">
            {each.role}, {plural(each.found, "paragraph")} found
            {each.standards.length > 0 && `, in ${each.standards.join(", ")}`}
          </span>
        </li>
      ))}
    </More>
  );
}

type MoreProps = { title: string; isShown: boolean; isOpen?: boolean; children: ReactNode };

function More({ title, isShown, isOpen = false, children }: MoreProps) {
  if (!isShown) return null;
  return (
    <details open={isOpen}>
      <summary className="font-medium">{title}</summary>
      <ul className="mt-1 space-y-1 pl-4">{children}</ul>
    </details>
  );
}
