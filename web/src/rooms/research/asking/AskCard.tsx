import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Library } from "lucide-react";

import { healthQuery } from "@/api/house";
import { librariesQuery } from "@/api/library";
import { buttonClass } from "@/components/Button";
import { Card } from "@/components/Card";
import { Empty, WhenReady } from "@/components/States";
import { ExampleButton } from "@/rooms/library/ExampleButton";

import { AskForm, type Beginning } from "./AskForm";

/** A question to a library, or the way to the first library. */
export function AskCard(beginning: Beginning) {
  const shelves = useQuery(librariesQuery);
  const isOffline = useQuery(healthQuery).data?.model?.offline ?? false;

  return (
    <Card title="Ask a library">
      <WhenReady query={shelves}>
        {({ libraries }) =>
          libraries.length === 0 ? (
            <NoLibrary />
          ) : (
            <div className="space-y-4">
              <AskForm key={beginning.question} libraries={libraries} {...beginning} />
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
      <p className="mt-3 flex flex-wrap justify-center gap-2">
        <ExampleButton kind="primary" />
        <Link to="/libraries" className={buttonClass()}>
          Make a library
        </Link>
      </p>
    </Empty>
  );
}
