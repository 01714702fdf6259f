// The selectors of receivers in a simulation: their texts, what each means to the reference model, and who has which.

import type { PropertyValue } from '../../src/broker/contract/message-properties.js';
import { readProperties } from './message-content.js';
import { Random } from './random.js';

/** A message as selectors see it. `changes` are those of settlements and rules; null: removed. */
export type Selectable = {
  readonly content: Uint8Array;
  readonly changes: Readonly<Record<string, PropertyValue | null>>;
  readonly systemChanges: { readonly subject?: string | null | undefined };
  /** The deliveries that were counted. */
  readonly count: number;
};

type Seen = {
  readonly color: string | undefined;
  readonly quantity: number | undefined;
  readonly type: string | undefined;
  readonly attempt: string | undefined;
  readonly reason: string | undefined;
  readonly deliveryCount: number;
};
/** Undefined: unknown. */
type Truth = boolean | undefined;

/** JMS-82, JMS-83: what is unknown is not taken, and neither is its opposite. */
const SELECTORS: Readonly<Record<string, (seen: Seen) => Truth>> = {
  "color = 'red'": ({ color }) => (color === undefined ? undefined : color === 'red'),
  "color <> 'red'": ({ color }) => (color === undefined ? undefined : color !== 'red'),
  "NOT color = 'red'": ({ color }) => (color === undefined ? undefined : color !== 'red'),
  'color IS NULL OR quantity > 2': ({ color, quantity }) =>
    color === undefined || (quantity !== undefined && quantity > 2),
  "NOT (quantity > 1 AND color = 'blue')": ({ color, quantity }) => {
    if (color !== undefined && color !== 'blue') return true;
    if (quantity === undefined) return undefined;
    if (quantity <= 1) return true;
    return color === undefined ? undefined : false;
  },
  "JMSType LIKE 'al%' OR quantity BETWEEN 0 AND 1": ({ type = '', quantity }) =>
    type.startsWith('al') || (quantity !== undefined && quantity <= 1),
  '12 / quantity > 3': ({ quantity }) => (quantity ? Math.trunc(12 / quantity) > 3 : undefined),
  'JMSXDeliveryCount > 1': ({ deliveryCount }) => deliveryCount > 1,
  'attempt IS NOT NULL': ({ attempt }) => attempt !== undefined,
  "DeadLetterReason = 'TTLExpiredException'": ({ reason }) => reason === 'TTLExpiredException',
  Color: () => undefined, // another name, and no boolean
};

const MISTAKES = ['color =', "color = 'red' ".padEnd(1025)];
/** LIM-12. */
const MAX_LENGTH = 1024;

/** Why no link can have it; none when one can. */
export function refusalsOfSelector(selector: string): readonly string[] {
  return selector.trimEnd() in SELECTORS && selector.length <= MAX_LENGTH ? [] : ['argument'];
}

export function isSelected(selector: string | undefined, message: Selectable): boolean {
  return selector === undefined || SELECTORS[selector.trimEnd()]?.(seen(message)) === true;
}

/** JMS-84. */
function seen({ content, changes, systemChanges, count }: Selectable): Seen {
  const { color, quantity, subject } = readProperties(content);
  const type = systemChanges.subject === undefined ? subject : (systemChanges.subject ?? undefined);
  return {
    color: changes.color === undefined ? color : textOf(changes.color),
    quantity,
    type,
    attempt: textOf(changes.attempt),
    reason: textOf(changes.DeadLetterReason),
    deliveryCount: count + 1,
  };
}

function textOf(value: PropertyValue | null | undefined): string | undefined {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}

const SELECTOR_SEED = 0x5e1ec7;

/** Draws from numbers of its own: whatever it draws, the rest of the history is the same. */
export class SelectorMaker {
  readonly #random: Random;
  readonly #chance: number;
  readonly #usual: readonly string[];
  readonly #longChance: number;

  /** Unless it is told, some seeds have selectors and some have none. */
  constructor({
    seed,
    hasSelectors,
  }: { readonly seed: number; readonly hasSelectors?: boolean | undefined }) {
    const random = new Random(seed + SELECTOR_SEED);
    this.#random = random;
    const isDrawn = random.chance(0.5);
    this.#chance = (hasSelectors ?? isDrawn) ? random.pick([0.3, 0.7, 1]) : 0;
    this.#usual = random.shuffled(Object.keys(SELECTORS)).slice(0, random.pick([1, 2, 3]));
    this.#longChance = random.pick([0, 0, 0.5]);
  }

  /** Of a new link. Few different ones, so that links compete. */
  next(): string | undefined {
    const random = this.#random;
    if (!random.chance(this.#chance)) return undefined;
    if (random.chance(0.03)) return random.pick(MISTAKES);
    const text = random.pick(random.chance(0.8) ? this.#usual : Object.keys(SELECTORS));
    return random.chance(this.#longChance) ? text.padEnd(MAX_LENGTH) : text;
  }
}
