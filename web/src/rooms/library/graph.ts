import type { EdgeKind, Hop, Hops } from "@/api/schema";

import { EDGES } from "./wording";

export type Place = { ref: string; x: number; y: number; ring: number; score: number };
export type Line = { from: string; to: string; kind: EdgeKind; weight: number };
export type Drawing = { places: Place[]; lines: Line[] };

const RING = 100;

/**
 * How far around everything lies, so that few places are not drawn larger than many. `breadth` is
 * how much wider than high the picture is.
 */
export function frame({ places }: Drawing, breadth: number): { x: number; y: number }[] {
  const reach = RING * Math.max(1, ...places.map(({ ring }) => ring));
  return [-1, 1].map((side) => ({ x: side * reach * breadth, y: side * reach }));
}

/**
 * The paragraph in the middle, what it leads to in rings around it, each near to what led there.
 * The same neighbourhood is always drawn the same way.
 */
export function draw({ start, hops }: Hops, breadth = 1): Drawing {
  const children = new Map<string, Hop[]>();
  for (const hop of hops) {
    const parent = hop.path.at(-1)?.source_ref ?? start.ref;
    children.set(parent, [...(children.get(parent) ?? []), hop]);
  }
  const places: Place[] = [{ ref: start.ref, x: 0, y: 0, ring: 0, score: 1 }];
  const lines: Line[] = [];

  function leaves(ref: string): number {
    const below = children.get(ref) ?? [];
    return below.length ? below.reduce((sum, hop) => sum + leaves(hop.paragraph.ref), 0) : 1;
  }

  function spread(ref: string, from: number, to: number) {
    const width = (to - from) / leaves(ref);
    let angle = from;
    for (const { paragraph, hops: ring, path, score } of children.get(ref) ?? []) {
      const end = angle + width * leaves(paragraph.ref);
      const middle = (angle + end) / 2;
      const [x, y] = [Math.cos(middle) * RING * ring * breadth, Math.sin(middle) * RING * ring];
      places.push({ ref: paragraph.ref, x, y, ring, score });
      const step = path.at(-1);
      if (step) {
        const [source, target] = step.backwards ? [paragraph.ref, ref] : [ref, paragraph.ref];
        lines.push({ from: source, to: target, kind: step.kind, weight: step.weight });
      }
      spread(paragraph.ref, angle, end);
      angle = end;
    }
  }

  spread(start.ref, -Math.PI / 2, (3 * Math.PI) / 2);
  return { places, lines };
}

/** `210.6 cites 450.9, which contains it`: how the start leads to the paragraph at the path's end. */
export function pathInWords(path: Hop["path"]): string {
  const steps = path.map(({ kind, backwards, target_ref }, index) => {
    const verb = backwards ? EDGES[kind].backwards : EDGES[kind].forwards;
    return `${verb} ${index === path.length - 1 ? "it" : target_ref}`;
  });
  return `${path[0]?.source_ref} ${steps.join(", which ")}`;
}
