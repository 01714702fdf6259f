// Counts what the administration client of the command line made of recorded answers, and prints it.

import type { Played } from './play-to-client.js';

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/g;

type Row = { requests: number; different: number };

export class ClientTable {
  readonly problems: string[] = [];
  readonly #rows = new Map<Played['kind'], Row>();
  /** The sentences of refusals, as a user reads them. */
  readonly #said = new Set<string>();

  add(path: string, all: readonly Played[]): void {
    for (const { kind, request, said, problem } of all) {
      const row = this.#rows.get(kind) ?? { requests: 0, different: 0 };
      this.#rows.set(kind, row);
      row.requests += 1;
      if (said !== undefined) this.#said.add(said.replaceAll(ADDRESS, 'the service'));
      if (problem === undefined) continue;
      row.different += 1;
      this.problems.push(`${problem}\n  ${request} in ${path}`);
    }
  }

  print(): void {
    console.log('\nThe administration client of the command line:');
    console.table(Object.fromEntries(this.#rows));
    for (const sentence of this.#said) console.log(`said: ${sentence}`);
    for (const problem of this.problems) console.log(`\nCLIENT: ${problem}`);
  }
}
