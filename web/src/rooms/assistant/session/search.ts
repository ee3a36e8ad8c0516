export const PANES = ["chat", "document", "files"] as const;
export const VIEWS = ["document", "file", "decisions", "hooks"] as const;

/** What is shown of a session, in its address. */
export type SessionSearch = {
  /** On a narrow window. */
  pane?: (typeof PANES)[number];
  view?: (typeof VIEWS)[number];
  file?: string;
};

export function sessionSearch(given: Record<string, unknown>): SessionSearch {
  return {
    pane: PANES.find((pane) => pane === given.pane),
    view: VIEWS.find((view) => view === given.view),
    file: typeof given.file === "string" ? given.file : undefined,
  };
}
