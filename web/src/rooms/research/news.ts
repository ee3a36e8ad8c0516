/** Events that move a run, open or sort a conversation, or ask something of a person. */
export const NEWS = [
  "run.queued",
  "run.started",
  "run.paused",
  "run.replied",
  "run.completed",
  "run.failed",
  "run.cancelled",
  "session.*",
  "research.*",
];
