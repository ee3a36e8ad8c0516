import { type RefObject, useEffect, useRef } from "react";

/** Keeps the end in sight as the text above it grows, unless somebody has scrolled up to read. */
export function useFollowing(growth: number, isOn: boolean): RefObject<HTMLDivElement | null> {
  const end = useRef<HTMLDivElement>(null);
  const isInSight = useRef(true);

  useEffect(() => {
    if (!end.current) return;
    const watcher = new IntersectionObserver(([seen]) => {
      isInSight.current = seen?.isIntersecting ?? true;
    });
    watcher.observe(end.current);
    return () => watcher.disconnect();
  }, []);

  useEffect(() => {
    if (isOn && isInSight.current) end.current?.scrollIntoView({ block: "nearest" });
  }, [growth, isOn]);

  return end;
}
