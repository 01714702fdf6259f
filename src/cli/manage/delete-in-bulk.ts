// Deletes active messages of another service that need not be chosen one by one: in bulk, or as the service hands them out.

import type { MessageReceiver } from '../../client/message-receiver.js';
import { isOfKind, JitneyError } from '../../jitney-error.js';
import type { Taking } from './take-messages.js';

const AT_ONCE = 500;
const WAIT_MS = 5000;

/**
 * Deletes active and deferred messages that are not locked, and were enqueued before this time, if one is given. Resolves with false if the service deletes
 * nothing in bulk here, as in a partitioned entity of Azure.
 */
export async function deleteOldest(taking: Taking, enqueuedBefore: number | undefined): Promise<boolean> {
  const { client, path, tally, interrupted, onProgress } = taking;
  const manager = await client.openManager(path);
  let isPossible = false;
  try {
    for (let count = -1; count !== 0 && !interrupted.aborted; isPossible = true) {
      count = await manager.deleteOldest(enqueuedBefore);
      tally.done += count;
      onProgress();
    }
    return true;
  } catch (error) {
    if (isOfKind(error, 'refused') && !isPossible) return false;
    throw error;
  }
}

/** Receives and deletes all active messages. Resolves with false if the entity requires sessions. */
export async function receiveAndDelete(taking: Taking): Promise<boolean> {
  const { client, path } = taking;
  try {
    const receiver = await client.openReceiver(path, { mode: 'receive-and-delete', session: undefined });
    await drain(taking, receiver);
    return true;
  } catch (error) {
    if (isOfKind(error, 'needs-session')) return false;
    throw withTopicHelp(error);
  }
}

/** Nobody can receive from a topic; the words of the refusal differ. */
function withTopicHelp(error: unknown): unknown {
  if (!isOfKind(error, 'refused') && !isOfKind(error, 'no-entity')) return error;
  const help =
    'If it is a topic, name its subscriptions, or take only what it has scheduled:  --state scheduled';
  return new JitneyError(error.kind, error.message, { problems: [help], cause: error });
}

async function drain({ interrupted, tally, onProgress }: Taking, receiver: MessageReceiver): Promise<void> {
  for (let isMore = true; isMore && !interrupted.aborted; ) {
    let count = 0;
    for await (const _ of receiver.receive(AT_ONCE, WAIT_MS, interrupted)) count += 1;
    isMore = count === AT_ONCE;
    tally.done += count;
    onProgress();
  }
  await receiver.close();
}
