import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { pluginSkillsQuery, skillsQuery } from "@/api/agents";
import { Badge } from "@/components/Badge";
import { Card } from "@/components/Card";
import { Page } from "@/components/Page";
import { Empty, WhenReady } from "@/components/States";
import { plural } from "@/lib/words";

import { CopyBlock } from "./CopyBlock";
import { OriginBadge } from "./OriginBadge";
import { SkillText } from "./SkillText";

const EXAMPLE = `---
name: my-skill
description: What it does, and when to use it.
---
# My skill

1. Write what to do, step by step.
`;

/** A plugin's skill is chosen as `plugin:name`. */
export function SkillsPage({ chosen }: { chosen?: string }) {
  const skills = useQuery(skillsQuery);
  const ofPlugins = useQuery(pluginSkillsQuery);
  const [project, own] = skills.data?.places ?? [];
  return (
    <Page title="Skills" lead="Ways of working that an agent reads when it needs them.">
      <div className="grid items-start gap-4 lg:grid-cols-[22rem_1fr]">
        <div className="min-w-0 space-y-4">
          <Card title="For every agent">
            <WhenReady query={skills}>
              {({ skills }) => (
                <ul className="divide-y">
                  {skills.map(({ slug, ...skill }) => (
                    <SkillRow key={slug} id={slug} name={slug} isChosen={slug === chosen} {...skill} />
                  ))}
                </ul>
              )}
            </WhenReady>
          </Card>
          <Card title="Of the assistant's plugins">
            <WhenReady query={ofPlugins}>
              {({ skills }) => (
                <ul className="divide-y">
                  {skills.map(({ plugin, name, ...skill }) => (
                    <SkillRow
                      key={`${plugin}:${name}`}
                      id={`${plugin}:${name}`}
                      name={name}
                      isChosen={chosen === `${plugin}:${name}`}
                      {...skill}
                    />
                  ))}
                </ul>
              )}
            </WhenReady>
          </Card>
        </div>
        <div className="min-w-0 space-y-4">
          {chosen ? (
            <SkillText key={chosen} id={chosen} />
          ) : (
            <Card>
              <Empty title="Choose a skill to read it">
                Or write one of your own: a folder with a file of this form, named as the skill is.
              </Empty>
              {project && <CopyBlock label={`${project}/my-skill/SKILL.md`} text={EXAMPLE} />}
              {own && (
                <p className="mt-3 text-sm text-muted">
                  For all your projects, put it into <code className="font-mono break-all">{own}</code>.
                </p>
              )}
            </Card>
          )}
        </div>
      </div>
    </Page>
  );
}

type RowProps = {
  id: string;
  name: string;
  description: string;
  origin: string;
  problems?: readonly string[];
  isChosen: boolean;
};

function SkillRow({ id, name, description, origin, problems = [], isChosen }: RowProps) {
  return (
    <li className="py-2 text-sm">
      <Link
        to="/skills"
        search={{ skill: id }}
        resetScroll={false}
        aria-current={isChosen ? "true" : undefined}
        className="font-medium text-accent underline-offset-2 hover:underline aria-[current]:underline"
      >
        {name}
      </Link>{" "}
      <OriginBadge origin={origin} />{" "}
      {problems.length > 0 && <Badge tone="bad">{plural(problems.length, "problem")}</Badge>}
      <p className="line-clamp-2 text-muted">{description}</p>
    </li>
  );
}
