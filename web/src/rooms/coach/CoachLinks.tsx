import { Link } from "@tanstack/react-router";

import { buttonClass } from "@/components/Button";

const LINK = `${buttonClass("quiet")} max-sm:px-2!`;

/** The coach's other pages. */
export function CoachLinks() {
  return (
    <nav aria-label="Coach" className="flex flex-wrap">
      <Link to="/coach/dashboard" className={LINK}>
        Dashboard
      </Link>
      <Link to="/coach/practice" className={LINK}>
        Practice
      </Link>
      <Link to="/coach/sessions" className={LINK}>
        Sessions
      </Link>
    </nav>
  );
}
