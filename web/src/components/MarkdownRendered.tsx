import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import { classes } from "@/lib/classes";

const COMPONENTS: Components = {
  // Another host is only ever visited because somebody clicked.
  a: ({ node: _, href, ...rest }) =>
    href?.startsWith("http") ? (
      <a href={href} target="_blank" rel="noreferrer" {...rest} />
    ) : (
      <a href={href} {...rest} />
    ),
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked} aria-label={checked ? "done" : "not done"} />
  ),
  img: ({ alt, src }) => <span className="text-muted">[picture: {alt || String(src)}]</span>,
};

export default function MarkdownRendered({ text, className }: { text: string; className?: string }) {
  return (
    <div className={classes("prose", className)}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
