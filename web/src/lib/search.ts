/** What an address may say, made safe: anything else in it is as if it were not there. */

export function word(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  return String(value) || undefined;
}

export function oneOf<T extends string | number>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((each) => each === value);
}

/** One of the names of a record, such as `{ tasks: "Tasks", design: "Design" }`. */
export function nameIn<Name extends string>(names: Record<Name, unknown>, value: unknown): Name | undefined {
  return typeof value === "string" && value in names ? (value as Name) : undefined;
}
