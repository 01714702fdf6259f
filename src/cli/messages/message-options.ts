// Reads the options of commands for messages. Each reader throws a JitneyError that names the option and what it must be.

import { flagName } from '../../config/environment.js';
import { refusing } from '../../config/options/option-types.js';
import { parseSpan } from '../../description/duration.js';
import { shown, ValueError } from '../../description/value-error.js';
import type { MessageFlags } from './message-commands.js';

const INSTANT_FORMS = 'a duration such as PT10M, a number of seconds, or a time such as 2026-05-01T12:00:00Z';

export class MessageOptions {
  readonly #own: MessageFlags;

  constructor(own: MessageFlags) {
    this.#own = own;
  }

  has(name: string): boolean {
    return this.#own[name] !== undefined;
  }

  text(name: string): string | undefined {
    const value = this.#own[name];
    return typeof value === 'string' ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.#own[name];
    return typeof value === 'object' ? value : [];
  }

  /** A number from 1 on. With `all`, the word `all` is allowed and means Infinity. */
  count(name: string, missing: number, { all = false } = {}): number {
    return this.#read(name, missing, (text) => {
      if (all && text === 'all') return Number.POSITIVE_INFINITY;
      if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
      throw new ValueError(`must be a number from 1 on${all ? ', or all' : ''}, not ${shown(text)}`);
    });
  }

  sequenceNumber(name: string, missing: bigint): bigint {
    return this.#read(name, missing, (text) => {
      if (/^\d{1,19}$/.test(text)) return BigInt(text);
      throw new ValueError(`must be a sequence number, not ${shown(text)}`);
    });
  }

  /** A duration in milliseconds. */
  duration<Missing>(name: string, missing: Missing): number | Missing {
    return this.#read<number | Missing>(name, missing, (text) => parseSpan(text));
  }

  /** A time to live of at least 1 ms: 0 in a message header would mean that it has none. */
  timeToLive(name: string): number | undefined {
    return this.#read<number | undefined>(name, undefined, (text) => {
      const milliseconds = parseSpan(text);
      if (milliseconds > 0) return milliseconds;
      throw new ValueError(
        `must be at least 1 ms, not ${shown(text)}: leave it out to use the time to live of the entity`,
      );
    });
  }

  /** Milliseconds since 1970, from a time, or from a duration after `now`. */
  instant(name: string, now: number): number | undefined {
    return this.#read<number | undefined>(name, undefined, (text) => {
      const isTime = /^\d{4}-\d\d-\d\dT/.test(text);
      const instant = isTime ? Date.parse(text) : now + parseSpan(text, { forms: INSTANT_FORMS });
      if (!Number.isNaN(new Date(instant).getTime())) return instant;
      throw new ValueError(`must be ${INSTANT_FORMS}, not ${shown(text)}`);
    });
  }

  #read<T>(name: string, missing: T, read: (text: string) => T): T {
    const text = this.text(name);
    return text === undefined ? missing : refusing('bad-option', flagName(name), () => read(text));
  }
}
