// A message as rules see it and actions change it, made of plain values.

import {
  type EditableMessage,
  type HeaderField,
  UserProperties,
} from '../../../src/broker/rules/message-view.js';
import type { SettableProperty, SystemProperty } from '../../../src/broker/rules/property-name.js';
import type { RuleValue } from '../../../src/broker/rules/rule-value.js';

export type MessageValues = {
  readonly system?: { readonly [property in SystemProperty]?: RuleValue };
  readonly user?: Readonly<Record<string, RuleValue>>;
  readonly headers?: { readonly [field in HeaderField]?: RuleValue };
};

export class RuleMessage implements EditableMessage {
  readonly #system: Map<string, RuleValue>;
  readonly #user: UserProperties;
  readonly #headers: NonNullable<MessageValues['headers']>;

  constructor({ system = {}, user = {}, headers = {} }: MessageValues) {
    this.#headers = headers;
    this.#system = new Map(Object.entries(system));
    this.#user = new UserProperties(Object.entries(user));
  }

  get systemValues(): Record<string, RuleValue> {
    return Object.fromEntries(this.#system);
  }

  get userValues(): Record<string, RuleValue> {
    return Object.fromEntries(this.#user.entries());
  }

  system(property: SystemProperty): RuleValue {
    return this.#system.get(property) ?? null;
  }

  user(name: string): RuleValue | undefined {
    return this.#user.get(name);
  }

  has(name: string): boolean {
    return this.#user.has(name);
  }

  spelling(name: string): string | undefined {
    return this.#user.find(name);
  }

  header(field: HeaderField): RuleValue {
    return this.#headers[field] ?? null;
  }

  setUser(name: string, value: RuleValue): void {
    this.#user.set(name, value);
  }

  removeUser(name: string): void {
    this.#user.remove(name);
  }

  setSystem(property: SettableProperty, value: RuleValue): void {
    this.#system.set(property, value);
  }
}

const ID = '00112233445566778899aabbccddeeff';

export const uuid = (hex = ID): RuleValue => ({ kind: 'uuid', hex });
export const timestamp = (ms: number): RuleValue => ({ kind: 'timestamp', ms });
export function decimal(digits: bigint, exponent: number): RuleValue {
  return { kind: 'decimal', digits, exponent, encoded: new Uint8Array() };
}

export const binary: RuleValue = { kind: 'other', encoded: Uint8Array.of(0xa0, 1, 7) };

/** Counts: 1, 2, 3 in 32 hexadecimal digits. */
export function countingGuids(): () => string {
  let count = 0;
  return () => (++count).toString(16).padStart(32, '0');
}
