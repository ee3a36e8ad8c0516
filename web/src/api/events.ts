import { useEffect, useState } from "react";

export type WorkshopEvent = {
  id: string;
  /** Its place in the log; none if it is not logged. */
  seq: number | null;
  topic: string;
  project: string | null;
  created_at: string;
  payload: Record<string, unknown>;
};

const KEPT = 50;

/** The newest events, live; the browser resumes by itself where it was cut off. */
export function useEvents(topics = "*"): { events: WorkshopEvent[]; isLive: boolean } {
  const [events, setEvents] = useState<WorkshopEvent[]>([]);
  const [isLive, setLive] = useState(false);

  useEffect(() => {
    const source = new EventSource(`/api/events?topics=${encodeURIComponent(topics)}`);
    source.onopen = () => setLive(true);
    source.onerror = () => setLive(false);
    source.onmessage = (message) => {
      const event: WorkshopEvent = JSON.parse(message.data);
      setEvents((earlier) => [event, ...earlier].slice(0, KEPT));
    };
    return () => source.close();
  }, [topics]);

  return { events, isLive };
}
