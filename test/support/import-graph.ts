// Rules about how the files of the source import each other; each says of all files together what is wrong with them.

import type { SourceFile } from './source-file.js';

type Graph = ReadonlyMap<string, readonly string[]>;

/** The shortest circle that each file is in. Imports of types count: what imports each other cannot be read one by one. */
export function findImportCircles(files: readonly SourceFile[]): string[] {
  const graph: Graph = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]));
  const circles = files.flatMap(({ path }) => {
    const circle = shortestCircle(graph, path);
    return circle === undefined ? [] : [fromSmallest(circle)];
  });
  return [...new Set(circles.map((circle) => [...circle, circle[0]].join(' imports ')))];
}

function shortestCircle(graph: Graph, start: string): readonly string[] | undefined {
  const importerOf = new Map<string, string>();
  const queue = [start];
  for (const path of queue) {
    for (const target of graph.get(path) ?? []) {
      if (target === start) return wayTo(path, start, importerOf);
      if (importerOf.has(target)) continue;
      importerOf.set(target, path);
      queue.push(target);
    }
  }
  return undefined;
}

function wayTo(end: string, start: string, importerOf: ReadonlyMap<string, string>): readonly string[] {
  const way = [end];
  for (let path = end; path !== start; ) {
    path = importerOf.get(path) ?? start;
    way.unshift(path);
  }
  return way;
}

/** The same circle is found from each of its files. */
function fromSmallest(circle: readonly string[]): readonly string[] {
  const first = circle.indexOf(circle.toSorted()[0] ?? '');
  return [...circle.slice(first), ...circle.slice(0, first)];
}

/** Where programs begin to read. */
const ENTRIES: readonly string[] = [
  ...['emulator.ts', 'cli/main.ts', 'dashboard/main.tsx'],
  ...['testing/vitest.ts', 'testing/jest.ts', 'testing/other-runners.ts', 'testing/global-setup.ts'],
  'testcontainers/jitney-container.ts',
];

export function findUnimportedFiles(files: readonly SourceFile[]): string[] {
  const imported = new Set(files.flatMap(({ imports }) => imports.map(({ target }) => target)));
  return files
    .filter(({ path }) => !imported.has(path) && !ENTRIES.includes(path) && !path.endsWith('.d.ts'))
    .map(({ path }) => `${path} is imported by no file`);
}
