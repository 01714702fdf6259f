// All the ways to break what a project's source says about a rule.

import type { Random } from '../../test/simulation/random.js';
import { applyBreak, type Break, describeBreak, findBreaks } from './breaks.js';
import { type Citation, findCitations } from './citations.js';
import { MaskedSource } from './masked-source.js';
import { listSourceFiles, type ProjectFiles } from './project-files.js';
import type { Rule } from './rule-book.js';
import { idsInText } from './rule-ids.js';

type CitedCode = Citation & { readonly path: string; readonly source: MaskedSource };

export type SourceBreak = {
  readonly path: string;
  readonly line: number;
  readonly what: string;
  /** The whole file, broken. */
  readonly text: string;
};

export class SourceBreaks {
  readonly #citedCode: readonly CitedCode[];

  constructor(project: ProjectFiles) {
    this.#citedCode = listSourceFiles(project).flatMap((path) => {
      const source = new MaskedSource(project.read(path));
      return findCitations(source).map((citation) => ({ ...citation, path, source }));
    });
  }

  /** "src/broker/queue/send.ts:24", wherever the code cites the rule. */
  placesOf(rule: Rule): string[] {
    return this.#citing(rule).map(({ path, line }) => `${path}:${line}`);
  }

  /** Each once, those that change least else first, the others of their kind in random order. */
  of(rule: Rule, random: Random): SourceBreak[] {
    const found = this.#citing(rule).flatMap(({ path, source, code }) =>
      findBreaks(source, code).map((one) => ({ one, path, source })),
    );
    const byKey = new Map(found.map((each) => [keyOf(each.path, each.one), each]));
    return shuffle([...byKey.values()], random)
      .sort((a, b) => a.one.coarseness - b.one.coarseness)
      .map(({ one, path, source }) => ({
        path,
        line: source.lineAt(one.start),
        what: describeBreak(source.text, one),
        text: applyBreak(source.text, one),
      }));
  }

  /** A rule that no line cites by its own number is obeyed by those that cite the rules it follows from. */
  #citing({ id, source }: Rule): CitedCode[] {
    const own = this.#citedCode.filter((code) => code.id === id);
    const causes = idsInText(source);
    return own.length > 0 ? own : this.#citedCode.filter((code) => causes.includes(code.id));
  }
}

function keyOf(path: string, { start, end, replacement }: Break): string {
  return [path, start, end, replacement].join(' ');
}

function shuffle<T>(items: T[], random: Random): T[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random.integer(left.length), 1));
}
