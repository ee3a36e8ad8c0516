import { useQuery } from "@tanstack/react-query";

import { pluginSkillsQuery, skillQuery } from "@/api/agents";
import { Card } from "@/components/Card";
import { CopyLine } from "@/components/CopyLine";
import { Empty, WhenReady } from "@/components/States";

import { type Field, Fields } from "./Fields";
import { Problems } from "./Problems";
import { MarkdownSection } from "./MarkdownSection";

/** One skill: what it says, and where it is. */
export function SkillText({ id }: { id: string }) {
  const [plugin, name] = id.split(":");
  return plugin && name ? <OfPlugin plugin={plugin} name={name} /> : <ForAll slug={id} />;
}

function ForAll({ slug }: { slug: string }) {
  const skill = useQuery(skillQuery(slug));
  return (
    <WhenReady query={skill} lines={8}>
      {({ description, file, fields, text, problems }) => (
        <Card title={slug} className="space-y-4">
          <Problems problems={problems} what={slug} />
          <Fields
            fields={[
              ["What for", description],
              ...Object.entries(fields).map(([key, value]): Field => [key, inWords(value)]),
              ["Its file", <CopyLine key="file" text={file} />],
            ]}
          />
          {problems.length ? <AsWritten text={text} /> : <MarkdownSection text={text} />}
        </Card>
      )}
    </WhenReady>
  );
}

function OfPlugin({ plugin, name }: { plugin: string; name: string }) {
  const skills = useQuery(pluginSkillsQuery);
  return (
    <WhenReady query={skills} lines={8}>
      {({ skills }) => {
        const skill = skills.find((each) => each.plugin === plugin && each.name === name);
        if (!skill) return <Empty title={`The plugin ${plugin} has no skill ${name}`} />;
        return (
          <Card title={name} className="space-y-4">
            <Fields
              fields={[
                ["What for", skill.description],
                ["Plugin", plugin],
                ["Read by", skill.agents.join(", ") || "no agent yet"],
                ["Its file", <CopyLine key="file" text={skill.file} />],
              ]}
            />
            <MarkdownSection text={skill.text} />
          </Card>
        );
      }}
    </WhenReady>
  );
}

/** A file with problems is shown with its line numbers in mind: nothing of it is made into a page. */
function AsWritten({ text }: { text: string }) {
  return (
    <pre tabIndex={0} className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-sm">
      {text}
    </pre>
  );
}

function inWords(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
