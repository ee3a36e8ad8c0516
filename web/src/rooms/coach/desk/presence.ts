import { useEffect } from "react";

import { socket } from "@/api/socket";

import { sendAllText } from "./acting";
import { isUnsent } from "./state";
import { desk } from "./store";

const IDLE_AFTER = 120_000;
const SIGNS_OF_LIFE = ["keydown", "pointerdown", "pointermove", "wheel"] as const;

/** Tell the coach when nobody seems to be there, and when somebody is back. */
export function useIdle(isWatched: boolean): void {
  useEffect(() => {
    if (!isWatched) return;
    let isIdle = false;
    let timer = 0;
    const wait = () => {
      const lastActionTimestamp = Date.now();
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        isIdle = true;
        socket.say("user:idle_start", { lastActionTimestamp });
      }, IDLE_AFTER);
    };
    const seen = () => {
      if (isIdle) socket.say("user:idle_end", {});
      isIdle = false;
      wait();
    };
    wait();
    for (const sign of SIGNS_OF_LIFE) addEventListener(sign, seen, { passive: true });
    return () => {
      clearTimeout(timer);
      for (const sign of SIGNS_OF_LIFE) removeEventListener(sign, seen);
    };
  }, [isWatched]);
}

/** Edits that the server does not have yet are sent before the window goes, or the person is asked. */
export function useNothingLost(): void {
  useEffect(() => {
    const leaving = (event: BeforeUnloadEvent) => {
      sendAllText();
      if (desk.state.tabs.some(isUnsent)) event.preventDefault();
    };
    addEventListener("beforeunload", leaving);
    addEventListener("visibilitychange", sendAllText);
    return () => {
      removeEventListener("beforeunload", leaving);
      removeEventListener("visibilitychange", sendAllText);
    };
  }, []);
}
