// How entities are addressed: queues and topics by name, subscriptions within their topic, sub-queues by a suffix; case does
// not matter (ENT-02, DLQ-01).

/** Which store of a queue or subscription. Where transfers wait nobody comes: no path leads there (TXN-10). */
export type StoreKind = 'main' | 'dead-letter' | 'transfer' | 'transfer-dead-letter';

/** The longer one first: it ends as the other does. */
const SUFFIXES = [
  ['transfer-dead-letter', '/$Transfer/$DeadLetterQueue'], // DLQ-02
  ['dead-letter', '/$DeadLetterQueue'], // DLQ-01
] as const;
const SUFFIX_OF = { main: '', transfer: '', ...Object.fromEntries(SUFFIXES) } as Readonly<
  Record<StoreKind, string>
>;
const SUBSCRIPTION = /^(.+)\/subscriptions\/([^/]+)$/i;

export type EntityPath = {
  /** Of a queue or a topic. */
  readonly name: string;
  /** Undefined: it is the queue or topic itself. */
  readonly subscriptionName: string | undefined;
  readonly storeKind: StoreKind;
};

export function parseEntityPath(path: string): EntityPath {
  const lowerCase = path.toLowerCase();
  const found = SUFFIXES.find(([, suffix]) => lowerCase.endsWith(suffix.toLowerCase()));
  const [storeKind, suffix] = found ?? (['main', ''] as const);
  const base = path.slice(0, path.length - suffix.length);
  const [, topicName, subscriptionName] = SUBSCRIPTION.exec(base) ?? [];
  return { name: topicName ?? base, subscriptionName, storeKind };
}

export function storePathOf(path: string, storeKind: StoreKind): string {
  return path + SUFFIX_OF[storeKind];
}

export function subscriptionPathOf(topicName: string, name: string): string {
  return `${topicName}/Subscriptions/${name}`;
}

/** Equal for names that mean the same entity. */
export function nameKey(name: string): string {
  return name.toLowerCase();
}
