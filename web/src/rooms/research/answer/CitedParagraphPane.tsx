import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { X } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";

import { citedQuery } from "@/api/research";
import type { CitedParagraph, ParagraphView, ResearchAnswer } from "@/api/schema";
import { IconButton } from "@/components/Button";
import { Loading, Notice, Problem } from "@/components/States";

import { highlighted } from "./highlight";

const route = getRouteApi("/research/runs/$id");

type Props = { answer: ResearchAnswer; reference: string; quoted?: string };

/** The cited paragraph as the library has it: beside the answer, or over its foot on a small window. */
export function CitedParagraphPane({ answer, reference, quoted }: Props) {
  const paragraph = useQuery(citedQuery(answer.library, reference));
  const asCited = answer.citations.find((each) => each.ref === reference);
  const pane = useRef<HTMLElement>(null);
  const navigate = route.useNavigate();
  const close = () => navigate({ search: {}, resetScroll: false });

  useEffect(() => pane.current?.focus({ preventScroll: true }), []);
  useEscape(close);

  return (
    <aside
      ref={pane}
      tabIndex={-1}
      aria-label="Cited paragraph"
      className="fixed inset-x-2 bottom-16 z-20 max-h-[50vh] overflow-y-auto rounded-lg border bg-surface p-4 shadow-xl outline-none lg:sticky lg:inset-auto lg:top-4 lg:max-h-[80vh] lg:shadow-none"
    >
      <header className="mb-2 flex items-start justify-between gap-2">
        <h2 className="font-semibold">{reference}</h2>
        <IconButton label="Close the paragraph" className="-my-1" onClick={close}>
          <X className="size-4" />
        </IconButton>
      </header>
      {paragraph.data ? (
        <Quoted paragraph={paragraph.data} quoted={quoted} />
      ) : paragraph.error && asCited ? (
        <>
          <Notice tone="warn">{paragraph.error.message} This is what it said when it was cited.</Notice>
          <Quoted paragraph={asCited} quoted={quoted} />
        </>
      ) : paragraph.error ? (
        <Problem error={paragraph.error} onRetry={() => void paragraph.refetch()} />
      ) : (
        <Loading />
      )}
      <p className="mt-3 text-sm">
        <Link
          to="/libraries/$name/paragraphs/$ref"
          params={{ name: answer.library, ref: reference }}
          className="text-accent underline"
        >
          Open it in the library
        </Link>
      </p>
    </aside>
  );
}

function Quoted({ paragraph, quoted }: { paragraph: ParagraphView | CitedParagraph; quoted?: string }) {
  const place = [...("headings" in paragraph ? paragraph.headings : []), paragraph.start];
  return (
    <>
      <p className="text-sm text-muted">{[paragraph.document, ...place].filter(Boolean).join(" › ")}</p>
      <blockquote className="mt-2 border-l-4 border-accent/50 pl-3 whitespace-pre-line">
        {highlighted(paragraph.text, quoted ?? "").map(({ text, isQuoted }, index) =>
          isQuoted ? (
            <mark key={index} className="rounded-sm bg-warn-soft text-ink">
              {text}
            </mark>
          ) : (
            <span key={index}>{text}</span>
          ),
        )}
      </blockquote>
    </>
  );
}

function useEscape(act: () => void) {
  const onEscape = useEffectEvent(act);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key === "Escape" && !event.defaultPrevented) onEscape();
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
