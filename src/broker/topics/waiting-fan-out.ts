// Goes on with the fan-out of messages that wait in a topic, in the order in which it has accepted them (TOP-15).

import { assert } from '../contract/assert.js';
import { NEVER } from '../contract/instant.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { MessageStore } from '../store/queue.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import { asArrived, noteUnmatched } from './fan-out.js';
import { type FanOutInProgress, MessageFanOut } from './message-fan-out.js';
import { type CopiedMessage, storeCopies } from './store-copies.js';
import { type Topic, topicOf } from './topic.js';

/** Makes as many copies as the turn has room for. How far they go is durable with them. */
export function continueFanOut(store: MessageStore, parts: BrokerParts, turn: TurnInProgress): void {
  const topic = topicOf(store.queue);
  assert(topic !== undefined, 'only a topic sends copies to subscriptions');
  const isDue = store.forwardAt <= turn.now || store.forwardAt === NEVER; // never: after a restart
  if (store.log.count > 0 && !isDue) return;
  if (store.log.count > 0) store.queue.used(turn.now); // IDL-03: it was in use until now
  const copied: CopiedMessage[] = [];
  const complete: StoredMessage[] = [];
  const roomAfter = Math.max(0, turn.room - turn.behaviour.maxFanOutCost);
  while (turn.room > roomAfter) {
    const next = nextOf(topic, parts);
    if (next === undefined) break;
    const advanced = advance(topic, next, turn.room - roomAfter, parts, turn);
    if (advanced === undefined) break; // the turn is about to make dead letters of the message
    if (advanced.copies.length > 0) copied.push(advanced);
    if (next.messageFanOut.isComplete) complete.push(next.message);
  }
  storeCopies(store.queue, copied, parts.limits, turn);
  for (const message of complete) {
    store.queue.removed(message);
    turn.contentUnreferenced(message);
  }
  store.forwardAt = store.log.count === 0 ? NEVER : turn.now + 1;
}

/** The message whose fan-out has begun, unless it has left the store since, or the one that was accepted first. */
function nextOf(topic: Topic, { fanOuts }: BrokerParts): FanOutInProgress | undefined {
  const { log } = topic.waiting;
  const begun = fanOuts.get(topic);
  if (begun !== undefined && log.find(begun.message.sequenceNumber) === begun.message) return begun;
  const message = log.takeFirst();
  if (message === undefined) return undefined;
  const next = { message, messageFanOut: new MessageFanOut(topic, message.details?.copiedTo) };
  fanOuts.set(topic, next);
  return next;
}

/** Returns the copies that are to be stored; undefined if the content of the message cannot be read. */
function advance(
  topic: Topic,
  { message, messageFanOut }: FanOutInProgress,
  allowance: number,
  parts: BrokerParts,
  turn: TurnInProgress,
): CopiedMessage | undefined {
  const { waiting: store } = topic;
  const content = parts.loadContent(store, message, turn);
  if (content === undefined) return undefined;
  const { sessionId, properties } = parts.messageReader.read(content);
  const { sequenceNumber, enqueuedTime, expiresAt, contentId, sizeBytes, wasScheduled } = message;
  const timeToLiveMs = expiresAt - enqueuedTime;
  const stored = { sequenceNumber, enqueuedTime, contentId, sizeBytes, wasScheduled };
  const accepted = { ...stored, metadata: message.metadata, sessionId, timeToLiveMs };
  const arrived = asArrived(accepted, () => properties, parts.messageReader);
  turn.changed(messageFanOut.advance(arrived, allowance, parts));
  if (messageFanOut.isComplete) {
    store.remove(message);
    turn.messageRemoved(store, message);
    if (!messageFanOut.hasCopies) noteUnmatched(topic, accepted, turn);
  } else {
    message.setCopiedTo(messageFanOut.copiedTo);
    turn.messagePut(store, message);
  }
  return { accepted, copies: messageFanOut.takeCopies() };
}

/** TOP-15: throws while copies wait, for which the rules at their acceptance hold. */
export function checkFanOutComplete({ waiting, description }: Topic): void {
  const { count } = waiting.log;
  if (count === 0) return;
  const text =
    `The rules of topic '${description.name}' cannot change now: copies of ${count} messages that it has accepted are still ` +
    'being made by them. Try again in a few seconds.';
  throw new ServiceBusError('server-busy', text, { entityPath: description.name, value: count });
}
