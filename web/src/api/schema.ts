// Written by `make docs` from the server's OpenAPI document.

export type paths = {
  "/health": {
    /** Whether the server is well, and what it runs on. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": Health } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/login": {
    /** Give the passcode, get the cookie. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": {
  passcode: string;
}; "application/x-www-form-urlencoded": {
  passcode: string;
} } };
      responses: { 200: { content: { "application/json": unknown } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/logout": {
    /** Forget the cookie: it is refused from now on, and what it let in is ended. */
    post: {
      parameters: {};
      responses: { 200: { content: { "application/json": unknown } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/events": {
    /** Follow the event log as server-sent events. */
    get: {
      parameters: { query?: { topics?: string; project?: string | null; after?: number | null } };
      responses: { 200: { content: never }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/sessions": {
    /** The caller's sessions, newest first. */
    get: {
      parameters: { query?: { kind?: SessionKind | null; status?: SessionStatus | null; project?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": SessionView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/sessions/{session_id}": {
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": SessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/sessions/{session_id}/messages": {
    /** What was said, in order. */
    get: {
      parameters: { query?: { start?: number; limit?: number }; path: { session_id: string } };
      responses: { 200: { content: { "application/json": MessageView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/sessions/{session_id}/actions": {
    /** What was done, newest first. */
    get: {
      parameters: { query?: { action_type?: ActionType | null; limit?: number }; path: { session_id: string } };
      responses: { 200: { content: { "application/json": ActionView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/events/log": {
    /** The events that contain every word of `query`, newest first. */
    get: {
      parameters: { query?: { query?: string; topics?: string; project?: string | null; session_id?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": EventView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/traces": {
    /** The caller's traces, newest first. */
    get: {
      parameters: { query?: { session_id?: string | null; run_id?: string | null; kind?: SpanKind | null; room?: string | null; search?: string; status?: "ok" | "error" | null; before?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": TraceView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/traces/{trace_id}": {
    /** One trace with all its spans. */
    get: {
      parameters: { path: { trace_id: string } };
      responses: { 200: { content: { "application/json": TraceTree } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/runs": {
    /** The caller's runs, newest first. */
    get: {
      parameters: { query?: { kind?: string | null; status?: RunStatus | null; session_id?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": Run[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/runs/{run_id}": {
    get: {
      parameters: { path: { run_id: string } };
      responses: { 200: { content: { "application/json": Run } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/runs/{run_id}/events": {
    /** What happened in the run, in order; with `wait`, as soon as something has. */
    get: {
      parameters: { query?: { after?: number; limit?: number; wait?: number }; path: { run_id: string } };
      responses: { 200: { content: { "application/json": RunEvent[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/runs/{run_id}/reply": {
    /** Answer what a paused run waits for. */
    post: {
      parameters: { path: { run_id: string } };
      requestBody: { content: { "application/json": Reply } };
      responses: { 200: { content: { "application/json": Run } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/runs/{run_id}/cancel": {
    /** Stop a run for good. */
    post: {
      parameters: { path: { run_id: string } };
      responses: { 200: { content: { "application/json": Run } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/costs": {
    /** What was spent: on one session, or by the whole house, which its owner may see. */
    get: {
      parameters: { query?: { session_id?: string | null; since?: string | null } };
      responses: { 200: { content: { "application/json": Spending } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/costs/report": {
    /** What the house spent in these days, by room, model, task and day; for its owner. */
    get: {
      parameters: { query?: { days?: number; timezone?: string } };
      responses: { 200: { content: { "application/json": CostReport } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/settings": {
    /** Every setting with its value. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": SettingView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/tokens": {
    /** The tokens the caller may revoke, and those that were. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": TokenView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Make a token; its secret is in this answer and nowhere else. It ends with the token that asks for it, and never may do more than that. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": NewToken } };
      responses: { 201: { content: { "application/json": IssuedToken } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/tokens/{token}": {
    /** Give it another role, other rooms or projects, and no more to those that it issued. What they have open is closed at once. */
    patch: {
      parameters: { path: { token: string } };
      requestBody: { content: { "application/json": GrantInput } };
      responses: { 200: { content: { "application/json": TokenView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Make a token useless, by its id or its name, and all that were issued by it. */
    delete: {
      parameters: { path: { token: string } };
      responses: { 200: { content: { "application/json": TokenView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/retention": {
    /** What is kept how long, its size, its growth and what it will be in a year. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": RetentionReport } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/retention/prune": {
    /** Delete what is older than it is kept, as the server does once a day. */
    post: {
      parameters: {};
      requestBody?: { content: { "application/json": PruneRequest } };
      responses: { 200: { content: { "application/json": PrunedLog[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/trust": {
    /** What the project brings: agents, plugins, skills and sources, and which are trusted. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": BroughtList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/trust/{name}/diff": {
    /** What has changed since it was trusted. */
    get: {
      parameters: { path: { name: string } };
      responses: { 200: { content: { "application/json": TrustDiff } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/trust/{name}": {
    /** Use it from now on, as it is: it may run, connect, and stand in for what is shipped. */
    post: {
      parameters: { path: { name: string } };
      requestBody?: { content: { "application/json": TrustInput } };
      responses: { 200: { content: { "application/json": BroughtView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Use it no longer. */
    delete: {
      parameters: { path: { name: string } };
      responses: { 200: { content: { "application/json": BroughtView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/sign-ins": {
    /** The caller's browsers that are or were signed in, newest first. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": SignInView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/sign-ins/{sign_in_id}": {
    /** Sign a browser out, and end what it has open. */
    delete: {
      parameters: { path: { sign_in_id: string } };
      responses: { 200: { content: { "application/json": SignInView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/memories": {
    /** The caller's memories, newest first; `query` is text that they contain. */
    get: {
      parameters: { query?: { project?: string | null; scope?: Scope | null; session_id?: string | null; query?: string | null; forgotten?: boolean; importance?: Importance | null; tag?: string | null; room?: SessionKind | null; after?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": MemoryPage } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Remember something. The same text again is merged; what says nothing is refused. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": NewMemory } };
      responses: { 201: { content: { "application/json": RememberedView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/memories/overview": {
    /** How many there are, by project and by session. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": MemoryOverview } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/memories/recall": {
    /** The best of everything that is remembered, by meaning, within a token budget. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": RecallInput } };
      responses: { 200: { content: { "application/json": RecallView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/memories/{id}": {
    get: {
      parameters: { path: { id: string } };
      responses: { 200: { content: { "application/json": MemoryView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    patch: {
      parameters: { path: { id: string } };
      requestBody: { content: { "application/json": MemoryChange } };
      responses: { 200: { content: { "application/json": MemoryView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Forget a memory. It can be restored for 30 days, unless it is forgotten for ever. */
    delete: {
      parameters: { query?: { forever?: boolean }; path: { id: string } };
      responses: { 200: { content: { "application/json": MemoryView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/memories/{id}/restore": {
    post: {
      parameters: { path: { id: string } };
      responses: { 200: { content: { "application/json": MemoryView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/entries": {
    post: {
      parameters: {};
      requestBody: { content: { "application/json": JournalStartInput } };
      responses: { 201: { content: { "application/json": JournalStarted } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Newest first; open entries have no outcome yet. */
    get: {
      parameters: { query?: { limit?: number; domain?: Domain | null; outcome?: JournalOutcome | null; since?: string | null; after?: string | null; project?: string | null } };
      responses: { 200: { content: { "application/json": EntryPage } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/active": {
    patch: {
      parameters: {};
      requestBody: { content: { "application/json": UpdateInput } };
      responses: { 200: { content: { "application/json": Updated } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    get: {
      parameters: { query?: { session_id?: string | null } };
      responses: { 200: { content: { "application/json": Active } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/active/resolve": {
    post: {
      parameters: {};
      requestBody: { content: { "application/json": ResolveInput } };
      responses: { 200: { content: { "application/json": Resolved } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/entries/{id}": {
    get: {
      parameters: { query?: { project?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": EntryView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/evidence": {
    /** For hooks: a test or build that ran. It resolves nothing by itself. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": EvidenceInput } };
      responses: { 200: { content: { "application/json": EntryView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/orphans": {
    /** Open entries that nobody works on any more. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": OrphanList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/entries/{id}/adopt": {
    post: {
      parameters: { path: { id: string } };
      requestBody: { content: { "application/json": JournalSessionInput } };
      responses: { 200: { content: { "application/json": Active } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/entries/{id}/abandon": {
    post: {
      parameters: { path: { id: string } };
      requestBody: { content: { "application/json": AbandonInput } };
      responses: { 200: { content: { "application/json": Resolved } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/search": {
    /** By words and meaning, best first. */
    get: {
      parameters: { query: { query: string; axis?: Axis; domain?: Domain | null; outcome?: JournalOutcome | null; limit?: number; project?: string | null } };
      responses: { 200: { content: { "application/json": SearchResults } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/clusters": {
    /** Groups of alike experiences, the largest first. */
    get: {
      parameters: { query: { axis: Axis; project?: string | null } };
      responses: { 200: { content: { "application/json": ClusterList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/map": {
    /** Every experience as a point, those alike close together; empty while there are few. */
    get: {
      parameters: { query: { axis: Axis; project?: string | null } };
      responses: { 200: { content: { "application/json": JournalMap } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/clusters/{cluster_id}": {
    /** A cluster's experiences, the most typical first. */
    get: {
      parameters: { query?: { limit?: number; project?: string | null }; path: { cluster_id: string } };
      responses: { 200: { content: { "application/json": MemberList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/values/validate": {
    post: {
      parameters: {};
      requestBody: { content: { "application/json": ValidateInput } };
      responses: { 200: { content: { "application/json": Validation } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/values": {
    post: {
      parameters: {};
      requestBody: { content: { "application/json": StoreInput } };
      responses: { 201: { content: { "application/json": ValueView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Those of the largest clusters first. */
    get: {
      parameters: { query?: { axis?: Axis | null; limit?: number; project?: string | null } };
      responses: { 200: { content: { "application/json": ValueList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/context": {
    /** Lessons and values worth knowing before a task; that they were shown is recorded. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": ContextInput } };
      responses: { 200: { content: { "application/json": Context } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/calibration": {
    /** How well the confidence in predictions foretold what happened. */
    get: {
      parameters: { query?: { project?: string | null } };
      responses: { 200: { content: { "application/json": CalibrationReport } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/sync": {
    /** Store what was resolved but not stored, and make lost vectors again. */
    post: {
      parameters: {};
      responses: { 200: { content: { "application/json": Synced } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/export": {
    /** Every experience, a page at a time, and on the last page every value. */
    get: {
      parameters: { query?: { after?: string | null; limit?: number; project?: string | null } };
      responses: { 200: { content: { "application/json": ExportPage } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/journal/import": {
    /** Add what was exported. Known ids are left as they are. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": ImportInput } };
      responses: { 200: { content: { "application/json": Transferred } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/tree": {
    /** The project's files from a folder down. */
    get: {
      parameters: { query?: { path?: string } };
      responses: { 200: { content: { "application/json": Tree } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/protocol": {
    /** Every WebSocket message, as JSON Schema. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": Record<string, unknown> } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/buffer": {
    /** A file as it is in the editor, or null. */
    get: {
      parameters: { query: { path: string } };
      responses: { 200: { content: { "application/json": BufferView | null } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/diffs": {
    /** Unsaved changes of one file, or of all. */
    get: {
      parameters: { query?: { path?: string | null } };
      responses: { 200: { content: { "application/json": DiffList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/files": {
    /** A file with its unsaved edits, if it has any. */
    get: {
      parameters: { query: { path: string } };
      responses: { 200: { content: { "application/json": Content } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** The person's own save, as `file:save` is. No agent has this. */
    put: {
      parameters: {};
      requestBody: { content: { "application/json": FileSave } };
      responses: { 200: { content: { "application/json": SaveAck } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/sessions": {
    /** Work on an issue. A session that is still active is abandoned. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": StartSession } };
      responses: { 201: { content: { "application/json": Started } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Coaching sessions in this project, newest first. */
    get: {
      parameters: { query?: { limit?: number } };
      responses: { 200: { content: { "application/json": CoachSessionList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/session": {
    /** The session under way, or null. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": RestoredState | null } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/sessions/{id}/resume": {
    /** An active session as it is; an abandoned one goes on in a new session. */
    post: {
      parameters: { path: { id: string } };
      responses: { 200: { content: { "application/json": Resumed } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/desk": {
    /** Everything that a window which opens, or comes back, has to show. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": DeskView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/state": {
    /** The session under way and what is on the desk; null where there is nothing. */
    get: {
      parameters: { query?: { include?: StateItem[] | null } };
      responses: { 200: { content: { "application/json": Record<string, unknown> } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/sessions/{session_id}/timeline": {
    /** Everything that happened in a session, oldest first. */
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": Replay } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/sessions/{session_id}/report": {
    /** A session as a page of markdown. */
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": CoachReport } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/plan/draft": {
    /** A first plan for the session's issue, to be edited and submitted. */
    post: {
      parameters: {};
      responses: { 200: { content: { "application/json": PlanDraft } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/issues": {
    /** The project's open issues: GitHub's, or those in its own folder. `note` says why there are none of GitHub's. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": IssueList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/phases/{number}": {
    /** Begin, complete or put back a phase of the plan. */
    post: {
      parameters: { path: { number: number } };
      requestBody: { content: { "application/json": PhaseMove } };
      responses: { 200: { content: { "application/json": PhaseView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/hints": {
    /** How closely hints point, for this session. */
    put: {
      parameters: {};
      requestBody: { content: { "application/json": LevelChange } };
      responses: { 200: { content: { "application/json": CurrentLevel } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/plan": {
    /** Turn a plan into phases for the session at hand. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": SubmitPlan } };
      responses: { 200: { content: { "application/json": PlanReady } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/session/end": {
    /** End the session at hand; without a transcript the log says what happened. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": EndSession } };
      responses: { 200: { content: { "application/json": WrapUpResult } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/observer": {
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": ObserverView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/observer/mute": {
    /** For the session at hand; without one nothing changes. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": Mute } };
      responses: { 200: { content: { "application/json": ObserverStatus } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/nudges": {
    /** For an agent beside the learner: what the observer noticed, to take up in its words. */
    get: {
      parameters: { query?: { after?: string | null } };
      responses: { 200: { content: { "application/json": HandedOver } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/explain": {
    post: {
      parameters: {};
      requestBody: { content: { "application/json": Explain } };
      responses: { 200: { content: { "application/json": Explanation } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/review": {
    /** A kata's solution; without a `kataId`, the work of the active phase. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": Review } };
      responses: { 200: { content: { "application/json": KataReview | PhaseReview } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/katas": {
    /** Newest first. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": KataSummary[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/katas/next": {
    /** The best to do next; one is taken from the catalogue where none is open. */
    post: {
      parameters: {};
      responses: { 200: { content: { "application/json": KataLoad } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/katas/{id}": {
    get: {
      parameters: { path: { id: string } };
      responses: { 200: { content: { "application/json": KataLoad } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/katas/{id}/attempts": {
    post: {
      parameters: { path: { id: string } };
      requestBody: { content: { "application/json": Review } };
      responses: { 201: { content: { "application/json": KataReview } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/gaps": {
    /** Severe first. */
    get: {
      parameters: { query?: { addressed?: boolean | null } };
      responses: { 200: { content: { "application/json": GapView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/gaps/{id}/addressed": {
    /** Say that a gap is closed, or that it is not after all. */
    post: {
      parameters: { path: { id: string } };
      requestBody: { content: { "application/json": Addressed } };
      responses: { 200: { content: { "application/json": GapView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/dashboard/dreyfus": {
    /** Every skill's stage as a point, and the stage over all. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": DreyfusRadar } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/dashboard": {
    /** Skills, numbers of a period, the session under way, katas. */
    get: {
      parameters: { query?: { statsPeriod?: Period } };
      responses: { 200: { content: { "application/json": DashboardState } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/dashboard/issues": {
    /** The open issues that fit you best. Asks a model: this can take a while. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": DashboardIssues } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/coach/dashboard/materials": {
    /** What to read about your open gaps. Asks a model: this can take a while. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": DashboardMaterials } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/reports": {
    /** Each report is a new run of its tests; answers what it has brought. */
    post: {
      parameters: { query: { project_id: string } };
      requestBody: { content: { "application/json": Record<string, never>; "application/xml": string } };
      responses: { 201: { content: { "application/json": ImportResult } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Newest first. */
    get: {
      parameters: { query?: { project_id?: string | null; limit?: number; offset?: number } };
      responses: { 200: { content: { "application/json": ReportList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/hooks": {
    /** Takes the JSON that Claude Code hands to a hook, as it is. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": Record<string, unknown> } };
      responses: { 200: { content: { "application/json": Ingested } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/sessions/{session_id}/end": {
    /** Its work goes back into the queue at once. */
    post: {
      parameters: { path: { session_id: string } };
      requestBody?: { content: { "application/json": Farewell | null } };
      responses: { 200: { content: { "application/json": BoardSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/knowledge/restore": {
    /** Undo a deletion: takes what the deletion returned. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": TaskItem | ProjectItem | GlobalItem } };
      responses: { 201: { content: { "application/json": TaskItem | ProjectItem | GlobalItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/projects": {
    /** Every directory with OpenSpec in it, by name; the missing ones too. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": ProjectList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/projects/scan": {
    /** Look for projects now, rather than within five minutes. */
    post: {
      parameters: {};
      responses: { 200: { content: { "application/json": ScanView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/projects/{project_id}/specs": {
    /** The main specs: what the project does today. */
    get: {
      parameters: { path: { project_id: string } };
      responses: { 200: { content: { "application/json": SpecList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/projects/{project_id}/specs/{spec}": {
    /** One capability with its requirements and their scenarios. */
    get: {
      parameters: { path: { project_id: string; spec: string } };
      responses: { 200: { content: { "application/json": SpecView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes": {
    /** Without their texts; urgent ones first, then the newest. */
    get: {
      parameters: { query?: { project_id?: string | null; status?: ChangeStatus[] | null; search?: string | null } };
      responses: { 200: { content: { "application/json": ChangeList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Write a new change to the project, for a person to decide on; overlaps are shown. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": ProposalInput } };
      responses: { 201: { content: { "application/json": Proposed } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}": {
    /** With its texts, its tasks and where it may go from here. */
    get: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Save texts, each with the hash of the text it was made from. */
    put: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody: { content: { "application/json": ChangeEdit } };
      responses: { 200: { content: { "application/json": SavedChange } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } }; 409: { content: { "application/json": TooLateBody } } };
    };
  };
  "/api/board/changes/{id}/history": {
    /** Every step it took, with who and why. */
    get: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": History } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/revisions": {
    /** Texts that lost against others, newest first. */
    get: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": RevisionList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/validation": {
    /** Whether it could be approved, and what is in the way. */
    get: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": ValidationView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/overlaps": {
    /** Open changes that alter the same requirement, or name this one. */
    get: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": OverlapList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/revisions/{revision_id}/restore": {
    /** Bring a kept text back, and with it a change whose directory is gone. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string; revision_id: string } };
      responses: { 200: { content: { "application/json": SavedChange } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/dismiss": {
    /** Take the note away that a text lost against the file's. The revision stays. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/tasks": {
    /** Tick or clear tasks, by id or by number. */
    put: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody: { content: { "application/json": Ticks } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/approve": {
    /** Let it into the queue, if it is valid. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody?: { content: { "application/json": Approval } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/take_back": {
    /** Undo an approval before an agent has claimed it. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody?: { content: { "application/json": MaybeNote } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/reject": {
    /** Archive a proposal with the reason, leaving the specs as they are. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody: { content: { "application/json": Rejection } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/send_back": {
    /** From review into the queue again, with what is missing. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody: { content: { "application/json": Note } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/apply": {
    /** Confirm that the work in review does what it should. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody?: { content: { "application/json": MaybeNote } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/changes/{id}/archive": {
    /** Merge an applied change into the main specs, with the OpenSpec program. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      requestBody?: { content: { "application/json": MaybeNote } };
      responses: { 200: { content: { "application/json": ChangeView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/projects/{project_id}": {
    /** One project, its changes counted, and whether OpenSpec's program is there. */
    get: {
      parameters: { path: { project_id: string } };
      responses: { 200: { content: { "application/json": ProjectDetail } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/projects/{project_id}/applied": {
    /** Which changes brought what into the specs, newest first. */
    get: {
      parameters: { path: { project_id: string } };
      responses: { 200: { content: { "application/json": AppliedList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/sessions": {
    /** A client that registers again under its own id gets the same session. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": Registration } };
      responses: { 201: { content: { "application/json": BoardSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Newest first, each with its liveness and what it works on. */
    get: {
      parameters: { query?: { project_id?: string | null; live_only?: boolean } };
      responses: { 200: { content: { "application/json": BoardSessionList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/sessions/{session_id}": {
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": BoardSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/sessions/{session_id}/heartbeat": {
    post: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": HeartbeatView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/clarifications": {
    get: {
      parameters: { query?: { open?: boolean; project_id?: string | null } };
      responses: { 200: { content: { "application/json": ClarificationList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    post: {
      parameters: {};
      requestBody: { content: { "application/json": NewQuestion } };
      responses: { 201: { content: { "application/json": ClarificationView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/clarifications/{clarification_id}": {
    /** With `wait_seconds` as soon as it is answered, or as it is after that time. */
    get: {
      parameters: { query?: { wait_seconds?: number }; path: { clarification_id: string } };
      responses: { 200: { content: { "application/json": ClarificationView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/clarifications/{clarification_id}/answer": {
    /** One of the options, or own words. */
    post: {
      parameters: { path: { clarification_id: string } };
      requestBody: { content: { "application/json": Answer } };
      responses: { 200: { content: { "application/json": ClarificationView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/agents": {
    /** Those at work, the liveliest first. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": BoardAgentView[] } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/agents/metrics": {
    /** Of all sessions, or of one with its tools. */
    get: {
      parameters: { query?: { session_id?: string | null } };
      responses: { 200: { content: { "application/json": Metrics } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/agents/{session_id}": {
    /** At work or over. */
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": AgentSummary } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/agents/{session_id}/activity": {
    /** What it did, the newest first. */
    get: {
      parameters: { query?: { before?: number | null; limit?: number }; path: { session_id: string } };
      responses: { 200: { content: { "application/json": Timeline } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/queue": {
    /** What waits, with the reason where it is held back, and who works on what. */
    get: {
      parameters: { query?: { project_id?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": QueueView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/queue/next": {
    /** Claims the next change for a session; a session that has one gets it again. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": Asking } };
      responses: { 200: { content: { "application/json": NextWork } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/work/{change_id}/complete": {
    post: {
      parameters: { path: { change_id: string } };
      requestBody: { content: { "application/json": Completing } };
      responses: { 200: { content: { "application/json": Moved } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/work/{change_id}/release": {
    post: {
      parameters: { path: { change_id: string } };
      requestBody: { content: { "application/json": Releasing } };
      responses: { 200: { content: { "application/json": Moved } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/knowledge": {
    /** One tier, the newest first. */
    get: {
      parameters: { query?: { tier?: BoardTier; project_id?: string | null; change_id?: string | null; category?: string | null; search?: string | null; after?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": ItemPage } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** What is known already gains evidence and is not repeated. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": NewKnowledge } };
      responses: { 201: { content: { "application/json": Recorded } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/knowledge/context": {
    /** What an agent that takes this change would be told. */
    get: {
      parameters: { query: { project_id: string; change_id: string; agent_type?: AgentType; budget?: number } };
      responses: { 200: { content: { "application/json": ContextView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/knowledge/{tier}/{id}": {
    get: {
      parameters: { path: { tier: BoardTier; id: string } };
      responses: { 200: { content: { "application/json": TaskItem | ProjectItem | GlobalItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    patch: {
      parameters: { path: { tier: BoardTier; id: string } };
      requestBody: { content: { "application/json": KnowledgeEdit } };
      responses: { 200: { content: { "application/json": TaskItem | ProjectItem | GlobalItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Returns the item; post it to `/restore` to have it back. */
    delete: {
      parameters: { path: { tier: BoardTier; id: string } };
      responses: { 200: { content: { "application/json": TaskItem | ProjectItem | GlobalItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/knowledge/{tier}/{id}/promote": {
    /** A task's to its project, a project's to all of them. */
    post: {
      parameters: { path: { tier: BoardTier; id: string } };
      responses: { 200: { content: { "application/json": TaskItem | ProjectItem | GlobalItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/knowledge/global/{id}/demote": {
    /** What is known everywhere becomes one project's again. */
    post: {
      parameters: { query?: { project_id?: string | null }; path: { id: string } };
      responses: { 200: { content: { "application/json": TaskItem | ProjectItem | GlobalItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/failures": {
    /** What fails first, the most urgent before the others. */
    get: {
      parameters: { query?: { project_id?: string | null; classification?: FailureClass | null; status?: Shown | null; decision?: Decision | null; since?: string | null; search?: string | null; fingerprint?: string | null; limit?: number; offset?: number } };
      responses: { 200: { content: { "application/json": FailurePage } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/failures/agreement": {
    /** How often people decided as the rules had suggested. */
    get: {
      parameters: { query?: { project_id?: string | null } };
      responses: { 200: { content: { "application/json": Agreement } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/failures/{failure_id}": {
    /** With its error, its stack and the last runs of its test. */
    get: {
      parameters: { path: { failure_id: string } };
      responses: { 200: { content: { "application/json": FailureView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/failures/{failure_id}/triage": {
    /** Decide; from then on the rules do not. */
    post: {
      parameters: { path: { failure_id: string } };
      requestBody: { content: { "application/json": TriageInput } };
      responses: { 200: { content: { "application/json": FailureView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/failures/{failure_id}/classify": {
    /** With a class it stands; without one the rules classify it again. */
    post: {
      parameters: { path: { failure_id: string } };
      requestBody?: { content: { "application/json": ClassInput } };
      responses: { 200: { content: { "application/json": FailureView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/failures/{failure_id}/assign": {
    /** Note which agent's session looks into it. */
    post: {
      parameters: { path: { failure_id: string } };
      requestBody: { content: { "application/json": BoardSessionInput } };
      responses: { 200: { content: { "application/json": FailureView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/failures/{failure_id}/propose": {
    /** Propose a change for it now, however often it was met. */
    post: {
      parameters: { path: { failure_id: string } };
      responses: { 200: { content: { "application/json": FailureView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/work": {
    /** Changes and failures together, what was active last first. */
    get: {
      parameters: { query?: { project_id?: string | null; filter?: WorkFilter; status?: (ChangeStatus | FailureStatus)[] | null; search?: string | null; since?: string | null; until?: string | null; order?: WorkOrder; limit?: number; offset?: number } };
      responses: { 200: { content: { "application/json": WorkPage } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/board/stats": {
    /** How many of each, who is at work, and how many sessions would be kept busy. */
    get: {
      parameters: { query?: { project_id?: string | null } };
      responses: { 200: { content: { "application/json": BoardStats } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/upload": {
    /** Add documents, or new editions of them: a file's name is what it is known by. */
    post: {
      parameters: {};
      requestBody: { content: { "multipart/form-data": Body_library_upload_documents } };
      responses: { 202: { content: { "application/json": LibraryStarted } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/ingest": {
    /** Make the library what a folder of this machine holds; what is unchanged is skipped. */
    post: {
      parameters: { path: { name: string } };
      requestBody: { content: { "application/json": FolderInput } };
      responses: { 202: { content: { "application/json": LibraryStarted } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/ingests/{run_id}/events": {
    /** The same as server-sent events, whenever it gets further, until it has ended. */
    get: {
      parameters: { path: { name: string; run_id: string } };
      responses: { 200: { content: never }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries": {
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": LibraryList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    post: {
      parameters: {};
      requestBody: { content: { "application/json": CreateInput } };
      responses: { 201: { content: { "application/json": LibraryView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}": {
    /** What is in it, and which files could not be read. */
    get: {
      parameters: { path: { name: string } };
      responses: { 200: { content: { "application/json": LibraryStatus } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** With its documents as they were read; the files themselves stay where they are. */
    delete: {
      parameters: { path: { name: string } };
      responses: { 200: { content: { "application/json": Removed } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/documents": {
    get: {
      parameters: { query?: { kind?: Kind | null }; path: { name: string } };
      responses: { 200: { content: { "application/json": DocumentList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/paragraph": {
    get: {
      parameters: { query: { identifier: string }; path: { name: string } };
      responses: { 200: { content: { "application/json": ParagraphView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/paragraph/context": {
    /** A paragraph in its place: its file, what stands around it, the terms it rests on. */
    get: {
      parameters: { query: { identifier: string }; path: { name: string } };
      responses: { 200: { content: { "application/json": ParagraphContext } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/search": {
    /** Best first; each hit says what found it. */
    get: {
      parameters: { query: { query: string; max_results?: number; filter?: string[] | null; search_type?: SearchType; rerank?: boolean }; path: { name: string } };
      responses: { 200: { content: { "application/json": Results } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/answerable": {
    /** Whether the library holds an answer at all: a search always finds something. */
    get: {
      parameters: { query: { query: string }; path: { name: string } };
      responses: { 200: { content: { "application/json": Answerability } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/neighbours": {
    /** What a paragraph leads to, and how. */
    get: {
      parameters: { query: { identifier: string; max_hops?: number; max_results?: number; decay?: number }; path: { name: string } };
      responses: { 200: { content: { "application/json": Hops } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/verify": {
    post: {
      parameters: { path: { name: string } };
      requestBody: { content: { "application/json": VerifyInput } };
      responses: { 200: { content: { "application/json": Verified } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/verify/text": {
    /** Each sentence against what it cites, or else against what the library has nearest. */
    post: {
      parameters: { path: { name: string } };
      requestBody: { content: { "application/json": TextInput } };
      responses: { 200: { content: { "application/json": TextReport } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/example": {
    /** The rules of a small harbour, which come with the house: a library to try things on. */
    post: {
      parameters: {};
      responses: { 202: { content: { "application/json": StartedExample } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/libraries/{name}/ingests/{run_id}": {
    /** How far it is; with `wait`, as soon as it has ended or after so many seconds. */
    get: {
      parameters: { query?: { wait?: number }; path: { name: string; run_id: string } };
      responses: { 200: { content: { "application/json": IngestProgress } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/runs/{run_id}/events": {
    /** Stages, substeps and text as they come, from any event on, until the run has ended. */
    get: {
      parameters: { query?: { after?: number }; path: { run_id: string } };
      responses: { 200: { content: never }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sessions/{session_id}/export": {
    /** JSON Lines: the session, then a message a line. */
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "text/plain": string } }; "4XX": { content: { "text/plain": ErrorBody } }; "5XX": { content: { "text/plain": ErrorBody } } };
    };
  };
  "/api/research/sources/oauth/callback": {
    /** Where the other side sends the person back to. */
    get: {
      parameters: { query: { state: string; code?: string | null; error?: string | null; iss?: string | null } };
      responses: { 200: { content: { "text/html": string } }; "4XX": { content: { "text/html": ErrorBody } }; "5XX": { content: { "text/html": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}/sign-in": {
    /** The page of the other side where the person signs in. */
    post: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": SignInPage } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/runs": {
    /** Ask a library a question; the run goes on by itself until it needs somebody. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": ResearchStartInput } };
      responses: { 201: { content: { "application/json": ResearchRunView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** The caller's, newest first. */
    get: {
      parameters: { query?: { status?: RunStatus | null; session_id?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": RunList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/runs/{run_id}": {
    /** With its stages, what each did, took and cost, and what was said at its pauses. */
    get: {
      parameters: { path: { run_id: string } };
      responses: { 200: { content: { "application/json": RunState } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/runs/{run_id}/answer": {
    /** What the run came to; 409 while it goes on. */
    get: {
      parameters: { path: { run_id: string } };
      responses: { 200: { content: { "application/json": AnswerView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/runs/{run_id}/cancel": {
    /** Stop it for good. What it had found is summarised and kept. */
    post: {
      parameters: { path: { run_id: string } };
      responses: { 200: { content: { "application/json": ResearchRunView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/runs/{run_id}/messages": {
    /** Answer a paused run, and come back when it needs somebody again or has ended. After leaving a run, what was asked instead is answered too. */
    post: {
      parameters: { path: { run_id: string } };
      requestBody: { content: { "application/json": ReplyInput } };
      responses: { 200: { content: { "application/json": Said } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sessions/{session_id}/messages": {
    /** The conversation, with what its runs have come to meanwhile. With `wait`, as soon as it works on nothing, or after so many seconds. */
    get: {
      parameters: { query?: { wait?: number }; path: { session_id: string } };
      responses: { 200: { content: { "application/json": MessageList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** To the run that waits, to an agent (`@deep-research …`), or just so. */
    post: {
      parameters: { path: { session_id: string } };
      requestBody: { content: { "application/json": SessionMessage } };
      responses: { 200: { content: { "application/json": Said } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sessions": {
    post: {
      parameters: {};
      requestBody: { content: { "application/json": ResearchSessionInput } };
      responses: { 201: { content: { "application/json": ResearchSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Newest first; by words in titles and messages, status and label. */
    get: {
      parameters: { query?: { query?: string | null; status?: string | null; label?: string | null; archived?: boolean; limit?: number; offset?: number } };
      responses: { 200: { content: { "application/json": ResearchSessionList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sessions/import": {
    /** An exported session, as the caller's own. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": Transcript } };
      responses: { 201: { content: { "application/json": ResearchSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/vocabulary": {
    /** The statuses and labels that sessions are sorted by. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": VocabularyView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sessions/{session_id}": {
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": ResearchSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    patch: {
      parameters: { path: { session_id: string } };
      requestBody: { content: { "application/json": SessionChanges } };
      responses: { 200: { content: { "application/json": ResearchSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    delete: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": SessionRemoved } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sessions/{session_id}/title": {
    /** A new title from what was asked. */
    post: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": ResearchSessionView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/agents": {
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": AgentList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/agents/{slug}": {
    /** A broken one too, as far as it can be read. */
    get: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": AgentDetail } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/skills": {
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": SkillList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/skills/{slug}": {
    get: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": SkillDetail } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources": {
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": SourceList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}": {
    /** What it is and what would run, so that a person can decide; a broken one too. */
    get: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": SourceDetail } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}/tools": {
    get: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": ToolList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}/enable": {
    /** A project's source is trusted from now on, as it is: for the owner alone. */
    post: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": SourceView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}/disable": {
    post: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": SourceView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}/test": {
    /** Try everything from its file to its list of tools. */
    post: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": TestReport } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}/credentials/{name}": {
    /** Kept encrypted, and never shown again. */
    put: {
      parameters: { path: { slug: string; name: string } };
      requestBody: { content: { "application/json": Credential } };
      responses: { 200: { content: { "application/json": SourceView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    delete: {
      parameters: { path: { slug: string; name: string } };
      responses: { 200: { content: { "application/json": SourceView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/sources/{slug}/sign-out": {
    post: {
      parameters: { path: { slug: string } };
      responses: { 200: { content: { "application/json": SourceView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/requests": {
    /** The longest waiting first. */
    get: {
      parameters: { query?: { session_id?: string | null; open_only?: boolean } };
      responses: { 200: { content: { "application/json": RequestList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/requests/{request_id}/reply": {
    /** Words at a pause of an agent from outside. */
    post: {
      parameters: { path: { request_id: string } };
      requestBody: { content: { "application/json": PauseReply } };
      responses: { 200: { content: { "application/json": RequestView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/requests/{request_id}/plan": {
    post: {
      parameters: { path: { request_id: string } };
      requestBody: { content: { "application/json": PlanJudgement } };
      responses: { 200: { content: { "application/json": RequestView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/requests/{request_id}/credential": {
    /** Kept encrypted; the agent hears only that it is there. */
    post: {
      parameters: { path: { request_id: string } };
      requestBody: { content: { "application/json": GivenCredential } };
      responses: { 200: { content: { "application/json": RequestView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/research/requests/{request_id}/decline": {
    post: {
      parameters: { path: { request_id: string } };
      responses: { 200: { content: { "application/json": RequestView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}/events": {
    /** A turn, else the newest, as it goes on: tools, hooks, gates and text, until it ends. */
    get: {
      parameters: { query?: { turn?: string | null; after?: number }; path: { session_id: string } };
      responses: { 200: { content: never }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/specification": {
    /** The body is a PDF: it becomes a curriculum file, its codes tagged for look-up. */
    post: {
      parameters: { query: { name: string; replace?: boolean }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": ImportedView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/commands": {
    /** Every plugin with its commands, and what is wrong with broken files. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": PluginList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/agents": {
    /** Those whose files can be read; what is wrong with others is told with their plugins. */
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": PluginAgentList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/skills": {
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": PluginSkillList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/plugins/{plugin}/agents": {
    /** Its agents, and which hooks run at which points of their turns. */
    get: {
      parameters: { path: { plugin: string } };
      responses: { 200: { content: { "application/json": HookedAgentList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/rehearsals": {
    /** The prompt that a command would begin with, without asking a model. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": AssistantStartInput } };
      responses: { 200: { content: { "application/json": Rehearsed } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions": {
    /** Call a command: a session begins, and its first turn. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": AssistantStartInput } };
      responses: { 201: { content: { "application/json": TurnView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** The one that something last happened in comes first. */
    get: {
      parameters: { query?: { plugin?: string | null; class_id?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": AssistantSessionList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/search": {
    /** Sessions in which every word was said. */
    get: {
      parameters: { query?: { query?: string; class_id?: string | null; since?: string | null; until?: string | null; limit?: number } };
      responses: { 200: { content: { "application/json": FoundList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}": {
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": SessionState } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** With all that was said and decided in it. */
    delete: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": RemovedItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}/turns": {
    /** What was asked in the session, oldest first, and what each came to. */
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": TurnList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}/messages": {
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": Conversation } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** Go on with the session's agent: its next turn. */
    post: {
      parameters: { path: { session_id: string } };
      requestBody: { content: { "application/json": SayInput } };
      responses: { 201: { content: { "application/json": TurnView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}/reply": {
    /** Answer what the session's turn asks; what it does not offer is refused. */
    post: {
      parameters: { path: { session_id: string } };
      requestBody: { content: { "application/json": GateReply } };
      responses: { 200: { content: { "application/json": TurnView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}/cancel": {
    /** Stop the turn for good; what was said stays. */
    post: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": TurnView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}/decisions": {
    get: {
      parameters: { path: { session_id: string } };
      responses: { 200: { content: { "application/json": DecisionList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}": {
    /** Filled on first use with what the plugin ships. */
    get: {
      parameters: { path: { plugin: string } };
      responses: { 200: { content: { "application/json": FileList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/file": {
    get: {
      parameters: { query: { path: string }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** The version before is kept. */
    put: {
      parameters: { query: { path: string }; path: { plugin: string } };
      requestBody: { content: { "application/json": Text } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** It can be restored from its versions. */
    delete: {
      parameters: { query: { path: string }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": RemovedItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/versions": {
    get: {
      parameters: { query: { path: string }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": VersionList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/version": {
    /** What a file said before. */
    get: {
      parameters: { query: { path: string; version: number }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/restore": {
    post: {
      parameters: { query: { path: string; version: number }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/accept": {
    /** Take what the plugin ships in place of one's own; that one is kept as a version. */
    post: {
      parameters: { query: { path: string }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/shipped": {
    /** What the plugin ships under that name, to compare with one's own. */
    get: {
      parameters: { query: { path: string }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/workspaces/{plugin}/decline": {
    /** Keep one's own; it is not offered again until the plugin ships another. */
    post: {
      parameters: { query: { path: string }; path: { plugin: string } };
      responses: { 200: { content: { "application/json": FileList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/memory": {
    get: {
      parameters: {};
      responses: { 200: { content: { "application/json": MemoryFileList } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/memory/file": {
    get: {
      parameters: { query: { path: string } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    /** A person's own words are theirs: no name is asked about. */
    put: {
      parameters: { query: { path: string } };
      requestBody: { content: { "application/json": Text } };
      responses: { 200: { content: { "application/json": FileView } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
    delete: {
      parameters: { query: { path: string } };
      responses: { 200: { content: { "application/json": RemovedItem } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/sessions/{session_id}/turns/{run_id}": {
    /** All that happened in one of its turns: tools, hooks, gates and text. */
    get: {
      parameters: { path: { session_id: string; run_id: string } };
      responses: { 200: { content: { "application/json": TurnStory } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/export": {
    /** A row a turn: counts, costs and decisions, for research. */
    get: {
      parameters: { query?: { format?: "csv" | "jsonl"; plugin?: string | null; since?: string | null; until?: string | null; with_text?: boolean } };
      responses: { 200: { content: { "application/json": Exported } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/evals": {
    /** Play the shipped cases, judge them, and compare with what is left out. */
    post: {
      parameters: {};
      requestBody: { content: { "application/json": EvalOrder } };
      responses: { 201: { content: { "application/json": EvalState } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
  "/api/assistant/evals/{run_id}": {
    /** Its report; with `wait`, as soon as it is there or after so many seconds. */
    get: {
      parameters: { query?: { wait?: number }; path: { run_id: string } };
      responses: { 200: { content: { "application/json": EvalState } }; "4XX": { content: { "application/json": ErrorBody } }; "5XX": { content: { "application/json": ErrorBody } } };
    };
  };
};

export type AbandonInput = {
  result?: string;
};

export type ActionType = "file_open" | "file_save" | "file_close" | "buffer_summary" | "buffer_significant_change" | "tab_switch" | "selection" | "hint_level_change" | "explain_requested" | "review_requested" | "idle_start" | "idle_end" | "session_started" | "session_resumed" | "session_ended" | "phase_started" | "phase_completed" | "coaching_message" | "nudge_sent" | "nudge_suppressed" | "observer_muted" | "mcp_tool_call" | "decorations_applied" | "file_hints_applied" | "explain_completed" | "review_completed" | "dashboard_loaded";

export type ActionView = {
  id: string;
  action_type: string;
  data: Record<string, unknown> | null;
  created_at: string;
};

export type Active = {
  id?: string | null;
  domain?: Domain | null;
  strategy?: Strategy | null;
  goal?: string | null;
  hypothesis?: string | null;
  action?: string | null;
  prediction?: string | null;
  iteration_count?: number | null;
  created_at?: string | null;
  has_active?: boolean;
};

/** Who moved a change. */
export type Actor = "user" | "agent" | "system";

export type Addressed = {
  addressed: boolean;
};

/** What became of something that was to be remembered. */
export type Admission = "kept" | "merged" | "refused";

/** `config.json`. Whether its parts fit together is checked in `folders.py`. */
export type AgentConfig = {
  stages: StageConfig[];
  pauseAfterStages?: number[];
  repairUnits?: RepairUnit[];
  defaultDepth?: Depth;
  depthModes: Record<string, DepthSettings>;
  verification?: Thresholds;
  output?: OutputConfig;
  followUp?: FollowUpConfig;
  orchestrator?: OrchestratorConfig;
};

/** An agent with all that could be read of its files. */
export type AgentDetail = {
  slug: string;
  name: string;
  description: string;
  origin: string;
  sources: string[];
  problems: string[];
  folder: string;
  library: string | null;
  instructions: string;
  config: AgentConfig | null;
  prompts: Record<string, string>;
};

export type AgentList = {
  agents: ResearchAgentView[];
  places: string[];
  template: string;
};

/** The frontmatter of `agents/{name}.md`. */
export type AgentMeta = {
  model: string;
  provider: "anthropic" | "openai";
  description?: string;
  workspace?: string[];
  skills?: string[];
  tools?: string[];
  hooks?: string[];
  memory?: boolean;
  handoffs?: string[];
  outputSchema?: Record<string, unknown> | null;
  maxTurns?: number;
  maxBudgetUsd?: number | null;
  maxToolRetries?: number;
  maxNoProgressIterations?: number;
  forceFinalizeOnStall?: boolean;
};

export type AgentNudge = {
  signal: Signal;
  sentAt: string;
  text: string;
};

/** One agent's session in the whole. */
export type AgentSummary = {
  session_id: string;
  client_session_id: string | null;
  project_id: string | null;
  project_dir: string;
  type: SessionType;
  status: SessionStatus;
  liveness: Liveness;
  started_at: string;
  ended_at: string | null;
  last_activity_at: string;
  idle: boolean;
  idle_seconds: number;
  current_tool: string | null;
  current_tool_seconds: number | null;
  events: number;
  total_tools: number;
  succeeded: number;
  failed: number;
  success_rate: number | null;
  average_duration_ms: number | null;
  working_on: Work | null;
  seconds: number;
  tools: BoardToolView[];
};

export type AgentType = "t3-stack-developer" | "e2e-test-engineer" | "database-architect" | "ux-design-specialist" | "general-purpose";

/** How often people decided as the rules had suggested. */
export type Agreement = {
  decided: number;
  agreed: number;
  share: number | null;
};

export type Answer = {
  answer: string;
};

/** A passage that may answer, and how likely it is. */
export type AnswerPassage = {
  ref: string;
  document: string;
  sentence: string;
  probability: number;
  fit: Fit;
};

export type AnswerStatus = "verified" | "unverified" | "refused";

export type AnswerView = {
  run_id: string;
  exit_reason: ExitReason;
  status: AnswerStatus | null;
  markdown: string;
  answer: ResearchAnswer | null;
  output_file_path: string | null;
  cost: number;
  open_question: string | null;
};

export type Answerability = {
  answerable: boolean;
  confidence: number;
  reasons: string[];
  best: string | null;
  fit?: Fit;
  method?: string;
  passages?: AnswerPassage[];
};

export type AppliedList = {
  applied: AppliedView[];
};

export type AppliedView = {
  change_id: string;
  capability: string;
  applied_at: string;
};

export type Approval = {
  notes?: string | null;
  priority?: number | null;
};

export type ArtefactTold = {
  position: number;
  at: string;
  type: "artefact";
  text: string;
  path: string | null;
};

export type AskedSubQuery = {
  query: string;
  role: Role;
  standards: string[];
  found: number;
};

export type Asking = {
  session_id: string;
  change_id?: string | null;
};

export type AssessedSkill = {
  skillArea: string;
  stage: Stage;
  confidence: number;
  assessedAt: string;
};

export type AssistantKind = "structural" | "judged" | "behavioural";

export type AssistantReport = {
  offline: boolean;
  skipped: string[];
  variants: VariantSummary[];
  results: CaseResult[];
  markdown: string;
};

export type AssistantSessionList = {
  sessions: ListedSession[];
};

export type AssistantSessionView = {
  id: string;
  title: string | null;
  status: string;
  plugin: string;
  command: string | null;
  agent: string;
  class_id: string | null;
  tasks: Record<string, unknown>[];
  artefact: string;
  created_at: string;
  updated_at: string;
};

export type AssistantStartInput = {
  provider?: string | null;
  model?: string | null;
  max_turns?: number | null;
  max_budget_usd?: number | null;
  memory?: boolean;
  ask_confidence?: boolean;
  permission?: PermissionMode;
  without?: ("skills" | "workspace" | "memory" | "subagents" | "hooks")[];
  command: string;
  input: string;
};

export type AttemptView = {
  code: string;
  review?: string | null;
  level?: number | null;
  passed?: boolean | null;
  constraints?: string[];
};

export type AuthType = "none" | "bearer" | "header" | "oauth";

/** A side from which experiences are compared; `axes.py` says what is looked at. */
export type Axis = "full" | "strategy" | "surprise" | "root_cause";

/** The predictions made with about the same confidence. */
export type Bin = {
  from_confidence: number;
  to_confidence: number;
  count: number;
  mean_confidence: number;
  confirmed: number;
};

export type BoardAgentView = {
  session_id: string;
  client_session_id: string | null;
  project_id: string | null;
  project_dir: string;
  type: SessionType;
  status: SessionStatus;
  liveness: Liveness;
  started_at: string;
  ended_at: string | null;
  last_activity_at: string;
  idle: boolean;
  idle_seconds: number;
  current_tool: string | null;
  current_tool_seconds: number | null;
  events: number;
  total_tools: number;
  succeeded: number;
  failed: number;
  success_rate: number | null;
  average_duration_ms: number | null;
  working_on: Work | null;
};

/** How one test ended in one run. */
export type BoardOutcome = "passed" | "failed" | "flaked" | "timed_out" | "skipped";

export type BoardSessionInput = {
  session_id: string | null;
};

export type BoardSessionList = {
  sessions: BoardSessionView[];
};

export type BoardSessionView = {
  id: string;
  project_id: string;
  project_dir: string;
  type: SessionType;
  status: SessionStatus;
  liveness: Liveness;
  client_session_id: string | null;
  metadata: Record<string, unknown>;
  started_at: string;
  seen_at: string;
  ended_at: string | null;
  lease: Lease | null;
};

export type BoardStats = {
  changes: Record<string, number>;
  failures: Record<string, number>;
  failing: number;
  green: number;
  queue_depth: number;
  active_sessions: number;
  waiting_for_approval: number;
  waiting_for_review: number;
  projects: ProjectLoad[];
};

/** How far something remembered reaches. */
export type BoardTier = "task" | "project" | "global";

export type BoardToolView = {
  tool_name: string;
  calls: number;
  failed: number;
  average_duration_ms: number | null;
};

export type Body_library_upload_documents = {
  library: string;
  files: File[];
  kind?: Kind | null;
};

export type BroughtList = {
  things: BroughtView[];
  waiting: number;
};

export type BroughtView = {
  kind: string;
  name: string;
  folder: string;
  state: TrustState;
  replaces: string | null;
  fingerprint: string | null;
  files: string[];
  problem: string | null;
};

export type BufferView = {
  path: string;
  content: string;
  cursorPosition: Position;
  dirty: boolean;
  lastUpdated: string;
};

export type Calibration = {
  domain: Domain | null;
  count: number;
  brier_score: number;
  curve: Bin[];
};

export type CalibrationReport = {
  overall: Calibration | null;
  domains: Calibration[];
};

export type CallState = "pending" | "completed" | "failed";

/** One of the kata's test cases, run. */
export type CaseOutcome = {
  name: string;
  passed: boolean;
  problem?: string | null;
};

export type CaseResult = {
  case: string;
  variant: string;
  command: string;
  status: string | null;
  error?: string | null;
  findings: EvalFinding[];
  conduct?: Conduct;
  turns?: number;
  input_tokens?: number;
  output_tokens?: number;
  cost?: number;
  judge_cost?: number;
  seconds?: number;
  trace_id?: string | null;
  offline?: boolean;
  score: number | null;
};

/** What an editor changed, and what it had before it. */
export type ChangeEdit = {
  texts?: Record<string, string>;
  base_hashes?: Record<string, string | null>;
  priority?: number | null;
};

export type ChangeList = {
  changes: ChangeSummary[];
  total: number;
};

/** Where a change is on its way. Into `approved` and into `applied` only a person lets it. */
export type ChangeStatus = "proposing" | "approved" | "assigned" | "in_progress" | "review" | "applied" | "archived";

/** A change without its texts. */
export type ChangeSummary = {
  project_id: string;
  id: string;
  title: string;
  status: ChangeStatus;
  priority: number;
  tasks_done: number;
  tasks_total: number;
  touches: string[];
  references: string[];
  sync_error: string | null;
  missing_since: string | null;
  archive_name: string | null;
  rejection_reason: string | null;
  fingerprint: string | null;
  assigned_session_id: string | null;
  assigned_at: string | null;
  agent_type: string | null;
  result: string | null;
  created_at: string;
  approved_at: string | null;
  completed_at: string | null;
  updated_at: string;
  last_synced_at: string | null;
  filesystem_modified_at: string | null;
};

export type ChangeView = {
  project_id: string;
  id: string;
  title: string;
  status: ChangeStatus;
  priority: number;
  tasks_done: number;
  tasks_total: number;
  touches: string[];
  references: string[];
  sync_error: string | null;
  missing_since: string | null;
  archive_name: string | null;
  rejection_reason: string | null;
  fingerprint: string | null;
  assigned_session_id: string | null;
  assigned_at: string | null;
  agent_type: string | null;
  result: string | null;
  created_at: string;
  approved_at: string | null;
  completed_at: string | null;
  updated_at: string;
  last_synced_at: string | null;
  filesystem_modified_at: string | null;
  proposal_content: string;
  tasks_content: string;
  design_content: string | null;
  specs: Record<string, string>;
  tasks: TaskView[];
  hashes: Record<string, string>;
  moves: ChangeStatus[];
};

export type CheckedClaim = {
  sentence: string;
  cites: string[];
  best: CitationDetail | null;
};

/** A claim, and the paragraph it is said to rest on. */
export type Citation = {
  paragraph_id?: string | null;
  paragraph_ref?: string | null;
  claim: string;
};

export type CitationDetail = {
  cited: string;
  claim: string;
  paragraph_id?: string | null;
  paragraph_ref?: string | null;
  exists?: boolean;
  supports_claim?: boolean;
  source_text?: string | null;
  match_level?: MatchLevel;
  error_category?: ErrorCategory | null;
  verdict?: Verdict;
  score?: number;
  quoted?: boolean;
  passage?: string;
  method?: string;
  reasons?: string[];
  judged_by?: Judge;
};

export type CitationReport = {
  score: number;
  passed: boolean;
  details: CitationDetail[];
};

/** A paragraph that an answer cites, as `answer.json` has it. */
export type CitedParagraph = {
  ref: string;
  document: string;
  path: string;
  start: string | null;
  text: string;
};

export type ClarificationList = {
  clarifications: ClarificationView[];
};

export type ClarificationView = {
  id: string;
  session_id: string;
  project_id: string | null;
  change_id: string | null;
  question: string;
  options: string[];
  blocking: boolean;
  answer: string | null;
  answered_by: string | null;
  created_at: string;
  answered_at: string | null;
};

export type ClassInput = {
  classification?: FailureClass | null;
};

export type ClusterList = {
  axis: Axis;
  clusters: ClusterView[];
  count: number;
  noise_count: number;
};

export type ClusterView = {
  cluster_id: string;
  label: number;
  size: number;
  avg_weight: number;
};

export type CoachReport = {
  markdown: string;
};

export type CoachSessionList = {
  sessions: SessionLine[];
};

export type CommandView = {
  name: string;
  description: string;
  agent: string;
  mode: string;
  example: string | null;
  writes: string | null;
};

export type Comment = {
  author: string;
  body: string;
};

export type Completing = {
  session_id: string;
  lease_token: number;
  result: string;
  files_changed?: string[];
  tests?: string | null;
};

/** What an agent and its hooks did, in numbers. */
export type Conduct = {
  tool_calls?: number;
  skills?: string[];
  skill_files?: string[];
  files_read?: string[];
  memory_reads?: number;
  memory_writes?: number;
  subagents?: number;
  guardrails_passed?: number;
  guardrails_run?: number;
  decisions?: Record<string, number>;
  prompt_tokens?: Record<string, number>;
};

export type Confidence = "high" | "medium" | "low";

export type Constraint = {
  title: string;
  description: string;
  minLevel: number;
};

/** Whether the solution keeps to a constraint that it was handed in under. */
export type ConstraintOutcome = {
  title: string;
  held: boolean | null;
  problem?: string | null;
};

export type Content = {
  path: string;
  content: string;
  language: string;
  lineCount: number;
  saved?: string | null;
};

export type Context = {
  items: ContextItem[];
  tokens: number;
  budget_tokens: number;
  left_out: number;
};

export type ContextInput = {
  session_id?: string | null;
  query: string;
  domain?: Domain | null;
  budget_tokens?: number;
};

export type ContextItem = {
  kind: string;
  id: string;
  content: string;
  evidence: string;
  score: number;
};

export type ContextView = {
  text: string;
  tokens: number;
  items: number;
  left_out: number;
};

export type Conversation = {
  messages: SaidView[];
};

export type CostReport = {
  total: Totals;
  by_room: Record<string, Totals>;
  by_model: Record<string, Totals>;
  by_task: TaskCosts[];
  by_day: DayCosts[];
};

export type CreateInput = {
  name: string;
  title?: string | null;
};

export type Credential = {
  value: string;
};

export type CredentialAsked = {
  source: string;
  source_name: string;
  name: string;
  origin: string;
  goes_to: string;
  reason: string;
};

export type CurrentLevel = {
  level: HintLevel;
};

export type DashboardIssues = {
  issues: RankedIssue[];
  offline?: boolean;
  source?: "github" | "files";
};

export type DashboardMaterials = {
  recommendations: Recommendation[];
  offline?: boolean;
};

export type DashboardState = {
  dreyfus: AssessedSkill[];
  stats: Stats;
  inProgressSessions: InProgress[];
  katas: KataSummary[];
};

export type DatabaseHealth = {
  kind: string;
};

export type DayCosts = {
  day: string;
  total: Totals;
  by_room: Record<string, Totals>;
};

/** What triage makes of a failure. */
export type Decision = "needs_spec" | "one_off_fix" | "ignore" | "pending";

export type DecisionList = {
  decisions: DecisionView[];
};

export type DecisionView = {
  id: string;
  run_id: string | null;
  kind: string;
  item: string | null;
  decision: string;
  text: string | null;
  data: Record<string, unknown>;
  created_at: string;
};

export type Decoration = {
  start: number;
  end: number;
  style: LineStyle;
};

export type Decorations = {
  path: string;
  decorations: Decoration[];
};

export type DeliveredClaim = {
  text: string;
  citations: string[];
  labels: string[];
  is_unconfirmed: boolean;
  quoted: Truth | null;
  supported: Truth | null;
  answers: Truth | null;
};

export type DeliveredSection = {
  heading: string;
  text: string;
  claims: DeliveredClaim[];
  citations: string[];
  sources: string[];
};

export type DeltaInput = {
  capability: string;
  added?: RequirementInput[];
  modified?: RequirementInput[];
  removed?: string[];
  renamed?: RenameInput[];
  purpose?: string;
};

export type Depth = "quick" | "standard" | "deep";

export type DepthSettings = {
  maxSubQueries: number;
  paragraphsPerQuery: number;
  repairIterations: number;
  contextTokens: number;
  webSearch: boolean;
  synthesisTokens: number;
};

export type DeskView = {
  session: RestoredState | null;
  openFiles: string[];
  observer: ObserverStatus;
  fileHints: FileHint[];
  regions: Decorations[];
  highlights: HighlightLines[];
};

export type DiffList = {
  diffs: DiffView[];
};

export type DiffView = {
  path: string;
  diff: string;
};

export type Difficulty = "beginner" | "intermediate" | "advanced";

export type DocumentList = {
  documents: DocumentView[];
};

export type DocumentView = {
  id: string;
  path: string;
  title: string;
  kind: Kind;
  prefix: string | null;
  size: number;
  paragraph_count: number;
  problems: string[];
  ingested_at: string;
};

export type Domain = "debugging" | "refactoring" | "feature" | "testing" | "configuration" | "documentation" | "performance" | "security" | "integration";

export type DreyfusRadar = {
  skillAreas: SkillPoint[];
  overallStage: Stage;
};

export type EdgeKind = "cites" | "maps_to" | "belongs_to" | "hop";

/** Without a transcript the wrap-up works from the log. */
export type EndSession = {
  sessionTranscript?: string;
};

export type Ended = {
  position: number;
  at: string;
  type: "completed" | "failed" | "cancelled";
  output?: LoopResult | null;
  error?: Record<string, unknown> | null;
};

export type EntryPage = {
  results: EntrySummary[];
  count: number;
  next: string | null;
};

export type EntrySummary = {
  id: string;
  domain: Domain;
  strategy: Strategy;
  goal: string;
  outcome_status: JournalOutcome | null;
  confidence_tier: JournalTier | null;
  created_at: string;
  resolved_at: string | null;
};

/** One entry whole. */
export type EntryView = {
  id: string;
  domain: Domain;
  strategy: Strategy;
  goal: string;
  outcome_status: JournalOutcome | null;
  confidence_tier: JournalTier | null;
  created_at: string;
  resolved_at: string | null;
  session_id: string | null;
  hypothesis: string;
  action: string;
  prediction: string;
  confidence: number | null;
  iteration_count: number;
  history: Iteration[];
  evidence: Evidence[];
  outcome_result: string | null;
  surprise: string | null;
  root_cause: RootCause | null;
  lesson: Lesson | null;
};

export type ErrorBody = {
  error: ErrorDetail;
};

export type ErrorCategory = "NOT_FOUND" | "SUB_PARA_NOT_FOUND" | "CONTENT_MISMATCH";

/** What went wrong; some errors add fields, such as `valid_options` or `retry_after`. */
export type ErrorDetail = {
  type: string;
  message: string;
};

export type EvalFinding = {
  criterion: string;
  kind: AssistantKind;
  score: number | null;
  note?: string;
};

export type EvalOrder = {
  cases?: string | null;
  without?: ("skills" | "workspace" | "memory" | "subagents")[];
  model?: string | null;
};

export type EvalState = {
  run_id: string;
  status: RunStatus;
  report: AssistantReport | null;
  error: Record<string, unknown> | null;
};

export type EventView = {
  seq: number | null;
  id: string;
  topic: string;
  project: string | null;
  session_id: string | null;
  payload: Record<string, unknown>;
  created_at: string;
};

/** A test or build that ran while the entry was open, as a hook saw it. */
export type Evidence = {
  kind: EvidenceKind;
  passed: boolean;
  command: string;
  summary?: string | null;
  captured_at?: string;
};

export type EvidenceInput = {
  session_id?: string | null;
  evidence: Evidence;
  entry_id?: string | null;
};

export type EvidenceKind = "test" | "build";

export type ExitReason = "completed" | "error" | "breakout" | "cancelled";

export type ExperienceLine = {
  id: string;
  session_id?: string | null;
  domain: Domain;
  strategy: Strategy;
  goal: string;
  hypothesis: string;
  action: string;
  prediction: string;
  confidence?: number | null;
  created_at: string;
  updated_at: string;
  iteration_count?: number;
  history?: Iteration[];
  evidence?: Evidence[];
  resolution: Resolution;
  kind: "experience";
};

export type ExperienceView = {
  id: string;
  ghap_id: string;
  goal: string;
  hypothesis: string;
  action: string;
  prediction: string;
  outcome_status: JournalOutcome;
  outcome_result: string;
  surprise: string | null;
  root_cause: RootCause | null;
  lesson: Lesson | null;
  confidence_tier: JournalTier;
  created_at: string;
};

/** What is not given is looked up: the language by the path, the context in the file. */
export type Explain = {
  path: string;
  language?: string | null;
  selection: Range;
  selectedText?: string;
  surroundingContext?: string | null;
};

export type Explanation = {
  path: string;
  explanation: string;
  keyConcepts: string[];
  analogy: string | null;
  relatedFiles: string[] | null;
  phaseConnection: string | null;
  offline?: boolean;
};

export type ExportPage = {
  lines: (ExperienceLine | ValueLine)[];
  next: string | null;
};

export type Exported = {
  rows: number;
  content: string;
};

export type FailureClass = "PERSISTENT" | "FLAKY" | "RECURRING" | "NEW";

export type FailurePage = {
  failures: FailureSummary[];
  total: number;
};

/** How far a failure is on its way. */
export type FailureStatus = "new" | "triaged" | "in_remediation" | "fixed";

export type FailureSummary = {
  id: string;
  project_id: string;
  fingerprint: string;
  test_id: string;
  test_name: string;
  file: string | null;
  line: number | null;
  error: string;
  classification: FailureClass;
  classified_by_person: boolean;
  occurrence_count: number;
  consecutive_failures: number;
  is_failing: boolean;
  first_seen_at: string;
  last_seen_at: string;
  passed_at: string | null;
  decision: Decision;
  rationale: string | null;
  confidence: number;
  priority: number;
  rule_decision: Decision | null;
  person_decision: Decision | null;
  assigned_session_id: string | null;
  change_id: string | null;
  change_status: ChangeStatus | null;
};

export type FailureView = {
  id: string;
  project_id: string;
  fingerprint: string;
  test_id: string;
  test_name: string;
  file: string | null;
  line: number | null;
  error: string;
  classification: FailureClass;
  classified_by_person: boolean;
  occurrence_count: number;
  consecutive_failures: number;
  is_failing: boolean;
  first_seen_at: string;
  last_seen_at: string;
  passed_at: string | null;
  decision: Decision;
  rationale: string | null;
  confidence: number;
  priority: number;
  rule_decision: Decision | null;
  person_decision: Decision | null;
  assigned_session_id: string | null;
  change_id: string | null;
  change_status: ChangeStatus | null;
  error_message: string;
  stack_trace: string;
  runs: RunView[];
};

export type Farewell = {
  why?: string;
};

export type FileHint = {
  path: string;
  style?: FileStyle;
  directories?: string[] | null;
};

export type FileList = {
  files: string[];
  offers?: string[];
};

export type FileSave = {
  path: string;
  content: string;
};

export type FileStyle = "suggested" | "important" | "critical";

export type FileView = {
  path: string;
  text: string;
};

/** What is said of a passage, or of all that was found. */
export type Fit = "likely answers" | "may answer" | "nothing fits";

export type FolderInput = {
  folder: string;
  kind?: Kind | null;
};

export type FollowUp = {
  type: "constraint_escalation" | "retry_hint" | "completed";
  constraint?: string | null;
  reason?: string | null;
};

export type FollowUpConfig = {
  enabled?: boolean;
  deltaRetrieval?: boolean;
  maxPriorSections?: number;
};

export type FoundList = {
  found: FoundView[];
};

export type FoundView = {
  session: AssistantSessionView;
  excerpt: string;
};

export type GapView = {
  id: string;
  topic: string;
  severity: Severity;
  evidence: string;
  relatedConcepts: string[];
  frequency: number;
  lastEncounteredAt: string;
  addressed: boolean;
};

export type Gate = {
  kind: GateKind;
  text: string;
  items?: GateItem[];
  options: string[];
  default: string;
  data?: Record<string, unknown>;
};

export type GateAnsweredTold = {
  position: number;
  at: string;
  type: "gate_answered";
  kind: GateKind;
  reply: GateReply;
};

/** One thing to decide about: a section, a proposed memory, a question. */
export type GateItem = {
  id: string;
  title: string;
  text?: string;
  scope?: string | null;
  options?: string[];
  default?: string | null;
};

export type GateKind = "feedforward" | "confidence" | "reflection" | "adjudication" | "memory_capture" | "name_check" | "permission";

/** As every door sends it; checked against its gate before the run goes on. */
export type GateReply = {
  decision: string;
  text?: string | null;
  items?: ItemReply[];
  rating?: number | null;
};

export type GateTold = {
  position: number;
  at: string;
  type: "gate";
  gate: Gate;
};

export type GivenCredential = {
  value: string;
};

export type GlobalCategory = "pattern" | "lesson" | "convention" | "solution" | "anti_pattern";

export type GlobalItem = {
  tier?: "global";
  id: string;
  category: GlobalCategory;
  key: string;
  title: string;
  content: string;
  tags: string[];
  source_project: string | null;
  source_change: string | null;
  evidence: string[];
  confidence: number;
  usage_count: number;
  success_rate: number;
  created_at: string;
  updated_at: string;
};

export type GrantInput = {
  role?: TokenRole;
  rooms?: string[] | null;
  projects?: string[] | null;
};

export type GraphStep = {
  source_ref: string;
  target_ref: string;
  kind: EdgeKind;
  weight: number;
  backwards: boolean;
  score: number;
};

/** A test that fails no more. */
export type GreenTest = {
  failure_id: string;
  test_name: string;
  change_id: string | null;
};

export type HandedOver = {
  nudges: AgentNudge[];
};

export type HandoffTold = {
  position: number;
  at: string;
  type: "handoff";
  from: string;
  to: string;
  context: Record<string, unknown>;
};

/** Callers who have not said who they are see status and uptime only. */
export type Health = {
  status: string;
  uptime: number;
  version?: string | null;
  problems?: HealthProblem[] | null;
  database?: DatabaseHealth | null;
  vectors?: VectorsHealth | null;
  model?: ModelHealth | null;
  project?: string | null;
  rooms?: string[] | null;
  connections?: number | null;
};

export type HealthProblem = {
  part: string;
  reason: string;
  message: string;
};

export type HeartbeatView = {
  session_id: string;
  woken: boolean;
  lease: Lease | null;
  minutes_left: number;
  answers: ClarificationView[];
};

export type HighlightLines = {
  path: string;
  start: number;
  end: number;
  style: LineStyle;
  hoverText?: string | null;
};

/** How closely hints point: at nothing, at files, at regions, at lines. */
export type HintLevel = "none" | "file" | "region" | "line";

export type History = {
  transitions: TransitionView[];
};

export type Hit = {
  paragraph: ParagraphView;
  score: number;
  rrf_score: number;
  paths: string[];
};

export type HookOutcome = "pass" | "revise" | "abort" | "failed" | "interrupted";

export type HookTold = {
  position: number;
  at: string;
  type: "hook";
  name: string;
  point: Point;
  outcome: HookOutcome;
  note: string;
};

export type HookView = {
  number: number;
  event: string;
  tool_name: string | null;
  tool_use_id: string | null;
  success: boolean | null;
  duration_ms: number | null;
  payload: Record<string, unknown>;
  created_at: string;
};

export type HookedAgentList = {
  points?: Point[];
  agents: HookedAgentView[];
};

export type HookedAgentView = {
  name: string;
  description: string;
  hooks: LoopHookView[];
};

/** A paragraph that was reached, and how. */
export type Hop = {
  paragraph: ParagraphView;
  score: number;
  hops: number;
  path: GraphStep[];
};

export type Hops = {
  start: ParagraphView;
  hops: Hop[];
  cut: boolean;
  linked: boolean;
};

export type ImportInput = {
  lines: (ExperienceLine | ValueLine)[];
};

/** What a report brought. */
export type ImportResult = {
  report: ReportView;
  new_failures: number;
  proposed: string[];
  updated: string[];
  held_back: number;
  waiting: number;
  green: GreenTest[];
  reopened: string[];
  notes: string[];
};

export type Importance = "high" | "medium" | "low";

export type ImportedView = {
  path: string;
  title: string;
  pages: number;
  codes: number;
  empty_pages: number[];
};

export type InProgress = {
  id: string;
  issueNumber: number | null;
  issueTitle: string | null;
  startedAt: string;
};

export type IngestProgress = {
  run_id: string;
  library: string;
  status: RunStatus;
  done: number;
  total: number;
  report: IngestReport;
  error?: string | null;
};

/** What an ingest changed. */
export type IngestReport = {
  added?: number;
  replaced?: number;
  unchanged?: number;
  removed?: number;
  paragraphs?: number;
  ignored?: number;
  rejected?: Rejected[];
  skipped?: Rejected[];
  problems?: Oddity[];
};

/** Claude Code reads the answer to a hook: nothing in it asks anything of the agent. */
export type Ingested = {
  recorded: boolean;
  session_id?: string | null;
  note?: string | null;
};

export type Issue = {
  number: number;
  title: string;
  body?: string;
  labels?: string[];
  assignees?: string[];
  comments?: Comment[];
  url?: string | null;
};

/** What is worked on, as far as it is known. */
export type IssueContext = {
  number?: number | null;
  title: string;
  summary?: string;
  labels?: string[];
  url?: string | null;
};

export type IssueList = {
  source: Source;
  issues: Issue[];
  note?: string | null;
};

export type IssueView = {
  level: Level;
  path: string;
  line: number | null;
  message: string;
};

export type IssuedToken = {
  id: string;
  name: string;
  user_id: string;
  user: string;
  role: TokenRole;
  rooms: string[] | null;
  projects: string[] | null;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  secret: string;
};

export type ItemPage = {
  items: (TaskItem | ProjectItem | GlobalItem)[];
  next: string | null;
};

export type ItemReply = {
  id: string;
  decision: string;
  text?: string | null;
};

/** What the entry said before an update. */
export type Iteration = {
  strategy: Strategy;
  hypothesis: string;
  action: string;
  prediction: string;
  note?: string | null;
  until: string;
};

export type JournalMap = {
  axis: Axis;
  clusters: ClusterView[];
  count: number;
  noise_count: number;
  points: MapPoint[];
  experiences: number;
  needed: number;
};

export type JournalOutcome = "confirmed" | "falsified" | "abandoned";

export type JournalSessionInput = {
  session_id?: string | null;
};

export type JournalStartInput = {
  session_id?: string | null;
  domain: Domain;
  strategy: Strategy;
  goal: string;
  hypothesis: string;
  action: string;
  prediction: string;
  confidence?: number | null;
};

export type JournalStarted = {
  id: string;
  domain: Domain;
  strategy: Strategy;
  goal: string;
  hypothesis: string;
  action: string;
  prediction: string;
  created_at: string;
  warning?: string | null;
  premortem?: LikelyCause[] | null;
};

/** How much an experience can be relied on; `tiers.py` decides it. */
export type JournalTier = "gold" | "silver" | "bronze" | "abandoned";

export type JsonValue = unknown;

/** Who decided: the reader that runs here, or the configured model about what that left open. Answers of before may still say `rules`. */
export type Judge = "rules" | "reader" | "model";

export type KataLoad = {
  kata: KataView;
  constraints: OfferedConstraint[];
};

export type KataReview = {
  kataId: string;
  correct: boolean;
  feedback: string;
  level: number;
  passed: boolean;
  followUp: FollowUp | null;
  dreyfusSignal: "advancing" | "stable" | "struggling";
  unlockedConstraints: Constraint[];
  cases?: CaseOutcome[];
  constraints?: ConstraintOutcome[];
  ran?: boolean;
  offline?: boolean;
};

export type KataSummary = {
  id: string;
  title: string;
  topic: string;
  attemptsCount: number;
  bestLevel: number | null;
  solved: boolean;
  constraintCount: number;
};

export type KataView = {
  id: string;
  title: string;
  topic: string;
  description: string;
  scaffoldingCode: string;
  attempts: AttemptView[];
  bestLevel: number | null;
};

/** Days that each kind of log is kept; 0 is for ever. */
export type Keep = {
  traces?: number;
  events?: number;
  runs?: number;
  hooks?: number;
  actions?: number;
  megabytes?: number;
};

export type Kind = "standard" | "guide";

/** What is left out stays as it is. */
export type KnowledgeEdit = {
  category?: string | null;
  content?: string | null;
  title?: string | null;
  tags?: string[] | null;
  relevance?: number | null;
  confidence?: number | null;
};

export type Label = {
  id: string;
  label: string;
  color?: string | null;
};

/** A text that was made from one that is not there any more. */
export type LateText = {
  file: string;
  yours: string;
  theirs: string | null;
  hash: string | null;
  revision_id: string;
};

/** What a session holds. */
export type Lease = {
  change_id: string;
  title: string;
  lease_token: number;
  status: ChangeStatus;
  agent_type: string | null;
  expires_at: string;
};

export type LeasedItem = {
  project_id: string;
  change_id: string;
  title: string;
  priority: number;
  status: ChangeStatus;
  lease_token: number;
  assigned_at: string | null;
  session_id: string | null;
  session_type: string | null;
  liveness: Liveness | null;
  tasks_done: number;
  tasks_total: number;
};

export type Lesson = {
  what_worked: string;
  takeaway?: string | null;
};

export type Level = "ERROR" | "WARNING" | "INFO";

export type LevelChange = {
  level: HintLevel;
  previousLevel?: HintLevel | null;
};

export type LibraryList = {
  libraries: LibraryListing[];
};

/** A library among others. */
export type LibraryListing = {
  id: string;
  name: string;
  title: string;
  root: string | null;
  version: number;
  created_at: string;
  updated_at: string;
  documents: number;
  paragraphs: number;
};

export type LibraryStarted = {
  run_id: string;
};

export type LibraryStatus = {
  library: LibraryView;
  standards: number;
  guides: number;
  paragraphs: number;
  terms: number;
  edges: Record<string, number>;
  indexed_words: number;
  indexed_vectors: number | null;
  embedder: string;
  rejections: RejectionView[];
};

export type LibraryView = {
  id: string;
  name: string;
  title: string;
  root: string | null;
  version: number;
  created_at: string;
  updated_at: string;
};

/** A root cause that brought down similar hypotheses. */
export type LikelyCause = {
  category: RootCauseCategory;
  share: number;
  examples: string[];
  evidence: string[];
};

export type LineStyle = "hint" | "focus" | "warning";

export type ListedSession = {
  id: string;
  title: string | null;
  status: string;
  plugin: string;
  command: string | null;
  agent: string;
  class_id: string | null;
  tasks: Record<string, unknown>[];
  artefact: string;
  created_at: string;
  updated_at: string;
  turn: RunStatus | null;
  asks: GateKind | null;
};

/** By the age of the last heartbeat: up to 5 minutes, up to 10, beyond. */
export type Liveness = "active" | "slow" | "stale";

export type LoopHookView = {
  name: string;
  about: string;
  points: Point[];
};

/** The output of a run. */
export type LoopResult = {
  status: LoopStatus;
  reason?: string | null;
  hook?: string | null;
  text?: string;
  output?: Record<string, unknown> | null;
  agent?: string;
  turns?: number;
  cost?: number;
  input_tokens?: number;
  output_tokens?: number;
  trace_id?: string | null;
  written?: string[];
  offline?: boolean;
};

export type LoopStatus = "success" | "error_max_turns" | "error_max_budget" | "error_hook_abort" | "error_tool_retry_exhausted" | "error_no_progress";

/** An experience on the plane. */
export type MapPoint = {
  id: string;
  goal: string;
  outcome_status: JournalOutcome;
  confidence_tier: JournalTier;
  x: number;
  y: number;
  cluster_id: string | null;
};

/** How much of the claim the paragraph says itself. */
export type MatchLevel = "exact" | "close" | "partial" | "none";

export type MaybeNote = {
  notes?: string | null;
};

export type MemberList = {
  cluster_id: string;
  axis: Axis;
  members: ExperienceView[];
  count: number;
};

/** What is left out stays as it is; `null` clears the evidence or the project. */
export type MemoryChange = {
  content?: string | null;
  tags?: string[] | null;
  importance?: Importance | null;
  evidence?: string | null;
  scope?: "personal" | "project" | null;
  project?: string | null;
};

export type MemoryFileList = {
  files: MemoryFileView[];
};

export type MemoryFileView = {
  path: string;
  scope: string;
  class_id: string | null;
  importance: number;
  updated_at: string;
};

/** How many there are, and where they come from. */
export type MemoryOverview = {
  total: number;
  forgotten: number;
  projects: ProjectCount[];
  sessions: SessionCount[];
};

export type MemoryPage = {
  items: MemoryView[];
  next: string | null;
};

/** A memory as its owner sees it, read from its row. */
export type MemoryView = {
  id: string;
  content: string;
  tags: string[];
  importance: Importance;
  scope: Scope;
  owner: string;
  project: string | null;
  session_id: string | null;
  evidence: string | null;
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
  use_count: number;
  forgotten_at: string | null;
  searchable: boolean;
};

export type MessageList = {
  messages: MessageView[];
};

export type MessageView = {
  id: string;
  position: number;
  role: string;
  content: Record<string, unknown>;
  text: string;
  created_at: string;
};

export type Metrics = {
  sessions: number;
  events: number;
  total_tools: number;
  succeeded: number;
  failed: number;
  success_rate: number | null;
  average_duration_ms: number | null;
  tools?: BoardToolView[] | null;
};

export type ModelHealth = {
  provider: string;
  offline: boolean;
  fast: string;
  strong: string;
  reason: string;
};

export type ModelTurnTold = {
  position: number;
  at: string;
  type: "model_turn";
  agent: string;
  turn: number;
  input_tokens: number;
  output_tokens: number;
  cost: number;
  text: string;
};

export type MomentView = {
  at: string;
  offsetMs: number;
  kind: string;
  text: string;
  data: Record<string, unknown>;
};

export type Moved = {
  change_id: string;
  status: ChangeStatus;
  open_tasks: number;
};

export type Mute = {
  muted: boolean;
};

export type NearMemory = {
  id: string;
  content: string;
};

/** The agent's thresholds, under the names of the scores. */
export type Needed = {
  entity_grounding: number;
  citation_accuracy: number;
  relation_preservation: number;
  max_contradictions: number;
};

/** Something learned. A task's needs its change, a project's its project. */
export type NewKnowledge = {
  tier: BoardTier;
  category: string;
  content: string;
  key?: string | null;
  title?: string | null;
  tags?: string[];
  project_id?: string | null;
  change_id?: string | null;
  session_id?: string | null;
  relevance?: number | null;
};

export type NewMemory = {
  content: string;
  tags?: string[];
  importance?: Importance;
  evidence?: string | null;
  scope?: "personal" | "project" | null;
  project?: string | null;
  session_id?: string | null;
};

export type NewQuestion = {
  session_id: string;
  options?: string[];
  blocking?: boolean;
  question: string;
};

export type NewToken = {
  role?: TokenRole;
  rooms?: string[] | null;
  projects?: string[] | null;
  name: string;
  user?: string | null;
};

export type NextWork = {
  work: WorkPackage | null;
  reason: string;
};

export type Note = {
  notes: string;
};

/** snake_case on the wire too, as the observer's story has it. */
export type NudgeContext = {
  current_file?: string | null;
  expected_file?: string | null;
  time_in_file?: string | null;
  phase_description?: string | null;
};

export type NudgeView = {
  signal: Signal;
  confidence: number;
  context: NudgeContext;
  message: string;
  offline?: boolean;
  sessionId: string;
  sentAt: string;
};

export type ObserverStatus = {
  active: boolean;
  muted: boolean;
  lastEvaluation: string | null;
};

export type ObserverView = {
  active: boolean;
  muted: boolean;
  lastEvaluation: string | null;
  nudges: NudgeView[];
};

/** Something about a document that went in all the same. */
export type Oddity = {
  path: string;
  message: string;
};

export type OfferedConstraint = {
  title: string;
  description: string;
  minLevel: number;
  unlocked: boolean;
};

export type OrchestratorConfig = {
  model?: string | null;
  thinking?: "none" | "low" | "medium" | "high" | "adaptive";
  budgetUsd?: number;
  contextWindow?: number;
};

export type Origin = "shipped" | "own" | "project";

export type OrphanList = {
  results: OrphanView[];
  count: number;
};

export type OrphanView = {
  id: string;
  domain: Domain;
  strategy: Strategy;
  goal: string;
  outcome_status: JournalOutcome | null;
  confidence_tier: JournalTier | null;
  created_at: string;
  resolved_at: string | null;
  session_id: string | null;
};

export type OutputConfig = {
  citationFormat?: string;
  progressiveDisclosure?: boolean;
  sourceLinker?: "file" | "paragraph" | "none";
  fileName?: string;
};

/** Another open change that meets this one; they are not handed out together. */
export type Overlap = {
  change_id: string;
  title: string;
  status: ChangeStatus;
  requirements: string[];
  named: boolean;
};

export type OverlapList = {
  overlaps: Overlap[];
};

/** A paragraph in its place. */
export type ParagraphContext = {
  paragraph: ParagraphView;
  file: string | null;
  before: ParagraphView[];
  after: ParagraphView[];
  defines: TermView[];
  uses: TermView[];
};

export type ParagraphView = {
  id: string;
  ref: string;
  text: string;
  headings: string[];
  start: string | null;
  document_id: string;
  document: string;
  path: string;
  kind: Kind;
};

export type PauseAsked = {
  agent: string;
  stage: number;
  name: string;
  message: string;
};

export type PauseReply = {
  text: string;
};

export type Period = "7d" | "30d" | "all";

export type PermissionMode = "explore" | "ask" | "execute";

export type PhaseMove = {
  status: PhaseStatus;
};

/** "Review My Work": the active phase's changes. */
export type PhaseReview = {
  kataId?: null;
  phase: number | null;
  review: string;
  suggestions: string[];
  passed: boolean;
  offline?: boolean;
};

export type PhaseStatus = "pending" | "active" | "complete";

export type PhaseView = {
  id: string;
  number: number;
  title: string;
  description: string;
  status: PhaseStatus;
  hintLevel: HintLevel;
  expectedFiles: string[];
};

export type PlanAsked = {
  title: string;
  plan: string;
};

export type PlanDraft = {
  planText: string;
  offline: boolean;
};

export type PlanJudgement = {
  approved: boolean;
  comment?: string;
};

export type PlanReady = {
  planId: string;
  phases: PlannedPhase[];
  memoryConnection: string | null;
  estimatedDifficulty: Difficulty;
};

export type PlannedPhase = {
  number: number;
  title: string;
  description: string;
  hintLevel: HintLevel;
  status?: PhaseStatus;
};

export type PluginAgentList = {
  agents: PluginAgentView[];
};

export type PluginAgentView = {
  name: string;
  plugin: string;
  origin: string;
  meta: AgentMeta;
  instructions: string;
  file: string;
  commands: string[];
};

export type PluginList = {
  plugins: PluginView[];
};

export type PluginSkillList = {
  skills: PluginSkillView[];
};

export type PluginSkillView = {
  name: string;
  plugin: string;
  origin: string;
  description: string;
  text: string;
  file: string;
  agents: string[];
};

export type PluginView = {
  name: string;
  origin: string;
  commands: CommandView[];
  agents: string[];
  skills: string[];
  problems: string[];
};

export type Point = "preLoop" | "postLoop" | "preModel" | "postModel" | "preTool" | "postTool" | "onHandoff" | "onSubagentStart" | "onSubagentEnd";

export type Position = {
  line?: number;
  column?: number;
};

export type PriorSection = {
  label: string;
  heading: string;
  excerpt: string;
  run_id: string;
  citations: string[];
};

export type PriorityFactors = {
  userTagged: boolean;
  similarToRecentWork: boolean;
  addressesKnowledgeGap: boolean;
  teamUrgency: "low" | "medium" | "high";
};

export type ProjectCategory = "architecture" | "naming" | "business_logic" | "file_structure" | "dependencies";

export type ProjectCount = {
  project: string;
  count: number;
};

export type ProjectDetail = {
  id: string;
  name: string;
  path: string;
  openspec_path: string;
  has_active_changes: boolean;
  spec_count: number;
  scanned_at: string;
  missing_since: string | null;
  changes: Record<string, number>;
  openspec_installed: boolean;
  note: string | null;
};

export type ProjectItem = {
  tier?: "project";
  id: string;
  project_id: string;
  category: ProjectCategory;
  key: string;
  content: string;
  evidence: string[];
  relevance: number;
  usage_count: number;
  last_used: string | null;
  created_at: string;
  updated_at: string;
};

export type ProjectList = {
  projects: ProjectView[];
};

export type ProjectLoad = {
  project_id: string;
  name: string;
  queue_depth: number;
  under_way: number;
  active_sessions: number;
  recommended_sessions: Recommended;
};

export type ProjectView = {
  id: string;
  name: string;
  path: string;
  openspec_path: string;
  has_active_changes: boolean;
  spec_count: number;
  scanned_at: string;
  missing_since: string | null;
};

export type PromptTold = {
  position: number;
  at: string;
  type: "prompt_assembled";
  agent: string;
  tokens: Record<string, number>;
};

/** A change to propose. Without deltas it says of itself that no behaviour changes. */
export type ProposalInput = {
  project_id: string;
  title: string;
  why: string;
  what_changes: string;
  impact?: string;
  tasks: TaskGroupInput[];
  deltas?: DeltaInput[];
  design?: string | null;
  id?: string | null;
  priority?: number;
};

export type Proposed = {
  project_id: string;
  id: string;
  title: string;
  status: ChangeStatus;
  priority: number;
  tasks_done: number;
  tasks_total: number;
  touches: string[];
  references: string[];
  sync_error: string | null;
  missing_since: string | null;
  archive_name: string | null;
  rejection_reason: string | null;
  fingerprint: string | null;
  assigned_session_id: string | null;
  assigned_at: string | null;
  agent_type: string | null;
  result: string | null;
  created_at: string;
  approved_at: string | null;
  completed_at: string | null;
  updated_at: string;
  last_synced_at: string | null;
  filesystem_modified_at: string | null;
  proposal_content: string;
  tasks_content: string;
  design_content: string | null;
  specs: Record<string, string>;
  tasks: TaskView[];
  hashes: Record<string, string>;
  moves: ChangeStatus[];
  overlaps: Overlap[];
};

export type PruneRequest = {
  dry_run?: boolean;
};

export type PrunedLog = {
  table: string;
  rows: number;
  bytes: number;
  before: string | null;
};

export type QueueView = {
  waiting: WaitingItem[];
  leased: LeasedItem[];
};

/** Lines and columns, from 1, both ends included. */
export type Range = {
  startLine: number;
  startCol?: number;
  endLine: number;
  endCol?: number;
};

export type RankedIssue = {
  number: number;
  title: string;
  summary: string;
  labels: string[];
  suitability: "good_fit" | "stretch" | "too_advanced";
  suitabilityReason: string;
  estimatedDifficulty: Difficulty;
  relevantSkills: string[];
  priorityScore: number;
  priorityFactors: PriorityFactors;
  learningOpportunities: string[];
};

export type RecallInput = {
  query: string;
  scopes?: Scope[] | null;
  project?: string | null;
  budget?: number;
};

export type RecallView = {
  items: RecalledView[];
  tokens: number;
  budget: number;
  left_out: number;
  unavailable: string[];
};

export type RecalledView = {
  id: string;
  store: string;
  content: string;
  scope: Scope;
  owner: string | null;
  project: string | null;
  evidence: string | null;
  importance: Importance;
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
  use_count: number;
  relevance: number;
  score: number;
};

export type Recommendation = {
  knowledgeGap: string;
  resources: Resource[];
  studyOrder: string;
  practiceConnection: string | null;
};

/** How many sessions a project's queue could keep busy; no `most` for a long one. */
export type Recommended = {
  least: number;
  most: number | null;
};

export type Recorded = {
  item: TaskItem | ProjectItem | GlobalItem;
  is_new: boolean;
  replaced?: string | null;
  admission?: Admission;
  reason?: string | null;
};

export type Refusal = {
  missing: string[];
  nearest: CitedParagraph[];
  advice: string[];
};

export type Registration = {
  project_id?: string | null;
  project_path?: string | null;
  type?: SessionType;
  client_session_id?: string | null;
  metadata?: Record<string, never>;
};

/** What a model would be told. */
export type Rehearsed = {
  text: string;
  tokens: number;
  tokens_by_section: Record<string, number>;
};

export type Rejected = {
  path: string;
  reason: string;
  message: string;
};

export type Rejection = {
  reason: string;
};

export type RejectionView = {
  path: string;
  reason: string;
  rejected_at: string;
};

export type Relation = {
  source_paragraph: string;
  target_paragraph: string;
  relation_type: string;
};

export type Releasing = {
  session_id: string;
  lease_token: number;
  why: string;
};

/** The memory that was told, or the one that it was merged with. A refusal is an error. */
export type RememberedView = {
  id: string;
  content: string;
  tags: string[];
  importance: Importance;
  scope: Scope;
  owner: string;
  project: string | null;
  session_id: string | null;
  evidence: string | null;
  created_at: string;
  updated_at: string;
  last_used_at: string | null;
  use_count: number;
  forgotten_at: string | null;
  searchable: boolean;
  admission?: Admission;
  reason?: string | null;
  near?: NearMemory | null;
};

export type Removed = {
  removed: string;
};

export type RemovedItem = {
  removed: string;
};

export type RenameInput = {
  old: string;
  new: string;
};

export type RepairUnit = {
  stages: number[];
  maxIterations?: number;
};

export type Replay = {
  session: SessionLine;
  moments: MomentView[];
};

export type Reply = {
  message: JsonValue;
};

export type ReplyInput = {
  text: string;
  wait?: boolean;
};

export type Report = {
  score: number;
  passed: boolean;
  details: Record<string, unknown>[];
};

export type ReportList = {
  reports: ReportView[];
  total: number;
};

export type ReportView = {
  id: string;
  project_id: string;
  source: string;
  started_at: string | null;
  duration_ms: number | null;
  total: number;
  passed: number;
  failed: number;
  flaked: number;
  skipped: number;
  created_at: string;
};

export type RequestKind = "credential" | "plan" | "pause";

export type RequestList = {
  requests: RequestView[];
};

export type RequestStatus = "pending" | "answered" | "declined" | "withdrawn";

export type RequestView = {
  id: string;
  session_id: string;
  kind: RequestKind;
  status: RequestStatus;
  asked: CredentialAsked | PlanAsked | PauseAsked;
  answer: Record<string, unknown> | null;
  created_at: string;
  answered_at: string | null;
};

export type RequirementInput = {
  name: string;
  text: string;
  scenarios: ScenarioInput[];
};

export type RequirementView = {
  name: string;
  text: string;
  line: number;
  scenarios: ScenarioView[];
};

export type ResearchAgentView = {
  slug: string;
  name: string;
  description: string;
  origin: string;
  sources: string[];
  problems: string[];
};

/** An answer as data: sections, claims, citations, verification. */
export type ResearchAnswer = {
  version: number;
  run_id: string;
  question: string;
  title: string;
  status: AnswerStatus;
  library: string;
  depth: Depth;
  is_offline: boolean;
  summary: string;
  summary_claims: DeliveredClaim[];
  summary_sources: string[];
  sections: DeliveredSection[];
  citations: CitedParagraph[];
  passages: AnswerPassage[];
  web_sources: WebSource[];
  prior: PriorSection[];
  consulted: string[];
  removed: Taken[];
  verification: Verification | null;
  sub_queries: AskedSubQuery[];
  skipped_sub_queries: string[];
  refusal: Refusal | null;
  follow_up_of: string | null;
  created_at: string;
};

export type ResearchHealth = "unknown" | "ok" | "failing" | "needs_auth";

export type ResearchRunView = {
  id: string;
  session_id: string | null;
  status: RunStatus;
  question: string;
  library: string;
  agent: string;
  depth: Depth | null;
  follow_up_of: string | null;
  waiting_for: Waiting | null;
  exit_reason: ExitReason | null;
  answer_status: AnswerStatus | null;
  cost: number;
  error: Record<string, unknown> | null;
  created_at: string;
  ended_at: string | null;
  position: number;
};

export type ResearchSessionInput = {
  library?: string | null;
  agent?: string | null;
  title?: string | null;
  permission_mode?: PermissionMode | null;
};

export type ResearchSessionList = {
  sessions: ResearchSessionView[];
};

export type ResearchSessionView = {
  id: string;
  title: string | null;
  library: string | null;
  agent: string | null;
  status: string;
  labels: string[];
  permission_mode: PermissionMode;
  archived_at: string | null;
  message_count: number;
  token_usage: TokenUsage;
  created_at: string;
  seen_at: string;
};

export type ResearchStartInput = {
  question: string;
  library: string;
  agent?: string;
  depth?: Depth | null;
  auto_proceed?: boolean;
  follow_up_of?: string | null;
  budget_usd?: number | null;
  session_id?: string | null;
};

export type ResearchToolView = {
  name: string;
  description: string;
};

export type Resolution = {
  status: JournalOutcome;
  result: string;
  surprise?: string | null;
  root_cause?: RootCause | null;
  lesson?: Lesson | null;
  confidence_tier?: JournalTier;
  resolved_at: string;
};

export type ResolveInput = {
  session_id?: string | null;
  status: JournalOutcome;
  result: string;
  surprise?: string | null;
  root_cause?: RootCause | null;
  lesson?: Lesson | null;
};

export type Resolved = {
  id: string;
  status: JournalOutcome;
  confidence_tier: JournalTier;
  resolved_at: string;
};

export type Resource = {
  type: "documentation" | "article" | "video" | "tutorial";
  title: string;
  url: string;
  description: string;
  relevance: "direct" | "deep_dive" | "supplementary";
  estimatedTime: string;
};

export type RestoredState = {
  sessionId: string;
  previousSessionId?: string | null;
  issueContext: IssueContext;
  planId?: string | null;
  phases: PhaseView[];
  hintLevel: HintLevel;
  openFiles: string[];
  startedAt: string;
};

export type Results = {
  query: string;
  hits: Hit[];
  search_type: SearchType;
  degraded?: string | null;
  expanded_by?: string[];
};

export type Resumed = {
  restoredState: RestoredState;
};

export type RetentionReport = {
  tables: TableGrowth[];
  bytes: number;
  bytes_per_day: number;
  bytes_in_a_year: number;
  bytes_in_a_year_unpruned: number;
  keep: Keep;
};

/** `user:review` and `practice:submit_solution`; without a kata: the active phase's work. */
export type Review = {
  kataId?: string | null;
  userCode?: string;
  activeConstraintTitles?: string[];
};

export type RevisionList = {
  revisions: RevisionView[];
};

export type RevisionView = {
  id: string;
  file: string;
  content: string;
  reason: string;
  author: string | null;
  created_at: string;
};

/** In the order in which the budget is spent. */
export type Role = "primary" | "supporting" | "context";

export type RootCause = {
  category: RootCauseCategory;
  description: string;
};

export type RootCauseCategory = "wrong-assumption" | "missing-knowledge" | "oversight" | "environment-issue" | "misleading-symptom" | "incomplete-fix" | "wrong-scope" | "test-isolation" | "timing-issue";

export type Run = {
  id: string;
  kind: string;
  status: RunStatus;
  input: Record<string, unknown>;
  user_id: string;
  session_id: string | null;
  queue: string | null;
  created_at: string;
  updated_at: string;
  position: number;
  waiting_for?: Record<string, unknown> | null;
  output?: Record<string, unknown> | null;
  error?: Record<string, unknown> | null;
  ended_at?: string | null;
  recoveries?: number;
};

export type RunEvent = {
  run_id: string;
  position: number;
  type: string;
  payload: Record<string, unknown>;
  created_at: string;
};

export type RunList = {
  runs: ResearchRunView[];
};

/** One run, with how far it is. */
export type RunState = {
  id: string;
  session_id: string | null;
  status: RunStatus;
  question: string;
  library: string;
  agent: string;
  depth: Depth | null;
  follow_up_of: string | null;
  waiting_for: Waiting | null;
  exit_reason: ExitReason | null;
  answer_status: AnswerStatus | null;
  cost: number;
  error: Record<string, unknown> | null;
  created_at: string;
  ended_at: string | null;
  position: number;
  state: Record<string, unknown>;
  stages: StageProgress[];
  talk: Utterance[];
};

export type RunStatus = "queued" | "running" | "paused" | "completed" | "failed" | "cancelled";

/** One run of the failure's test. */
export type RunView = {
  report_id: string;
  outcome: BoardOutcome;
  duration_ms: number | null;
  same_error: boolean;
  reported_at: string;
};

/** What a message led to. */
export type Said = {
  messages: MessageView[];
  run: ResearchRunView | null;
};

export type SaidView = {
  id: string;
  position: number;
  role: string;
  text: string;
  created_at: string;
};

export type SaveAck = {
  path: string;
  success?: true;
  timestamp: string;
};

export type SavedChange = {
  change: ChangeView;
  validation: ValidationView;
};

export type SayInput = {
  provider?: string | null;
  model?: string | null;
  max_turns?: number | null;
  max_budget_usd?: number | null;
  memory?: boolean;
  ask_confidence?: boolean;
  permission?: PermissionMode;
  without?: ("skills" | "workspace" | "memory" | "subagents" | "hooks")[];
  text: string;
};

export type ScanView = {
  projects: ProjectView[];
  found: string[];
  returned: string[];
  vanished: string[];
};

export type ScenarioInput = {
  name: string;
  steps: string[];
};

export type ScenarioView = {
  name: string;
  text: string;
};

/** How far something that is remembered reaches. */
export type Scope = "personal" | "project" | "task" | "class" | "global";

export type ScoredExperience = {
  id: string;
  ghap_id: string;
  goal: string;
  hypothesis: string;
  action: string;
  prediction: string;
  outcome_status: JournalOutcome;
  outcome_result: string;
  surprise: string | null;
  root_cause: RootCause | null;
  lesson: Lesson | null;
  confidence_tier: JournalTier;
  created_at: string;
  score: number;
};

export type SearchResults = {
  results: ScoredExperience[];
  count: number;
};

export type SearchType = "hybrid" | "keyword" | "vector";

/** What is left out stays. */
export type SessionChanges = {
  title?: string | null;
  status?: string | null;
  labels?: string[] | null;
  permission_mode?: PermissionMode | null;
  archived?: boolean | null;
};

export type SessionCount = {
  session_id: string;
  room: SessionKind | null;
  title: string | null;
  count: number;
};

export type SessionKind = "coaching" | "agent" | "assistant" | "research";

/** One session in a list. */
export type SessionLine = {
  id: string;
  issueNumber: number | null;
  issueTitle: string | null;
  status: string;
  startedAt: string;
  endedAt: string | null;
  minutes: number;
  phasesCompleted: number;
  phasesTotal: number;
};

export type SessionMessage = {
  text: string;
  wait?: boolean;
  library?: string | null;
};

export type SessionRemoved = {
  removed: string;
};

export type SessionState = {
  session: AssistantSessionView;
  turn: TurnView | null;
};

export type SessionStatus = "active" | "idle" | "inactive" | "completed" | "abandoned" | "ended";

export type SessionType = "master" | "worker" | "manual";

export type SessionView = {
  id: string;
  kind: string;
  type: string | null;
  status: string;
  project_dir: string;
  title: string | null;
  issue_number: number | null;
  issue_title: string | null;
  data: Record<string, unknown>;
  started_at: string;
  seen_at: string;
  ended_at: string | null;
};

export type SettingView = {
  name: string;
  value: string | number | null;
  is_set: boolean;
  description: string;
};

export type Severity = "low" | "medium" | "high";

export type Shown = "failing" | "green";

export type SignInPage = {
  authorization_url: string;
};

export type SignInView = {
  id: string;
  user_id: string;
  address: string;
  agent: string;
  created_at: string;
  seen_at: string;
  expires_at: string;
  ended_at: string | null;
  is_live: boolean;
  is_current: boolean;
};

/** Why the observer would speak. */
export type Signal = "wrong_file" | "scope_drift" | "idle" | "phase_complete" | "edit_loop" | "no_nudge";

export type SkillDetail = {
  slug: string;
  origin: string;
  description: string;
  problems: string[];
  file: string;
  fields: Record<string, unknown>;
  text: string;
};

export type SkillList = {
  skills: SkillView[];
  places: string[];
};

/** One spoke of the radar; the score is 0 to 1. */
export type SkillPoint = {
  name: string;
  stage: Stage;
  score: number;
};

export type SkillView = {
  slug: string;
  origin: string;
  description: string;
  problems: string[];
};

export type Source = "github" | "files";

export type SourceCheck = {
  name: string;
  passed: boolean;
  message: string;
};

/** A source with what a person has to know before they trust it. */
export type SourceDetail = {
  health?: ResearchHealth;
  last_error?: string | null;
  tools?: number | null;
  checked_at?: string | null;
  slug: string;
  name: string;
  description?: string;
  icon?: string | null;
  type?: string;
  origin: Origin;
  enabled?: boolean;
  trusted?: boolean;
  auth?: AuthType;
  signed_in?: boolean | null;
  credentials?: string[];
  problems?: string[];
  file: string;
  guide?: string;
  program?: string[];
  cwd?: string | null;
  url?: string | null;
  given?: Record<string, string | null>;
  stored?: string[];
};

export type SourceList = {
  sources: SourceView[];
  places: string[];
};

export type SourceView = {
  health?: ResearchHealth;
  last_error?: string | null;
  tools?: number | null;
  checked_at?: string | null;
  slug: string;
  name: string;
  description?: string;
  icon?: string | null;
  type?: string;
  origin: Origin;
  enabled?: boolean;
  trusted?: boolean;
  auth?: AuthType;
  signed_in?: boolean | null;
  credentials?: string[];
  problems?: string[];
};

export type SpanKind = "model" | "tool" | "hook" | "memory" | "retrieval" | "run" | "request";

export type SpanStatus = "unset" | "ok" | "error";

export type SpanView = {
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  depth: number;
  name: string;
  kind: string;
  session_id: string | null;
  run_id: string | null;
  started_at: string;
  duration_ms: number;
  status: string;
  attributes: Record<string, unknown>;
  events: unknown[];
};

export type SpecList = {
  specs: SpecSummary[];
};

export type SpecSummary = {
  id: string;
  title: string;
  purpose: string;
  requirement_count: number;
};

export type SpecView = {
  id: string;
  title: string;
  purpose: string;
  requirement_count: number;
  content: string;
  requirements: RequirementView[];
};

export type Spending = {
  total: Totals;
  by_model: Record<string, Totals>;
};

export type Stage = "novice" | "advanced_beginner" | "competent" | "proficient" | "expert";

export type StageConfig = {
  id: number;
  name: StageName;
  description?: string;
  prompt?: string | null;
  requiredKeys?: string[];
};

export type StageName = "analyze_query" | "websearch_calibration" | "retrieve" | "synthesize" | "verify" | "output";

/** A stage, one more attempt at it, or the step that led to that. */
export type StageProgress = {
  id: string;
  title: string;
  state: StepState;
  cost: number;
  input_tokens: number;
  output_tokens: number;
  started_at: string | null;
  ended_at: string | null;
  name: string;
  note: string;
  substeps: SubstepProgress[];
};

/** An issue by its number, or in one's own words, or both. */
export type StartSession = {
  issueNumber?: number | null;
  issueTitle?: string | null;
  issueSummary?: string | null;
};

export type Started = {
  sessionId: string;
  issueContext: IssueContext;
  phases: PhaseView[];
  hintLevel: HintLevel;
  openFiles: string[];
};

export type StartedExample = {
  run_id: string;
  library: string;
};

export type StateItem = "open_files" | "buffers" | "diffs" | "phase" | "plan" | "progress" | "hints" | "session" | "dreyfus";

export type Stats = {
  period: Period;
  sessionsCompleted: number;
  totalCoachingMinutes: number;
  issuesWorkedOn: number;
  knowledgeGapsIdentified: number;
  knowledgeGapsAddressed: number;
  hintsUsed: number;
  apiCostTotal: number;
};

export type Status = {
  id: string;
  label: string;
  color?: string | null;
  category?: "open" | "closed";
};

export type StepState = "ahead" | "working" | "done" | "failed" | "stopped";

export type StoreInput = {
  text: string;
  cluster_id: string;
  axis: Axis;
};

export type Strategy = "systematic-elimination" | "trial-and-error" | "research-first" | "divide-and-conquer" | "root-cause-analysis" | "copy-from-similar" | "check-assumptions" | "read-the-error" | "ask-user";

export type SubagentTold = {
  position: number;
  at: string;
  type: "subagent";
  agent: string;
  task: string;
  state: "started" | "ended";
  summary?: string | null;
};

export type SubmitPlan = {
  planText: string;
  issueSummary?: string | null;
  issueNumber?: number | null;
};

export type SubstepProgress = {
  id: string;
  title: string;
  state: StepState;
  cost: number;
  input_tokens: number;
  output_tokens: number;
  started_at: string | null;
  ended_at: string | null;
  result: string;
};

export type Synced = {
  stored: number;
  failed: Record<string, string>;
  reindexed: number;
};

export type TableGrowth = {
  table: string;
  rows: number;
  bytes: number;
  kept_days: number | null;
  spares: string;
  bytes_per_day: number;
  bytes_in_a_year: number;
  bytes_in_a_year_unpruned: number;
};

/** A claim that the gate removed. */
export type Taken = {
  text: string;
  why: string;
};

export type TaskCategory = "decision" | "challenge" | "solution" | "file_change" | "test_result";

export type TaskCosts = {
  task: string;
  room: string;
  totals: Totals;
};

export type TaskGroupInput = {
  title: string;
  items: string[];
};

export type TaskItem = {
  tier?: "task";
  id: string;
  project_id: string;
  change_id: string;
  session_id: string | null;
  category: TaskCategory;
  content: string;
  created_at: string;
};

export type TaskLine = {
  id: string;
  text: string;
  done: boolean;
  group: string;
};

export type TaskView = {
  id: string;
  text: string;
  done: boolean;
  group: string;
  depth: number;
  line: number;
};

export type TermView = {
  term: string;
  definition: string;
  ref: string;
};

/** What happened when a source was tried. */
export type TestReport = {
  slug: string;
  passed: boolean;
  health: ResearchHealth;
  checks: SourceCheck[];
  tools?: string[];
  advice?: string[];
  duration_ms?: number;
};

export type Text = {
  text: string;
};

export type TextInput = {
  text: string;
};

export type TextReport = {
  claims: CheckedClaim[];
  supported: number;
  cut: boolean;
};

export type Thresholds = {
  entityGrounding?: number;
  citationAccuracy?: number;
  relationPreservation?: number;
  maxContradictions?: number;
};

export type Ticks = {
  tasks: string[];
  done?: boolean;
};

export type Timeline = {
  events: HookView[];
  next: number | null;
};

export type TokenRole = "owner" | "member" | "agent" | "reader";

export type TokenUsage = {
  input: number;
  output: number;
  cost: number;
};

export type TokenView = {
  id: string;
  name: string;
  user_id: string;
  user: string;
  role: TokenRole;
  rooms: string[] | null;
  projects: string[] | null;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
};

export type TooLate = {
  type: string;
  message: string;
  conflicts?: LateText[];
};

export type TooLateBody = {
  error: TooLate;
};

export type ToolCallTold = {
  position: number;
  at: string;
  type: "tool_call";
  agent: string;
  id: string;
  name: string;
  arguments: Record<string, unknown>;
  state: CallState;
  result?: string | null;
};

export type ToolList = {
  tools: ResearchToolView[];
};

/** Sums over calls. The average latency leaves failed calls out; without any it is `None`. */
export type Totals = {
  calls: number;
  failures: number;
  cost: number;
  input_tokens: number;
  output_tokens: number;
  average_latency_ms: number | null;
};

export type TraceTree = {
  trace_id: string;
  spans: SpanView[];
};

export type TraceView = {
  trace_id: string;
  name: string;
  kind: string;
  room: string | null;
  session_id: string | null;
  run_id: string | null;
  started_at: string;
  duration_ms: number;
  span_count: number;
  status: SpanStatus;
};

export type Transcript = {
  jsonl: string;
};

export type Transferred = {
  imported: number;
  skipped: number;
};

export type TransitionView = {
  id: string;
  from_state: ChangeStatus | null;
  to_state: ChangeStatus;
  triggered_by: Actor;
  trigger_user_id: string | null;
  trigger_session_id: string | null;
  notes: string | null;
  transitioned_at: string;
};

export type Tree = {
  root: TreeNode;
};

/** One file or directory, in the wire's own shape: a tree has tens of thousands of nodes, and objects that are turned into this later would cost more than reading the disk. */
export type TreeNode = {
  name: string;
  path: string;
  type: "file" | "directory";
  children?: TreeNode[];
};

export type TriageInput = {
  decision: Decision;
  rationale?: string | null;
  priority?: number | null;
};

export type TrustDiff = {
  diff: string;
  fingerprint: string;
};

export type TrustInput = {
  fingerprint?: string | null;
};

export type TrustState = "trusted" | "new" | "changed" | "broken";

/** One of the three that are kept apart: whether words stand there, whether a passage says what is claimed, whether it is what was asked. */
export type Truth = {
  holds: boolean;
  probability: number;
  method: string;
};

export type TurnList = {
  turns: TurnView[];
};

export type TurnStarted = {
  position: number;
  at: string;
  type: "turn_started";
  input: string;
  agent: string;
  trace_id: string;
};

export type TurnStory = {
  events: (TurnStarted | HookTold | PromptTold | ModelTurnTold | ToolCallTold | GateTold | GateAnsweredTold | HandoffTold | SubagentTold | ArtefactTold | Ended)[];
};

/** One thing that a person asked, and how far it is. */
export type TurnView = {
  run_id: string;
  session_id: string;
  status: RunStatus;
  plugin: string;
  command: string | null;
  agent: string;
  input: string;
  gate: Gate | null;
  result: LoopResult | null;
  error: Record<string, unknown> | null;
  created_at: string;
  position: number;
};

export type UpdateInput = {
  session_id?: string | null;
  hypothesis?: string | null;
  action?: string | null;
  prediction?: string | null;
  strategy?: Strategy | null;
  note?: string | null;
  confidence?: number | null;
};

export type Updated = {
  success?: boolean;
  iteration_count: number;
};

/** Something that the run or the person said at a pause. */
export type Utterance = {
  by: "run" | "person";
  kind: string | null;
  text: string;
  at: string;
};

export type ValidateInput = {
  text: string;
  cluster_id: string;
};

export type Validation = {
  valid: boolean;
  similarity: number | null;
  centroid_distance: number;
  threshold_distance: number;
  reason: string | null;
};

export type ValidationView = {
  valid: boolean;
  issues: IssueView[];
  checked_by_openspec: boolean;
  note?: string | null;
};

export type ValueLine = {
  kind?: "value";
  id: string;
  text: string;
  axis: Axis;
  cluster_id: string;
  cluster_size: number;
  similarity_to_centroid: number;
  evidence?: string[];
  created_at: string;
};

export type ValueList = {
  results: ValueView[];
  count: number;
};

export type ValueView = {
  id: string;
  text: string;
  axis: Axis;
  cluster_id: string;
  cluster_size: number;
  similarity_to_centroid: number;
  created_at: string;
};

export type VariantSummary = {
  name: string;
  cases: number;
  score: number | null;
  by_kind: Record<string, number | null>;
  by_criterion: Record<string, number | null>;
  cost: number;
  judge_cost: number;
  input_tokens: number;
  output_tokens: number;
  memory_tokens: number;
  seconds: number;
  score_delta?: number | null;
  cost_delta?: number | null;
  criterion_deltas?: Record<string, number>;
};

export type VectorsHealth = {
  kind: string;
  available: boolean;
  embedder: string;
};

export type Verdict = "supported" | "unsupported" | "undecided";

/** How what is delivered did, against what was needed. */
export type Verification = {
  scores: VerificationScores;
  needed: Needed;
  confidence: Confidence;
  missed: string[];
};

export type VerificationScores = {
  entity_grounding: number;
  citation_accuracy: number;
  relation_preservation: number;
  contradictions: number;
};

export type Verified = {
  all_passed: boolean;
  citations?: CitationReport | null;
  entities?: Report | null;
  relations?: Report | null;
  contradictions?: Report | null;
};

/** What to check, each axis with what its tool takes; those without anything are left out. */
export type VerifyInput = {
  citations?: Citation[];
  entities?: string[];
  source_paragraph_ids?: string[];
  relations?: Relation[];
  paragraph_ids?: string[];
  synthesis_claims?: string[];
};

export type VersionList = {
  versions: VersionView[];
};

export type VersionView = {
  number: number;
  saved_at: string;
  size: number;
};

export type VocabularyView = {
  statuses: Status[];
  labels: Label[];
};

/** What a paused run asks. */
export type Waiting = {
  kind: string;
  text: string;
  body: string;
  options: WaitingOption[];
  otherwise: string;
  key: string;
};

export type WaitingItem = {
  project_id: string;
  change_id: string;
  title: string;
  priority: number;
  approved_at: string | null;
  held_back: string | null;
};

export type WaitingOption = {
  key: string;
  label: string;
};

export type WebSource = {
  label: string;
  url: string;
  title: string;
  excerpt: string;
  query: string;
};

export type Work = {
  project_id: string;
  id: string;
  title: string;
  status: ChangeStatus;
  tasks_done: number;
  tasks_total: number;
};

export type WorkFilter = "all" | "specs" | "errors" | "open";

export type WorkItem = {
  kind: WorkKind;
  project_id: string;
  id: string;
  title: string;
  status: ChangeStatus | FailureStatus;
  priority: number;
  classification: FailureClass | null;
  change_id: string | null;
  tasks_done: number | null;
  tasks_total: number | null;
  assigned_session_id: string | null;
  created_at: string;
  active_at: string;
};

export type WorkKind = "change" | "failure";

export type WorkOrder = "activity" | "priority";

export type WorkPackage = {
  project_id: string;
  project_path: string;
  change_id: string;
  title: string;
  status: ChangeStatus;
  priority: number;
  lease_token: number;
  lease_rule: string;
  proposal: string;
  tasks: TaskLine[];
  design: string | null;
  specs: Record<string, string>;
  agent_type: AgentType;
  system_prompt: string;
  tools: string[];
  memory: string;
  next_steps: string[];
};

export type WorkPage = {
  items: WorkItem[];
  total: number;
};

export type WrapUpResult = {
  knowledgeGaps?: number;
  kataSpecs?: number;
  dreyfusUpdates?: number;
  memoriesStored?: number;
  sessionStatus?: "completed";
};
