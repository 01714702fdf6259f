// Entity paths: queues and topics by name, subscriptions within their topic, sub-queues by a suffix. Clients write them in any
// case (ENT-02, DLQ-01).

import { ServiceBusError } from '../service-bus-error.js';

/**
 * The kinds of store of an entity. A topic has messages whose copies are still being made (`fan-out`, TOP-15) instead of dead letters. No
 * path leads to them, nor to waiting transfers (TXN-10).
 */
export type StoreKind = 'main' | 'dead-letter' | 'fan-out' | 'transfer' | 'transfer-dead-letter';

/** The longer suffix comes first, because it ends like the other one. */
const SUFFIXES = [
  ['transfer-dead-letter', '/$Transfer/$DeadLetterQueue'], // DLQ-02
  ['dead-letter', '/$DeadLetterQueue'], // DLQ-01
] as const;
const SUFFIX_OF = { main: '', 'fan-out': '', transfer: '', ...Object.fromEntries(SUFFIXES) } as Readonly<
  Record<StoreKind, string>
>;
const SUBSCRIPTION = /^(.+)\/subscriptions\/([^/]+)$/i;

export type EntityPath = {
  /** The name of a queue or topic, in lower case as it is stored. */
  readonly name: string;
  /** Undefined: the path names the queue or topic itself. */
  readonly subscriptionName: string | undefined;
  readonly storeKind: StoreKind;
  /** In lower case without the suffix of a sub-queue. A path of a subscription may also be the name of a queue. */
  readonly base: string;
};

/** Throws argument. A program without types can give any value, and no value may stop the broker. */
export function parseEntityPath(path: string): EntityPath {
  checkText(path);
  const lowerCase = path.toLowerCase();
  if (!path.includes('/'))
    return { name: lowerCase, subscriptionName: undefined, storeKind: 'main', base: lowerCase }; // with each send
  const found = SUFFIXES.find(([, suffix]) => lowerCase.endsWith(suffix.toLowerCase()));
  const [storeKind, suffix] = found ?? (['main', ''] as const);
  const length = path.length - suffix.length;
  const base = lowerCase.slice(0, length);
  const [, topicName, subscriptionName] = SUBSCRIPTION.exec(path.slice(0, length)) ?? [];
  return { name: topicName?.toLowerCase() ?? base, subscriptionName, storeKind, base };
}

export function storePathOf(path: string, storeKind: StoreKind): string {
  return path + SUFFIX_OF[storeKind];
}

export function subscriptionPathOf(topicName: string, name: string): string {
  return `${topicName}/Subscriptions/${name}`;
}

/** Whether a name has the form of a subscription's path. */
export function isSubscriptionPath(name: string): boolean {
  return name.toLowerCase().includes('/subscriptions/');
}

/** A map key that is equal for all spellings of a name. Throws as `parseEntityPath` does. */
export function nameKey(name: string): string {
  checkText(name);
  return name.toLowerCase();
}

/** The key of a subscription's name. JMS-15: a JMS program's name keeps its case; only such a name has a dollar sign. */
export function subscriptionNameKey(name: string): string {
  return name.includes('$') ? name : nameKey(name);
}

/** Throws argument for a name or path that is no text. */
export function checkText(path: unknown): void {
  if (typeof path === 'string') return;
  const seen = typeof path === 'object' && path !== null ? 'an object' : String(path);
  throw new ServiceBusError('argument', `The name or path of an entity must be a string, not ${seen}.`);
}
