import { queryOptions } from "@tanstack/react-query";

import { answer, rest } from "./client";

export const sourcesQuery = queryOptions({
  queryKey: ["sources"],
  queryFn: () => answer(rest.GET("/api/research/sources")),
});

export function sourceQuery(slug: string) {
  return queryOptions({
    queryKey: ["sources", slug],
    queryFn: () => answer(rest.GET("/api/research/sources/{slug}", at(slug))),
    // Somebody may have signed in, or mended its file, in another window.
    staleTime: 0,
  });
}

/** Asked anew with other credentials; not with the source itself, which may just have been switched off. */
export function sourceToolsQuery(slug: string, stored: readonly string[] = []) {
  return queryOptions({
    queryKey: ["source-tools", slug, ...stored],
    queryFn: () => answer(rest.GET("/api/research/sources/{slug}/tools", at(slug))),
  });
}

export function setEnabled(slug: string, isEnabled: boolean) {
  return answer(
    isEnabled
      ? rest.POST("/api/research/sources/{slug}/enable", at(slug))
      : rest.POST("/api/research/sources/{slug}/disable", at(slug)),
  );
}

export function testSource(slug: string) {
  return answer(rest.POST("/api/research/sources/{slug}/test", at(slug)));
}

export function keepCredential(slug: string, name: string, value: string) {
  const params = { path: { slug, name } };
  return answer(rest.PUT("/api/research/sources/{slug}/credentials/{name}", { params, body: { value } }));
}

export function forgetCredential(slug: string, name: string) {
  return answer(
    rest.DELETE("/api/research/sources/{slug}/credentials/{name}", { params: { path: { slug, name } } }),
  );
}

export function signIn(slug: string) {
  return answer(rest.POST("/api/research/sources/{slug}/sign-in", at(slug)));
}

export function signOut(slug: string) {
  return answer(rest.POST("/api/research/sources/{slug}/sign-out", at(slug)));
}

function at(slug: string) {
  return { params: { path: { slug } } };
}
