import { createParser } from "eventsource-parser";
import { useEffect, useEffectEvent, useState } from "react";

export type Frame = { event?: string; id?: string; data: unknown };
export type StreamState = "connecting" | "live" | "lost" | "ended";

type Options = {
  onFrame: (frame: Frame) => void;
  onState?: (state: StreamState) => void;
  /** Whether this frame is the last there will be: the stream then ends instead of coming back. */
  isLast?: (frame: Frame) => boolean;
};

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/**
 * Follow server-sent events until told to stop. A stream that breaks is taken up again behind the
 * last event it gave, so that nothing is missed and nothing comes twice.
 */
export function openStream(url: string, { onFrame, onState, isLast }: Options): () => void {
  const closing = new AbortController();
  void follow();
  return () => closing.abort();

  async function follow() {
    let last: string | undefined;
    let pause = FIRST_PAUSE;
    onState?.("connecting");
    while (!closing.signal.aborted) {
      let isOver = false;
      const parser = createParser({
        onEvent: (message) => {
          const frame = { ...message, data: JSON.parse(message.data) };
          last = message.id ?? last;
          onFrame(frame);
          isOver ||= isLast?.(frame) ?? false;
        },
      });
      try {
        const headers: HeadersInit = last === undefined ? {} : { "Last-Event-ID": last };
        const response = await fetch(url, { headers, signal: closing.signal });
        if (response.status >= 400 && response.status < 500) return onState?.("ended");
        if (response.ok && response.body) {
          onState?.("live");
          pause = FIRST_PAUSE;
          const text = response.body.pipeThrough(new TextDecoderStream());
          for await (const piece of pieces(text)) {
            parser.feed(piece);
            if (isOver) return onState?.("ended");
          }
        }
      } catch {
        // It broke; below it is taken up again.
      }
      if (closing.signal.aborted) return;
      onState?.("lost");
      await new Promise((resolve) => setTimeout(resolve, pause));
      pause = Math.min(pause * 2, LONGEST_PAUSE);
    }
  }
}

async function* pieces(stream: ReadableStream<string>): AsyncGenerator<string> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

/** Follow a stream while the component is shown; without a `url` nothing is followed. */
export function useStream(url: string | null, options: Omit<Options, "onState">): StreamState {
  const [state, setState] = useState<StreamState>("connecting");
  const onFrame = useEffectEvent(options.onFrame);
  const isLast = useEffectEvent((frame: Frame) => options.isLast?.(frame) ?? false);

  useEffect(() => {
    if (url === null) return;
    return openStream(url, {
      onFrame: (frame) => onFrame(frame),
      isLast: (frame) => isLast(frame),
      onState: setState,
    });
  }, [url]);

  return state;
}
