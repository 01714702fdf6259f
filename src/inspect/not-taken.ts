// Says why a subscription has not taken a message of its topic: what its rules want, and the values that the message has.

import type { FilterPart, TestedRule } from '../broker/contract/inspection.js';
import { readMessage } from '../content/read-message.js';
import type { Engine } from '../engine/engine.js';
import type { NotTakenMessage } from '../watch/activity-record.js';
import type { ActivityStream } from '../watch/activity-stream.js';

export type NotTaken = {
  readonly subscription: string;
  /** `rule 'mail' wants sys.Label = 'placed', and sys.Label is 'Placed'`. */
  readonly why: string;
};

const MOST_RULES = 3;
const MOST_SUBSCRIPTIONS = 3;

/** The subscriptions with rules of which none matches the message now. Empty if that cannot be said, such as for a topic that is gone. */
export async function notTakenBy(
  engine: Pick<Engine, 'ask'>,
  topicName: string,
  content: Uint8Array,
): Promise<readonly NotTaken[]> {
  const result = await engine.ask({ kind: 'test-rules', topicName, message: readMessage(content) });
  if (result.kind !== 'tested-rules') return [];
  const bySubscription = new Map<string, TestedRule[]>();
  for (const rule of result.rules) {
    const { subscriptionName } = rule;
    bySubscription.set(subscriptionName, [...(bySubscription.get(subscriptionName) ?? []), rule]);
  }
  return [...bySubscription].flatMap(([subscription, rules]) => {
    if (rules.some(({ outcome }) => outcome.kind !== 'not-matched')) return [];
    const more = rules.length - MOST_RULES;
    const said = rules.slice(0, MOST_RULES).map(wordsOf);
    return { subscription, why: [...said, ...(more > 0 ? [`and so on, ${more} more`] : [])].join('; ') };
  });
}

function wordsOf({ ruleName, filter }: TestedRule): string {
  const values = [...new Set(deciding(filter).map(({ because }) => because))].filter((text) => text !== '');
  const there = values.length === 0 ? '' : `, and ${values.join(', ')}`;
  return `rule '${ruleName}' wants ${filter.text}${there}`;
}

/** The innermost parts by which a filter is not true. */
function deciding(part: FilterPart): readonly FilterPart[] {
  if (part.parts.length === 0) return [part];
  const failing = part.parts.filter(({ outcome }) => outcome !== 'true' && outcome !== 'skipped');
  // A NOT fails because its only part is true.
  return (failing.length > 0 ? failing : part.parts).flatMap(deciding);
}

/** A sentence for the log about a message that no subscription took; empty if there is nothing to say. */
export async function noneTook(
  engine: Pick<Engine, 'ask'>,
  topicName: string,
  content: Uint8Array,
): Promise<string> {
  const all = await notTakenBy(engine, topicName, content);
  return all.length === 0 ? '' : ` Not taken by ${inWords(all)}.`;
}

/** The first subscriptions, each with its rules, and the number of the others. */
function inWords(all: readonly NotTaken[]): string {
  const more = all.length - MOST_SUBSCRIPTIONS;
  const said = all.slice(0, MOST_SUBSCRIPTIONS).map(({ subscription, why }) => `'${subscription}' (${why})`);
  if (more > 0) said.push(`${more} others`);
  return said.join(', ');
}

/** Writes a line for each message that not all subscriptions of its topic have taken, until the returned function is called. */
export function writeNotTaken(
  activity: ActivityStream,
  engine: Pick<Engine, 'ask'>,
  write: (text: string, message: NotTakenMessage) => void,
): () => void {
  return activity.observe((kind, read, content) => {
    if (kind !== 'accepted' || content === undefined) return;
    const record = read();
    if (record.kind !== 'accepted') return;
    const { path, sequenceNumber } = record;
    notTakenBy(engine, path, Uint8Array.from(content)).then(
      (all) => {
        if (all.length === 0) return;
        const text = `'${path}' #${sequenceNumber} was not taken by ${inWords(all)}.`;
        write(text.replaceAll('\n', '\\n'), { ...record, kind: 'not-taken' });
      },
      // The emulator has ended meanwhile.
      () => {},
    );
  });
}
