import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

import { live } from "@/api/live";

// Pages are loaded when they are first shown, which takes its time on a busy machine.
configure({ asyncUtilTimeout: 5_000 });

afterEach(() => {
  cleanup();
  live.reset();
  vi.unstubAllGlobals();
  localStorage.clear();
  sessionStorage.clear();
});
