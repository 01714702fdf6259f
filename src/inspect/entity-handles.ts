// Makes the handles of entities. A handle is only a name; each call looks the entity up again.

import { storePathOf, subscriptionPathOf } from '../broker/contract/entities/entity-path.js';
import type {
  EmulatorMessages,
  EmulatorQueue,
  EmulatorSubscription,
  EmulatorTopic,
  GivenForEntity,
  ReceivedEmulatorMessage,
} from './emulator-entities.js';
import { type EntityLook, LOOK } from './entity-look.js';
import { checkKeys } from './given-options.js';
import { countsOf, listMessages, type Place, purge } from './list-messages.js';
import { type LookContext, lookErrorOf } from './look-context.js';
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
  const handle = {
    ...messagesHandle(context, place),
    send: (given: GivenForEntity | readonly GivenForEntity[]) => send(context, place, given),
    counts: () => countsOf(context, place),
    subscription: (subscription: string) => subscriptionHandle(context, name, subscription),
  };
  return withLook(handle, context, place);
}

/** Throws a TypeError for a name that is not a string: a program without types may pass undefined. */
function checkName(what: Place['kind'], name: unknown): void {
  if (typeof name === 'string') return;
  throw new TypeError(`The name of a ${what} must be a string, not ${String(name)}.`);
}

function receivingHandle(context: LookContext, kind: Place['kind'], entityPath: string): EmulatorQueue {
  const place: Place = { kind, entityPath, path: entityPath };
  const deadPlace: Place = { ...place, path: storePathOf(entityPath, 'dead-letter') };
  const deadLetterQueue = withLook(messagesHandle(context, deadPlace), context, deadPlace);
  const handle: EmulatorQueue = {
    ...messagesHandle(context, place),
    deadLetterQueue,
    send: (given) => send(context, place, given),
    receive: (options) => receive(context, place, options),
    counts: () => countsOf(context, place),
    deadLetters: (query) => deadLetterQueue.messages(query),
  };
  return withLook(handle, context, place, deadLetterQueue.messages);
}

function messagesHandle(context: LookContext, place: Place): EmulatorMessages {
  return {
    path: place.path,
    messages: (query) => listMessages(context, place, query),
    waitFor: (wanted, options) => waitForMessages(context, place, wanted, options),
    purge: () => purge(context, place),
  };
}

/** Adds what matchers see, where neither a list of the handle's names nor a print of it shows it. */
function withLook<Handle extends EmulatorMessages>(
  handle: Handle,
  context: LookContext,
  place: Place,
  deadLetters?: EntityLook['deadLetters'],
): Handle {
  const look: EntityLook = {
    ...place,
    emulator: context.look,
    counts: () => countsOf(context, place),
    messages: (query) => listMessages(context, place, query),
    deadLetters,
  };
  return Object.defineProperty(handle, LOOK, { value: look });
}

async function send(
  context: LookContext,
  { entityPath }: Place,
  given: GivenForEntity | readonly GivenForEntity[],
): Promise<readonly number[]> {
  context.waits.check();
  try {
    return await context.arrange.send(entityPath, Array.isArray(given) ? given : [given]);
  } catch (error) {
    throw await lookErrorOf(error, context);
  }
}

async function receive(
  context: LookContext,
  { path }: Place,
  options?: { readonly timeoutMs?: number },
): Promise<ReceivedEmulatorMessage | undefined> {
  checkKeys('receive', options, ['timeoutMs']);
  const { timeoutMs = 0 } = options ?? {};
  context.waits.check();
  try {
    return await context.arrange.receive(path, timeoutMs);
  } catch (error) {
    throw await lookErrorOf(error, context);
  }
}
