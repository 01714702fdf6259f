// Makes the handles of entities. A handle is only a name; each call looks the entity up again.

import { storePathOf, subscriptionPathOf } from '../broker/contract/entities/entity-path.js';
import type {
  EmulatorMessages,
  EmulatorQueue,
  EmulatorSubscription,
  EmulatorTopic,
} from './emulator-entities.js';
import { countsOf, listMessages, type Place, purge } from './list-messages.js';
import type { LookContext } from './look-context.js';
import { waitForMessages } from './wait-for-messages.js';

export function queueHandle(context: LookContext, name: string): EmulatorQueue {
  checkName('queue', name);
  return receivingHandle(context, 'queue', name.toLowerCase()); // ENT-02
}

export function subscriptionHandle(context: LookContext, topic: string, name: string): EmulatorSubscription {
  checkName('topic', topic);
  checkName('subscription', name);
  return receivingHandle(context, 'subscription', subscriptionPathOf(topic.toLowerCase(), name));
}

export function topicHandle(context: LookContext, name: string): EmulatorTopic {
  checkName('topic', name);
  const path = name.toLowerCase();
  const place: Place = { kind: 'topic', entityPath: path, path };
  return {
    ...messagesHandle(context, place),
    counts: () => countsOf(context, place),
    subscription: (subscription) => subscriptionHandle(context, name, subscription),
  };
}

/** Throws a TypeError for a name that is not a string: a program without types may pass undefined. */
function checkName(what: Place['kind'], name: unknown): void {
  if (typeof name === 'string') return;
  throw new TypeError(`The name of a ${what} must be a string, not ${String(name)}.`);
}

function receivingHandle(context: LookContext, kind: Place['kind'], entityPath: string): EmulatorQueue {
  const place: Place = { kind, entityPath, path: entityPath };
  const deadLetterQueue = messagesHandle(context, { ...place, path: storePathOf(entityPath, 'dead-letter') });
  return {
    ...messagesHandle(context, place),
    deadLetterQueue,
    counts: () => countsOf(context, place),
    deadLetters: (query) => deadLetterQueue.messages(query),
  };
}

function messagesHandle(context: LookContext, place: Place): EmulatorMessages {
  return {
    path: place.path,
    messages: (query) => listMessages(context, place, query),
    waitFor: (wanted, options) => waitForMessages(context, place, wanted, options),
    purge: () => purge(context, place),
  };
}
