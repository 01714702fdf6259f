// Peeks at messages by number, and shows them to browsers. Nothing is locked, counted or expired (PEEK-01 to PEEK-05).

import type { FoundMessage, Result } from '../contract/result.js';
import { ServiceBusError } from '../contract/service-bus-error.js';
import type { Browser } from '../store/browser.js';
import type { MessageStore } from '../store/queue.js';
import type { Examine } from '../store/selector-cursor.js';
import { requireSessions } from '../store/session-claim.js';
import type { StoredMessage } from '../store/stored-message.js';
import type { BrokerParts } from '../turn/broker-parts.js';
import { type CommandOf, inStore } from '../turn/handler.js';
import type { TurnInProgress } from '../turn/turn-in-progress.js';
import type { GivenCredit } from './dispatcher.js';
import { Examiner, type ExaminerParts } from './examine.js';

/** The bytes of a message in an answer besides its content. */
const OVERHEAD_BYTES = 128;

export const PEEK = inStore(checkPeek, applyPeek);

function checkPeek(store: MessageStore, { maxCount, sessionId }: CommandOf<'peek'>): void {
  if (!(maxCount >= 1)) {
    const text = `The number of messages to peek is ${maxCount}; it must be 1 or more.`;
    const data = { entityPath: store.path, property: 'maxCount', value: maxCount, least: 1 };
    throw new ServiceBusError('argument-out-of-range', text, data);
  }
  if (sessionId !== undefined) requireSessions(store);
}

function applyPeek(
  store: MessageStore,
  _change: unknown,
  { fromSequenceNumber, maxCount, sessionId }: CommandOf<'peek'>,
  { limits }: BrokerParts,
): Result {
  const limit = Math.min(maxCount, limits.maxPeekCount);
  const messages: FoundMessage[] = [];
  let remainingBytes = limits.maxPeekBytes;
  // By number (PEEK-01), so partition by partition (PEEK-11), in any state (PEEK-03), deferred messages too (DEF-08).
  for (const message of messagesFrom(store, sessionId, Math.max(0, fromSequenceNumber))) {
    remainingBytes -= message.sizeBytes + message.changedBytes + OVERHEAD_BYTES;
    if (messages.length > 0 && remainingBytes < 0) break; // PEEK-02
    // PEEK-04: as it is: not locked, not counted, not expired
    messages.push({
      contentId: message.contentId,
      storeId: store.id,
      properties: message.properties(store.partitionIdOf(message)),
      lockToken: undefined, // PEEK-05, SET-13
      lockedUntil: undefined,
    });
    if (messages.length >= limit) break;
  }
  return { kind: 'messages', messages };
}

/** PEEK-08: the messages of one session, held or not, or of all sessions. */
function messagesFrom(
  store: MessageStore,
  sessionId: string | undefined,
  sequenceNumber: number,
): Iterable<StoredMessage> {
  // PEEK-07: a topic shows its scheduled messages; PEEK-06: a subscription has none.
  if (sessionId === undefined) return store.log.from(sequenceNumber);
  return store.sessions?.find(sessionId)?.from(sequenceNumber) ?? [];
}

/** Shows messages to the browsers of a store, before a receiver takes them. */
export function showToBrowsers(store: MessageStore, parts: ExaminerParts, turn: TurnInProgress): void {
  for (const browser of store.browsers) show(store, browser, parts, turn);
}

export function giveBrowserCredit(
  store: MessageStore,
  browser: Browser,
  { deliveryLimit, drain }: GivenCredit,
  parts: ExaminerParts,
  turn: TurnInProgress,
): void {
  store.queue.used(turn.now);
  browser.credit = Math.max(0, deliveryLimit - browser.usedCredit);
  browser.isDraining = drain;
  show(store, browser, parts, turn);
  if (browser.isUnfinished) turn.touch(store); // the next turn continues
}

/** CRD-02: so the client learns that there are no more messages. */
function answerDrain(browser: Browser, turn: TurnInProgress): void {
  browser.isDraining = false;
  browser.usedCredit += browser.credit;
  browser.credit = 0;
  const { linkId, usedCredit: deliveredCount } = browser;
  turn.effects.push({ kind: 'drained', linkId, deliveredCount });
}

/** JMS-38: a drain is answered when there is nothing more to show. */
function show(store: MessageStore, browser: Browser, parts: ExaminerParts, turn: TurnInProgress): void {
  const { linkId, filter } = browser;
  const examiner = filter && new Examiner(store, parts, turn);
  const examine: Examine = (message) =>
    examiner?.takes(filter, message) ?? (filter === undefined || undefined);
  browser.isUnfinished = false;
  while (browser.credit > 0) {
    const message = browser.next(turn.now, examine);
    if (message === undefined) break;
    browser.credit -= 1;
    browser.usedCredit += 1;
    store.queue.used(turn.now);
    const properties = message.properties(store.partitionIdOf(message));
    const delivery = {
      contentId: message.contentId,
      storeId: store.id,
      properties,
      lockToken: undefined,
      lockedUntil: undefined,
    };
    turn.effects.push({ kind: 'deliver', linkId, delivery });
  }
  if (browser.isDraining && !browser.isUnfinished) answerDrain(browser, turn);
}
