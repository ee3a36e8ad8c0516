import { MessageSquare } from "lucide-react";
import { useEffect, useRef } from "react";

import { Empty } from "@/components/States";

import { useDesk } from "../desk/store";
import { TalkEntry } from "./TalkEntry";

const MARGIN = 12;

function topOfNewest(list: HTMLElement): number {
  return (list.lastElementChild as HTMLElement | null)?.offsetTop ?? 0;
}

/** What the coach and the person said; whoever scrolls back is left there. */
export function Talk() {
  const talk = useDesk((state) => state.talk);
  const waiting = useDesk((state) => state.waiting);
  const isWaiting = waiting.explain !== undefined || waiting.review !== undefined;
  const list = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);

  useEffect(() => {
    const shown = list.current;
    if (!shown) return;
    // What is said may still grow while it is drawn. Of a long answer the beginning is shown.
    const follow = () => isFollowing.current && shown.scrollTo({ top: topOfNewest(shown) - MARGIN });
    const growing = new ResizeObserver(follow);
    for (const child of shown.children) growing.observe(child);
    follow();
    return () => growing.disconnect();
  }, [talk, isWaiting]);

  function scrolled() {
    const shown = list.current!;
    isFollowing.current = topOfNewest(shown) < shown.scrollTop + shown.clientHeight;
  }

  return (
    <div
      ref={list}
      role="log"
      aria-label="Conversation with the coach"
      tabIndex={0}
      onScroll={scrolled}
      className="relative min-h-40 grow basis-40 space-y-3 overflow-y-auto p-3 focus-visible:outline-offset-[-2px]"
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
