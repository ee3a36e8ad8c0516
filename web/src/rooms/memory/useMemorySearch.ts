import { useNavigate, useSearch } from "@tanstack/react-router";

import type { MemorySearch } from "./filters";

/** The page's filters, kept in its address, and how to change some of them. */
export function useMemorySearch() {
  const search = useSearch({ from: "/memory" });
  const navigate = useNavigate({ from: "/memory" });
  const change = (changes: Partial<MemorySearch>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace: true });
  const clear = () => void navigate({ search: {} });
  return { search, change, clear };
}
