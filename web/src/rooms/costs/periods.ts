export const PERIODS = [7, 30, 90, 365] as const;

export type Period = (typeof PERIODS)[number];

export const USUAL: Period = 30;

export const NAMES: Record<Period, string> = { 7: "7 days", 30: "30 days", 90: "90 days", 365: "A year" };
