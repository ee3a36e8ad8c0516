import { Link } from "@tanstack/react-router";

import { Page } from "@/components/Page";

import { CoachLinks } from "../CoachLinks";
import { ConnectionNotice } from "../ConnectionNotice";
import { StartForm } from "./StartForm";

/** Before a session, with an empty desk. */
export function StartPage() {
  return (
    <Page
      title="Coach"
      lead="Work on something real: the coach cuts it into phases, points where to look, and never writes your code."
      actions={<CoachLinks />}
    >
      <ConnectionNotice />
      <div className="max-w-3xl">
        <StartForm />
        <p className="mt-6 text-sm text-muted">
          Not sure yet?{" "}
          <Link to="/coach" search={{ pane: "files" }} className="text-accent underline underline-offset-2">
            Look around in the files first
          </Link>
          .
        </p>
      </div>
    </Page>
  );
}
