import { GLOWS } from "../files/TreeRow";
import { useDesk } from "../desk/store";
import { FileLink } from "./FileLink";

/** The phase's hint in words: the files that glow in the tree. */
export function HintedFiles() {
  const hints = useDesk((state) => state.fileHints);
  if (hints.length === 0) return null;
  return (
    <div>
      <p className="text-muted">Look at:</p>
      <ul>
        {hints.map(({ path, style }) => (
          <li key={path}>
            <FileLink path={path} /> <span className="text-xs text-muted">{GLOWS[style].words}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
