import { Link } from "@tanstack/react-router";

import { buttonClass } from "@/components/Button";

/** The coach's other pages. */
export function CoachLinks() {
  return (
    <nav aria-label="Coach" className="flex flex-wrap">
      <Link to="/coach/dashboard" className={buttonClass("quiet")}>
        Dashboard
      </Link>
      <Link to="/coach/practice" className={buttonClass("quiet")}>
        Practice
      </Link>
      <Link to="/coach/sessions" className={buttonClass("quiet")}>
        Sessions
      </Link>
    </nav>
  );
}
