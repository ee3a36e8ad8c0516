import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { projectsQuery, scanProjects } from "@/api/projects";
import { Link } from "@tanstack/react-router";
import { FolderSearch } from "lucide-react";

import { Button } from "@/components/Button";
import { CopyLine } from "@/components/CopyLine";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { toastError } from "@/components/Toasts";

import { NewChangeForm } from "./NewChangeForm";

/** Propose a change: what should be different, why, and how one would see it. */
export function NewChangePage() {
  const projects = useQuery(projectsQuery);
  return (
    <Page
      title="New change"
      lead={
        <>
          It becomes files in the project’s <code className="font-mono">openspec/changes</code> folder, and
          waits for your approval on the{" "}
          <Link to="/board" className="text-accent underline underline-offset-2">
            board
          </Link>
          . You can edit all of it there.
        </>
      }
    >
      <WhenReady query={projects} lines={8}>
        {(found) => {
          const present = found.filter(({ missing_since }) => missing_since === null);
          return present.length === 0 ? <NoProject /> : <NewChangeForm projects={present} />;
        }}
      </WhenReady>
    </Page>
  );
}

function NoProject() {
  const queries = useQueryClient();
  const scan = useMutation({
    mutationFn: scanProjects,
    onSuccess: () => queries.invalidateQueries({ queryKey: projectsQuery.queryKey }),
    onError: toastError,
  });
  return (
    <Empty title="There is no project with OpenSpec yet." icon={<FolderSearch className="size-5" />}>
      <p>
        A change lives in a project that has an <code>openspec</code> folder: the server’s own project, or one
        in <code>PROJECTS_DIR</code>. Make one in the project:
      </p>
      <div className="my-3 text-left">
        <CopyLine text="mkdir -p openspec/changes openspec/specs" />
      </div>
      <Button isBusy={scan.isPending} onClick={() => scan.mutate()}>
        Look again
      </Button>
    </Empty>
  );
}
