import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Library } from "lucide-react";

import { healthQuery } from "@/api/house";
import { shelvesQuery } from "@/api/research";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { Empty, WhenReady } from "@/components/States";

import { AskForm } from "./AskForm";

/** A question to a library, or the way to the first library. */
export function AskCard({ question, library }: { question?: string; library?: string }) {
  const shelves = useQuery(shelvesQuery);
  const isOffline = useQuery(healthQuery).data?.model?.offline ?? false;

  return (
    <Card title="Ask a library">
      <WhenReady query={shelves}>
        {(libraries) =>
          libraries.length === 0 ? (
            <NoLibrary />
          ) : (
            <div className="space-y-4">
              <AskForm key={question} libraries={libraries} question={question} library={library} />
              {isOffline && (
                <p className="text-sm text-muted">
                  No model is set up, and none is needed: rules make the plan, and the answer is made of
                  sentences quoted from the library. It costs nothing.
                </p>
              )}
            </div>
          )
        }
      </WhenReady>
    </Card>
  );
}

function NoLibrary() {
  return (
    <Empty title="There is no library to ask yet" icon={<Library className="size-5" />}>
      <p>A library holds the documents that answers are cited from. Make one, then ask it here.</p>
      <p className="my-3">
        <Link to="/libraries" className={buttonClass("primary")}>
          Make a library
        </Link>
      </p>
      <p className="mb-2">To try it with the example standards, run this in Bottega's own folder:</p>
      <CopyLine text="bottega library add harbour examples/standards" />
    </Empty>
  );
}
