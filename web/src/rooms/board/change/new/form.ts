import type {
  ChangeSummary,
  DeltaInput,
  IssueView,
  ProposalInput,
  RequirementInput,
  SpecView,
  TaskGroupInput,
} from "@/api/schema";

import { specFile } from "../texts";

/** A new change while it is written; text everywhere, so that a draft is what was typed. */
export type Form = {
  project: string;
  title: string;
  id: string;
  why: string;
  whatChanges: string;
  impact: string;
  tasks: string;
  priority: string;
  hasBehaviours: boolean;
  behaviours: Behaviour[];
};

export type Operation = "added" | "modified" | "removed";

/** One requirement that the change adds, alters or takes away. */
export type Behaviour = {
  key: number;
  operation: Operation;
  capability: string;
  purpose: string;
  name: string;
  text: string;
  scenarios: Scenario[];
};

export type Scenario = { key: number; name: string; steps: string };

/** What is wrong, by the path of the field as the server names it: `deltas.0.added.0.name`. */
export type Problems = Readonly<Record<string, string>>;

let lastKey = Date.now();

export function newScenario(): Scenario {
  return { key: ++lastKey, name: "The usual case", steps: "WHEN somebody …\nTHEN …" };
}

export function newBehaviour(capability = ""): Behaviour {
  return {
    key: ++lastKey,
    operation: "added",
    capability,
    purpose: "",
    name: "",
    text: "The system SHALL …",
    scenarios: [newScenario()],
  };
}

export function emptyForm(): Form {
  return {
    project: "",
    title: "",
    id: "",
    why: "",
    whatChanges: "",
    impact: "",
    tasks: "",
    priority: "3",
    hasBehaviours: true,
    behaviours: [newBehaviour()],
  };
}

/** One task per line; a line that begins with `#` begins a group. */
export function tasksOf(text: string): TaskGroupInput[] {
  const groups: TaskGroupInput[] = [];
  for (const line of linesOf(text)) {
    if (line.startsWith("#")) groups.push({ title: line.replace(/^#+\s*/, "") || "Work", items: [] });
    else {
      if (groups.length === 0) groups.push({ title: "Work", items: [] });
      groups.at(-1)!.items.push(line.replace(/^[-*+]\s+(\[.?\]\s*)?/, ""));
    }
  }
  return groups.filter(({ items }) => items.length > 0);
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** The deltas, one for each capability, and where in them each behaviour has gone. */
export function deltasOf(behaviours: readonly Behaviour[]): { deltas: DeltaInput[]; paths: string[] } {
  const deltas: (DeltaInput & Required<Pick<DeltaInput, Operation>>)[] = [];
  const paths = behaviours.map((behaviour) => {
    const capability = behaviour.capability.trim();
    let index = deltas.findIndex((delta) => delta.capability === capability);
    if (index < 0) index = deltas.push({ capability, added: [], modified: [], removed: [], purpose: "" }) - 1;
    const delta = deltas[index]!;
    delta.purpose ||= behaviour.purpose.trim();
    const { operation } = behaviour;
    const count =
      operation === "removed"
        ? delta.removed.push(behaviour.name.trim())
        : delta[operation].push(requirementOf(behaviour));
    return `deltas.${index}.${operation}.${count - 1}`;
  });
  return { deltas, paths };
}

function requirementOf({ name, text, scenarios }: Behaviour): RequirementInput {
  return {
    name: name.trim(),
    text: text.trim(),
    scenarios: scenarios.map((scenario) => ({ name: scenario.name.trim(), steps: linesOf(scenario.steps) })),
  };
}

export function proposalOf(form: Form): ProposalInput {
  return {
    project_id: form.project,
    title: form.title.trim(),
    id: form.id.trim() || null,
    why: form.why.trim(),
    what_changes: form.whatChanges.trim(),
    impact: form.impact.trim(),
    tasks: tasksOf(form.tasks),
    deltas: form.hasBehaviours ? deltasOf(form.behaviours).deltas : [],
    priority: Number(form.priority),
  };
}

const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const CAPABILITY = /^[a-z0-9]+([-/][a-z0-9]+)*$/;

/** What must be there before the server is asked. */
export function problemsOf(form: Form): Problems {
  const found: Record<string, string> = {};
  const need = (path: string, text: string, words: string) => {
    if (text.trim() === "") found[path] = words;
  };
  need("project_id", form.project, "Choose a project.");
  need("title", form.title, "Say in one line what will be different.");
  need("why", form.why, "Say why it is wanted.");
  need("what_changes", form.whatChanges, "Say what changes.");
  if (form.id.trim() && !KEBAB.test(form.id.trim()))
    found.id = "Use small letters, digits and single hyphens: add-login.";
  if (tasksOf(form.tasks).length === 0) found.tasks = "Write at least one task.";
  if (!form.hasBehaviours) return found;
  const { paths } = deltasOf(form.behaviours);
  form.behaviours.forEach((behaviour, index) => {
    const path = paths[index]!;
    if (!CAPABILITY.test(behaviour.capability.trim()))
      found[`${path}.capability`] = "Small letters, digits and hyphens, with / between areas: user-auth.";
    need(`${path}.name`, behaviour.name, "Give the requirement a name.");
    if (behaviour.operation === "removed") return;
    need(`${path}.text`, behaviour.text, "Say what SHALL or MUST hold.");
    behaviour.scenarios.forEach((scenario, place) => {
      need(`${path}.scenarios.${place}.name`, scenario.name, "Give the example a name.");
      need(`${path}.scenarios.${place}.steps`, scenario.steps, "Write at least one step.");
    });
  });
  return found;
}

/** What the server found wrong, by the same paths: with fields, or with the files it would write. */
export function problemsIn(details: Readonly<Record<string, unknown>>, form: Form): Problems {
  const fields = (details.fields ?? []) as { field: string; problem: string }[];
  const issues = (details.issues ?? []) as IssueView[];
  const { paths } = deltasOf(form.behaviours);
  return Object.fromEntries([
    ...fields.map(({ field, problem }) => [field.replace(/^body\./, ""), problem]),
    ...issues.flatMap(({ path, message }) => {
      if (path === "tasks.md") return [["tasks", message]];
      const index = form.behaviours.findIndex(
        ({ capability, name }) =>
          specFile(capability.trim()) === path && message.includes(`"${name.trim()}"`),
      );
      return index < 0 ? [] : [[`${paths[index]}.text`, message]];
    }),
  ]);
}

/** Without one of these words a requirement promises nothing. */
export function isVague(text: string): boolean {
  return !/\b(SHALL|MUST)\b/.test(text);
}

/** Other open changes that alter the requirement too. */
export function meeting(changes: readonly ChangeSummary[], { capability, name }: Behaviour): ChangeSummary[] {
  const touched = `${capability.trim()}/${name.trim().toLowerCase().split(/\s+/).join(" ")}`;
  return name.trim() === "" ? [] : changes.filter(({ touches }) => touches.includes(touched));
}

/** A requirement as it is today, to be altered: what it keeps must be written again. */
export function fromSpec(behaviour: Behaviour, spec: SpecView, name: string): Behaviour {
  const today = spec.requirements.find((requirement) => requirement.name === name);
  if (!today) return { ...behaviour, name };
  const scenarios = today.scenarios.map((scenario) => ({
    key: ++lastKey,
    name: scenario.name,
    steps: linesOf(scenario.text)
      .map((line) => line.replace(/^[-*+]\s+/, "").replaceAll("**", ""))
      .join("\n"),
  }));
  return { ...behaviour, name, text: today.text, scenarios };
}
