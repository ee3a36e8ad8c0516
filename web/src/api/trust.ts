import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";

export const trustQuery = queryOptions({
  queryKey: ["trust"],
  queryFn: () => answer(rest.GET("/api/trust")),
});

export function trustDiffQuery(name: string) {
  return queryOptions({
    queryKey: ["trust", name, "diff"],
    queryFn: () => answer(rest.GET("/api/trust/{name}/diff", { params: { path: { name } } })),
    // What is trusted must be what is shown, as it is now.
    staleTime: 0,
    gcTime: 0,
  });
}

/** Trusts it only if it still is what the fingerprint was taken of. */
export function trust(name: string, fingerprint: string) {
  return answer(rest.POST("/api/trust/{name}", { params: { path: { name } }, body: { fingerprint } }));
}

export function distrust(name: string) {
  return answer(rest.DELETE("/api/trust/{name}", { params: { path: { name } } }));
}
