// Says which messages a receiver that has gone leaves locked: nobody completes them, and they are not to be had until their locks end.

import type { InspectedLock } from '../broker/contract/inspection.js';
import type { Engine } from '../engine/engine.js';
import type { StartTimer } from '../engine/timer.js';
import type { RecordOf } from '../watch/activity-record.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import { clientWithConnection } from '../watch/activity-text.js';
import { shortDuration } from '../watch/record-kinds.js';
import { type Repeated, RepeatedLines } from '../watch/repeated-lines.js';

/** So many locks of an entity are looked through; the entity's other ones are left out. */
const MAX_LOCKS = 1000;

type Detached = RecordOf<'link-detached'>;
type Line = { readonly record: Detached; readonly text: string };
type LeftLockedOptions = {
  readonly write: (text: string, record: Detached) => void;
  /** Ends the time in which the receivers of one connection have no other line about an entity. */
  readonly startTimer: StartTimer;
};

/** Writes a line for each receiver that goes and leaves messages locked, until the returned function is called. */
export function writeLeftLocked(
  activity: ActivityStream,
  engine: Pick<Engine, 'ask'>,
  { write, startTimer }: LeftLockedOptions,
): () => void {
  const lines = new RepeatedLines<Line>(startTimer);
  const say = ({ last: { text, record }, count }: Repeated<Line>) => {
    const more = count === 1 ? '' : ` (and ${count - 1} more receivers since the last line)`;
    write(text.replaceAll('\n', '\\n') + more, record);
  };
  let waiting = new Map<string, Detached[]>();
  const look = () => {
    const all = waiting;
    waiting = new Map();
    for (const [entityPath, records] of all) {
      const page = { fromSequenceNumber: 0, maxCount: MAX_LOCKS };
      engine.ask({ kind: 'inspect-locks', entityPath, ...page }).then(
        (result) => {
          if (result.kind !== 'inspected-locks') return;
          const locksOf = new Map<number | undefined, InspectedLock[]>();
          for (const lock of result.locks) if (!lock.isInTransaction) addTo(locksOf, lock.linkId, lock);
          for (const record of records) {
            const left = locksOf.get(record.linkId);
            if (left === undefined) continue;
            const key = `${record.client?.connectionId} ${record.path}`;
            lines.add(key, { record, text: sentenceOf(record, left) }, { gathers: false, write: say });
          }
        },
        // The emulator has ended meanwhile.
        () => {},
      );
    }
  };
  const end = activity.observe((kind, read) => {
    if (kind !== 'link-detached') return;
    const record = read();
    if (record.kind !== 'link-detached' || record.linkId === undefined) return;
    // The links of a connection that ends are detached at once, and looked for together.
    if (waiting.size === 0) setImmediate(look);
    addTo(waiting, record.path, record);
  });
  return () => {
    end();
    lines.discard();
  };
}

function addTo<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

function sentenceOf(record: Detached, locks: readonly InspectedLock[]): string {
  const first = locks.reduce((one, other) => (other.sequenceNumber < one.sequenceNumber ? other : one));
  const last = Math.max(...locks.map(({ lockedUntil }) => lockedUntil));
  const who =
    record.client === undefined ? 'Its receiver' : `Its receiver, ${clientWithConnection(record.client)},`;
  const left = shortDuration(Math.max(0, last - record.time));
  if (locks.length === 1) {
    const delivery = `delivery ${first.deliveryCount + 1}`;
    return `'${record.path}' #${first.sequenceNumber} was received and not settled (${delivery}). ${who} has gone, and the message stays locked for ${left}.`;
  }
  const count = `${locks.length} messages of '${record.path}' were received and not settled, first #${first.sequenceNumber}`;
  return `${count}. ${who} has gone, and they stay locked for ${left}.`;
}
