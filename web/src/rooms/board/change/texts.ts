import type { ChangeView } from "@/api/schema";

/** Texts of a change as a page shows them. */

/** Without the `# Title` that it begins with: the page has one. */
export function withoutTitle(text: string): string {
  return text.replace(/^\uFEFF?\s*#[ \t][^\n]*\n+/, "");
}

export function specFile(capability: string): string {
  return `specs/${capability}/spec.md`;
}

/** A delta that is valid as it stands, for a person to put their own words into. */
export function deltaTemplate(capability: string): string {
  return `## ADDED Requirements

### Requirement: Name it

The system SHALL … (say what must hold from now on in ${capability}).

#### Scenario: Give an example

- **WHEN** somebody does something
- **THEN** this happens
`;
}

/** What a file of the change says now; nothing where it is not there. */
export function textOf(change: ChangeView, file: string): string {
  if (file === "proposal.md") return change.proposal_content;
  if (file === "tasks.md") return change.tasks_content;
  if (file === "design.md") return change.design_content ?? "";
  const capability = Object.keys(change.specs).find((name) => specFile(name) === file);
  return capability === undefined ? "" : (change.specs[capability] ?? "");
}
