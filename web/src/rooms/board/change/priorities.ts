/** How urgent a change is, as a person chooses it. */
export const PRIORITIES = [
  ["5", "5 · most urgent"],
  ["4", "4 · urgent"],
  ["3", "3 · usual"],
  ["2", "2 · can wait"],
  ["1", "1 · some day"],
] as const;
