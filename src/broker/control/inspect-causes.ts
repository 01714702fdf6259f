// Shows what needs somebody's attention and is in the state of entities: dead letters by reason, entities that are full, and messages
// that their destination refuses.

import type { InspectedCauses } from '../contract/inspection.js';
import type { Instant } from '../contract/instant.js';
import { sizeLimitOf } from '../queue/send-check.js';
import type { MessageStore } from '../store/queue.js';
import { transferLogOf } from '../topics/transfer-log.js';
import { inNamespace } from '../turn/handler.js';

/** Dead letters that one command counts: in about 50 ms if all have different texts. */
const MOST_COUNTED = 10_000;

/** Walks over all stores, and over their messages only until all dead letters are counted. */
export const INSPECT_CAUSES = inNamespace(
  () => undefined,
  (_check, _command, { namespace, limits, messageReader }, { now }) => {
    const stores = [...namespace.stores()];
    const deadLetterQueues = stores.filter(({ isDeadLetterQueue }) => isDeadLetterQueue);
    let left = MOST_COUNTED;
    for (const store of deadLetterQueues) {
      left -= store.deadLetterGroups(messageReader).countOn(left);
      if (left === 0) return { kind: 'inspected-causes', causes: undefined };
    }
    const deadLetters = deadLetterQueues.flatMap((store) =>
      store
        .deadLetterGroups(messageReader)
        .list()
        .map((group) => ({
          path: store.queue.main.path,
          isTransfer: store.kind === 'transfer-dead-letter',
          ...group,
        })),
    );
    const full = namespace.topLevel.flatMap((queue) => {
      const { main, sizeBytes, accessedTime } = queue;
      const limitBytes = sizeLimitOf(queue, limits);
      return sizeBytes < limitBytes ? [] : [{ path: main.path, sizeBytes, limitBytes, accessedTime }];
    });
    const waiting = stores.flatMap((store) => waitingIn(store, now));
    return { kind: 'inspected-causes', causes: { deadLetters, full, waiting } };
  },
);

function waitingIn(store: MessageStore, now: Instant): InspectedCauses['waiting'] {
  const { log, queue, forwardsTo: destination, isDeadLetterQueue } = store;
  const { path } = queue.main;
  const transfers = transferLogOf(store);
  if (transfers !== undefined) {
    return transfers.all().flatMap((waiting) => {
      const enqueuedTime = waiting.log.firstAvailableFrom(0)?.enqueuedTime;
      if (enqueuedTime === undefined) return [];
      const { count } = waiting.log;
      return [{ path, isDeadLetter: false, destination: waiting.destination, count, enqueuedTime }];
    });
  }
  if (!isDeadLetterQueue || destination === undefined || store.retryAt <= now) return [];
  const enqueuedTime = log.firstAvailableFrom(0)?.enqueuedTime;
  if (enqueuedTime === undefined) return [];
  return [{ path, isDeadLetter: true, destination, count: log.availableCount, enqueuedTime }];
}
