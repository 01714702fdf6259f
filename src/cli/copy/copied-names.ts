// Which queues and topics a copy takes, and the names that they have in the destination.

import { suggestedPath } from '../../config/entity-names.js';
import { isDeadLetterPath } from '../messages/dead-letter-path.js';
import { usageError } from '../output/error-report.js';
import { oneLine } from '../output/one-line.js';
import type { CopyFlags } from './copy-commands.js';
import type { CopiedStore } from './copy-side.js';

/** Which queues and topics are copied, and under which names. */
export class CopiedNames {
  readonly #only: ReadonlySet<string> | undefined;
  readonly #map: ReadonlyMap<string, string>;
  readonly #given: readonly (readonly [option: string, name: string])[];
  readonly #isOnlyDead: boolean;
  readonly key: string;

  constructor({ only, map = [], state }: CopyFlags) {
    this.#isOnlyDead = state === 'dead';
    this.#only = only && new Set(only.map((name) => name.toLowerCase()));
    const pairs = map.map((pair): [string, string] => {
      const [from = '', to = '', ...more] = pair.split('=');
      if (from !== '' && to !== '' && more.length === 0) return [from.toLowerCase(), to];
      // Not with what was given: a connection string in the wrong place has a key.
      throw usageError('--map must be from=to, such as orders=orders-copy');
    });
    this.#map = new Map(pairs);
    const targets = new Set(pairs.map(([, to]) => to.toLowerCase()));
    if (targets.size < this.#map.size)
      throw usageError(
        '--map must give each queue or topic a name of its own: two would come into one entity',
      );
    this.#given = [
      ...(only ?? []).map((name) => ['--only', name] as const),
      ...pairs.map(([from]) => ['--map', from] as const),
    ];
    this.key = JSON.stringify(pairs);
  }

  /** Throws a JitneyError for a name that the source does not have. */
  refuseUnknown(owners: readonly string[]): void {
    const known = new Set(owners.map((owner) => owner.toLowerCase()));
    for (const [option, name] of this.#given) {
      if (known.has(name.toLowerCase())) continue;
      throw usageError(
        `${option}: there is no queue or topic '${oneLine(name)}' to copy.${suggestedPath(name, owners)}`,
      );
    }
  }

  of(owner: string): string | undefined {
    const name = owner.toLowerCase();
    if (this.#only?.has(name) === false) return undefined;
    return this.#map.get(name) ?? owner;
  }

  pathOf({ path, owner }: CopiedStore): string | undefined {
    if (this.#isOnlyDead && !isDeadLetterPath(path)) return undefined;
    const name = this.of(owner);
    return name === undefined ? undefined : name + path.slice(owner.length);
  }
}
