// The part of a message that rules can see and change: its properties, never the body (TOP-07).

import type { SettableProperty, SystemProperty } from './property-name.js';
import type { RuleValue } from './rule-value.js';

export interface MessageView {
  /**
   * Returns null when the property is not set. Times are timestamps, TimeToLive and numbers are integers; TimeToLive is in
   * milliseconds. A message-id or correlation-id may also be a uuid, an integer or another value.
   */
  system(property: SystemProperty): RuleValue;
  /** Returns undefined when the property is missing. `UserProperties` says how names are found (SQL-05). */
  user(name: string): RuleValue | undefined;
  /** Whether `user` finds the property, null included. */
  has(name: string): boolean;
  /** The name of the property that `user` finds, as the message spells it; undefined when it is missing (SQL-05). */
  spelling(name: string): string | undefined;
  /** Returns null when the sender has not set it. */
  header(field: HeaderField): RuleValue;
}

/**
 * Fields that selectors read, and SQL cannot. The ids are texts as JMS shows them, the user id is text, `durable` is a boolean,
 * `creationTime` a timestamp that is not rewritten; the others are integers.
 */
export type HeaderField =
  | 'messageId'
  | 'correlationId'
  | 'userId'
  | 'durable'
  | 'priority'
  | 'creationTime'
  | 'groupSequence';

/** A copy of a message. Reads see earlier changes. No method may throw. */
export interface EditableMessage extends MessageView {
  /** Replaces the property that `user` finds and keeps its spelling, or adds one. */
  setUser(name: string, value: RuleValue): void;
  /** Removes the property that `user` finds, if any. */
  removeUser(name: string): void;
  /**
   * ScheduledEnqueueTimeUtc takes a timestamp, TimeToLive an integer that is not negative, the others take a text. Null clears
   * the property.
   */
  setSystem(property: SettableProperty, value: RuleValue): void;
}

/** The application properties of a message, by name: the exact spelling first, then any case (SQL-05). */
export class UserProperties {
  readonly #values: Map<string, RuleValue>;
  /** The first spelling of each name in lower case; made when it is first needed. */
  #names: Map<string, string> | undefined;

  constructor(entries: Iterable<readonly [string, RuleValue]> = []) {
    this.#values = new Map(entries);
  }

  /** Entries in the order of the message, added ones last. */
  entries(): Iterable<[string, RuleValue]> {
    return this.#values.entries();
  }

  get(name: string): RuleValue | undefined {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    const found = this.find(name);
    return found === undefined ? undefined : this.#values.get(found);
  }

  has(name: string): boolean {
    return this.find(name) !== undefined;
  }

  /** Finds the name as the message spells it. */
  find(name: string): string | undefined {
    // SQL-05
    return this.#values.has(name) ? name : this.#spellings().get(name.toLowerCase());
  }

  set(name: string, value: RuleValue): void {
    const found = this.find(name) ?? name;
    if (!this.#values.has(found)) this.#names = undefined;
    this.#values.set(found, value);
  }

  remove(name: string): void {
    const found = this.find(name);
    if (found === undefined) return;
    this.#values.delete(found);
    this.#names = undefined;
  }

  #spellings(): Map<string, string> {
    if (this.#names !== undefined) return this.#names;
    const names = new Map<string, string>();
    for (const name of this.#values.keys()) {
      const lower = name.toLowerCase();
      if (!names.has(lower)) names.set(lower, name);
    }
    this.#names = names;
    return names;
  }
}
