import { useQueries } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { BookOpenText, Bot, GraduationCap, type LucideIcon, NotebookPen, SquareKanban } from "lucide-react";
import { useState } from "react";

import { beginnings } from "@/api/attention";
import { useRefresh } from "@/api/live";
import { Button } from "@/components/Button";
import { toast } from "@/components/Toasts";

type Step = { to: string; icon: LucideIcon; name: string; about: string };

const STEPS: readonly Step[] = [
  {
    to: "/coach",
    icon: GraduationCap,
    name: "Work on an issue with hints",
    about: "Pick an issue, get a plan, and ask for a hint when you are stuck.",
  },
  {
    to: "/board",
    icon: SquareKanban,
    name: "Follow a change",
    about: "See proposals, decide on them, and watch agents do the work.",
  },
  {
    to: "/research",
    icon: BookOpenText,
    name: "Ask a library",
    about: "Every claim in the answer is cited, or it is not made.",
  },
  {
    to: "/assistant",
    icon: Bot,
    name: "Plan a lesson",
    about: "An agent that stops and asks you before it decides.",
  },
  {
    to: "/journal",
    icon: NotebookPen,
    name: "Write down a prediction",
    about: "Say what you expect, and see later how it went.",
  },
];

const HIDDEN = "first-steps-hidden";

/** A way into every room that nobody has been in yet. */
export function FirstSteps() {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(HIDDEN) !== null);
  const { coach, board, research, assistant, journal } = beginnings;
  useRefresh(["session.started", "specs.*", "run.queued", "journal.started"], ["beginnings"]);
  const wasThere = useQueries({ queries: [coach, board, research, assistant, journal] });
  const open = STEPS.filter((_, place) => wasThere[place]?.data === false);

  function hide(isGone: boolean) {
    if (isGone) localStorage.setItem(HIDDEN, "yes");
    else localStorage.removeItem(HIDDEN);
    setHidden(isGone);
  }

  if (isHidden || open.length === 0) return null;
  return (
    <section aria-label="First steps" className="py-2">
      <header className="mb-2 flex items-baseline justify-between gap-4">
        <h2 className="font-semibold">First steps</h2>
        <Button
          kind="quiet"
          className="text-muted"
          onClick={() => {
            hide(true);
            toast("First steps are hidden.", () => hide(false));
          }}
        >
          Hide
        </Button>
      </header>
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {open.map(({ to, icon: Icon, name, about }) => (
          <li key={to}>
            <Link
              to={to}
              className="flex h-full flex-col gap-1 rounded-lg border bg-surface p-3 hover:border-accent"
            >
              <Icon aria-hidden className="size-5 text-accent" />
              <span className="font-medium">{name}</span>
              <span className="text-sm text-muted">{about}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
