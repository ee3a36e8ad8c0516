import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";
import type { Kind } from "./schema";

export const librariesQuery = queryOptions({
  queryKey: ["libraries"],
  queryFn: () => answer(rest.GET("/api/libraries")),
});

export function libraryQuery(name: string) {
  return queryOptions({
    queryKey: ["library", name],
    queryFn: () => answer(rest.GET("/api/libraries/{name}", { params: { path: { name } } })),
  });
}

export function documentsQuery(name: string) {
  return queryOptions({
    queryKey: ["library", name, "documents"],
    queryFn: () => answer(rest.GET("/api/libraries/{name}/documents", { params: { path: { name } } })),
  });
}

/** With a document's path, only what stands in it. */
export function searchQuery(name: string, query: string, document?: string) {
  const filter = document ? [document] : undefined;
  return queryOptions({
    queryKey: ["library", name, "search", query, document],
    queryFn: () =>
      answer(
        rest.GET("/api/libraries/{name}/search", { params: { path: { name }, query: { query, filter } } }),
      ),
  });
}

export function answerableQuery(name: string, query: string) {
  return queryOptions({
    queryKey: ["library", name, "answerable", query],
    queryFn: () =>
      answer(rest.GET("/api/libraries/{name}/answerable", { params: { path: { name }, query: { query } } })),
  });
}

export function paragraphQuery(name: string, identifier: string) {
  return queryOptions({
    queryKey: ["library", name, "paragraph", identifier],
    queryFn: () =>
      answer(
        rest.GET("/api/libraries/{name}/paragraph/context", {
          params: { path: { name }, query: { identifier } },
        }),
      ),
  });
}

export type Walk = { hops: number; decay: number };

export function neighboursQuery(name: string, identifier: string, { hops, decay }: Walk) {
  return queryOptions({
    queryKey: ["library", name, "neighbours", identifier, hops, decay],
    queryFn: () =>
      answer(
        rest.GET("/api/libraries/{name}/neighbours", {
          params: { path: { name }, query: { identifier, max_hops: hops, decay } },
        }),
      ),
    // While a slider moves, what was there stays; another paragraph begins anew.
    placeholderData: (previous, query) => (query?.queryKey[3] === identifier ? previous : undefined),
  });
}

export function upload(library: string, files: readonly File[], kind?: Kind) {
  const form = new FormData();
  form.set("library", library);
  if (kind) form.set("kind", kind);
  for (const file of files) form.append("files", file, file.name);
  return answer(
    rest.POST("/api/libraries/upload", {
      body: { library, files: [...files], kind },
      bodySerializer: () => form,
    }),
  );
}

export function ingestFolder(name: string, folder: string, kind?: Kind) {
  return answer(
    rest.POST("/api/libraries/{name}/ingest", { params: { path: { name } }, body: { folder, kind } }),
  );
}

export function ingestEvents(name: string, runId: string): string {
  return `/api/libraries/${encodeURIComponent(name)}/ingests/${encodeURIComponent(runId)}/events`;
}
