import {
  Blocks,
  BookOpenText,
  Bot,
  Brain,
  ChartNoAxesColumn,
  GraduationCap,
  House,
  Keyboard,
  Library,
  ListTree,
  type LucideIcon,
  NotebookPen,
  Plug,
  Receipt,
  Settings,
  SquareKanban,
  Target,
} from "lucide-react";

export type Place = { name: string; to: string; icon: LucideIcon; letter?: string; about: string };

/** The rooms, always in sight. */
export const ROOMS: readonly Place[] = [
  { name: "Home", to: "/", icon: House, letter: "h", about: "Needs you" },
  { name: "Coach", to: "/coach", icon: GraduationCap, letter: "c", about: "Work on an issue with hints" },
  {
    name: "Board",
    to: "/board",
    icon: SquareKanban,
    letter: "b",
    about: "Changes, failing tests, approvals",
  },
  {
    name: "Research",
    to: "/research",
    icon: BookOpenText,
    letter: "r",
    about: "Ask a library, with citations",
  },
  {
    name: "Assistant",
    to: "/assistant",
    icon: Bot,
    letter: "a",
    about: "Agents in markdown, with you in the loop",
  },
  {
    name: "Journal",
    to: "/journal",
    icon: NotebookPen,
    letter: "j",
    about: "Predictions and outcomes",
  },
];

export const MORE: readonly Place[] = [
  { name: "Libraries", to: "/libraries", icon: Library, letter: "l", about: "Documents to cite from" },
  {
    name: "Dashboard",
    to: "/coach/dashboard",
    icon: ChartNoAxesColumn,
    about: "Skills, numbers, issues that fit",
  },
  { name: "Practice", to: "/coach/practice", icon: Target, letter: "p", about: "Katas" },
  { name: "Agents", to: "/agents", icon: Bot, about: "Research agents and their runs" },
  { name: "Skills", to: "/skills", icon: Blocks, about: "Instructions that agents can use" },
  { name: "Sources", to: "/sources", icon: Plug, about: "Servers that agents may use" },
  { name: "Memory", to: "/memory", icon: Brain, letter: "m", about: "Everything remembered" },
  { name: "Traces", to: "/traces", icon: ListTree, letter: "t", about: "What was called, and what it took" },
  { name: "Costs", to: "/costs", icon: Receipt, about: "By room, model and day" },
  { name: "Settings", to: "/settings", icon: Settings, letter: "s", about: "Model, tokens, theme" },
  { name: "Shortcuts", to: "/shortcuts", icon: Keyboard, letter: "?", about: "Everything the keyboard does" },
];

export const PLACES = [...ROOMS, ...MORE];
