// All that is known of an entity at one moment: its messages, and what has happened to them since the test began.

import type { EmulatorCounts } from '../inspect/emulator-entities.js';
import type { EntityLook } from '../inspect/entity-look.js';
import { isOfKind } from '../jitney-error.js';
import type { ActivityRecord } from '../watch/activity-record.js';
import type { SeenMessage } from './compare.js';

/** A message that has left its entity, or a topic; `message` is undefined if its content is no longer known. */
export type Gone = {
  readonly sequenceNumber: number;
  readonly message: SeenMessage | undefined;
  readonly record: ActivityRecord;
};

export type Sight = {
  /** `queue 'orders'`. */
  readonly label: string;
  readonly path: string;
  /** Undefined while the entity does not exist; then `missing` says so, with a similar name. */
  readonly counts: EmulatorCounts | undefined;
  readonly missing: string | undefined;
  /** The number of messages in the store of the handle, in all states, and of those that are locked. */
  readonly count: number;
  readonly lockedCount: number;
  /** At most 10,000 each; none if only the counts were wanted. */
  readonly messages: readonly SeenMessage[];
  readonly deadLetters: readonly SeenMessage[];
  /** Whether there are more of one or the other. */
  readonly isCut: boolean;
  /** The things that have happened in the entity since the test began. Read when they are needed: there may be 10,000. */
  records(): readonly ActivityRecord[];
  /** Completed, or received and deleted, in this order. */
  completed(): readonly Gone[];
  /** Whether nothing is missing in the records. */
  readonly isKnown: boolean;
  messageOf(path: string, sequenceNumber: number): SeenMessage | undefined;
};

const MAX_MESSAGES = 10_000;

type SightOptions = {
  /** When the test began, by the machine's clock; undefined if nobody knows: then all records count. */
  readonly begin: number | undefined;
  /** Whether the messages are wanted, and not only the counts. */
  readonly hasMessages: boolean;
};

/** Rejects with a JitneyError if the emulator has ended, or the entity is of another kind. */
export async function see(look: EntityLook, { begin, hasMessages }: SightOptions): Promise<Sight> {
  const { emulator, path, entityPath } = look;
  const isDeadLetterQueue = path !== entityPath;
  let missing: string | undefined;
  const counts = await look.counts().catch((error: unknown) => {
    if (!isOfKind(error, 'entity-not-found')) throw error;
    missing = error.message;
    return undefined;
  });
  const isRead = hasMessages && counts !== undefined;
  const messages = isRead ? await look.messages({ max: MAX_MESSAGES }) : [];
  const deadLetters = isRead ? await look.deadLetters?.({ max: MAX_MESSAGES }) : [];
  const locked =
    isDeadLetterQueue && counts !== undefined ? await look.messages({ state: 'locked' }) : undefined;
  const messageOf = (of: string, number: number) => emulator.messageOf(of, number) as SeenMessage | undefined;
  const own = path.toLowerCase();
  let found: readonly ActivityRecord[] | undefined;
  const records = () => {
    found ??= recordsOf(look, begin);
    return found;
  };
  return {
    label: labelOf(look),
    path,
    counts,
    missing,
    count: counts === undefined ? 0 : isDeadLetterQueue ? counts.deadLetter : countIn(counts),
    lockedCount: locked?.length ?? counts?.locked ?? 0,
    messages,
    deadLetters: isDeadLetterQueue ? messages : (deadLetters ?? []),
    isCut: messages.length === MAX_MESSAGES || deadLetters?.length === MAX_MESSAGES,
    records,
    completed: () =>
      records().flatMap((record) => {
        const isEnd = record.kind === 'completed' || record.kind === 'consumed';
        if (!isEnd || record.path.toLowerCase() !== own) return [];
        const { sequenceNumber } = record;
        return [{ sequenceNumber, message: messageOf(record.path, sequenceNumber), record }];
      }),
    isKnown: (begin ?? Number.NEGATIVE_INFINITY) >= emulator.recordedSince,
    messageOf,
  };
}

function countIn({ active, locked, scheduled, deferred }: EmulatorCounts): number {
  return active + locked + scheduled + deferred;
}

export function labelOf({ kind, path, entityPath }: EntityLook): string {
  const name = kind === 'subscription' ? entityPath.replace(/\/Subscriptions\//i, '/') : entityPath;
  return path === entityPath ? `${kind} '${name}'` : `dead-letter queue of '${name}'`;
}

/** The records of the entity and its dead-letter queue; of a topic also of what its subscriptions got. */
function recordsOf({ kind, entityPath, emulator }: EntityLook, begin: number | undefined): ActivityRecord[] {
  const own = entityPath.toLowerCase();
  const deadLetters = `${own}/$deadletterqueue`;
  const copies = `${own}/subscriptions/`;
  return emulator.records().filter((record) => {
    if (!('path' in record) || record.path === undefined || record.kind === 'refused') return false;
    const path = record.path.toLowerCase();
    const isOwn = path === own || path === deadLetters;
    const isCopy = kind === 'topic' && record.kind === 'routed' && path.startsWith(copies);
    return (isOwn || isCopy) && (begin === undefined || emulator.machineTimeOf(record) >= begin);
  });
}
