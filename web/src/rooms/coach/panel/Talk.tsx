import { MessageSquare } from "lucide-react";
import { useEffect, useRef } from "react";

import { Empty } from "@/components/States";

import { useDesk } from "../desk/store";
import { TalkEntry } from "./TalkEntry";

/** Nearer to the end than this, the newest is kept in sight. */
const AT_THE_END = 80;

/** What the coach and the person said; whoever scrolls back is left there. */
export function Talk() {
  const talk = useDesk((state) => state.talk);
  const waiting = useDesk((state) => state.waiting);
  const isWaiting = waiting.explain !== undefined || waiting.review !== undefined;
  const list = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);

  useEffect(() => {
    const shown = list.current;
    if (!shown) return;
    // What is said may still grow while it is drawn.
    const follow = () => isAtEnd.current && shown.scrollTo({ top: shown.scrollHeight });
    const growing = new ResizeObserver(follow);
    for (const child of shown.children) growing.observe(child);
    follow();
    return () => growing.disconnect();
  }, [talk, isWaiting]);

  function scrolled() {
    const { scrollHeight, scrollTop, clientHeight } = list.current!;
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < AT_THE_END;
  }

  return (
    <div
      ref={list}
      role="log"
      aria-label="Conversation with the coach"
      tabIndex={0}
      onScroll={scrolled}
      className="min-h-40 grow basis-40 space-y-3 overflow-y-auto p-3 focus-visible:outline-offset-[-2px]"
    >
      {talk.length === 0 && !isWaiting && (
        <Empty title="Nothing was said yet." icon={<MessageSquare className="size-5" />}>
          Select code and press Explain, or have your work reviewed. What the coach notices appears here too.
        </Empty>
      )}
      {talk.map((item) => (
        <TalkEntry key={item.key} item={item} />
      ))}
      {isWaiting && (
        <p role="status" className="animate-pulse text-sm text-muted">
          The coach is reading your code…
        </p>
      )}
    </div>
  );
}
