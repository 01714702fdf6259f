// Receivers in the reference model: links and credit, the sessions they hold (semantics E.3), the message that is
// next, and browsers (PEEK-12).

import type { Command, SessionClaim } from '../../src/broker/contract/command.js';
import { MESSAGE_STATE } from '../../src/broker/contract/message-properties.js';
import { isFull, maxSize, mayReceive, maySend } from './reference-send.js';
import {
  type CommandOf,
  copyMessage,
  DONE,
  destinationOf,
  dropLink,
  type ExpectedMessage,
  type ExpectedResult,
  failed,
  happened,
  isDeadLetterQueue,
  isSessionStore,
  type ModelHold,
  type ModelLink,
  type ModelMessage,
  type ModelQueue,
  type ModelState,
  type ModelTurn,
  PARTITION_SIZE,
  PARTITIONS,
  type Place,
  pathOf,
  queueOf,
  release,
  remove,
  returnCounted,
  sweepQueue,
  type Target,
} from './reference-state.js';
import { isSelected, refusalsOfSelector } from './selectors.js';

/** The partitions of a store take turns (PEEK-11). */
function takeFirst(queue: ModelQueue, place: Place): ModelMessage | undefined {
  if (!queue.description.enablePartitioning) return firstOf(queue, place, () => true);
  for (let step = 0; step < PARTITIONS; step++) {
    const partition = (queue.turns[place] + step) % PARTITIONS;
    const first = firstOf(queue, place, ({ number }) => Math.floor(number / PARTITION_SIZE) === partition);
    if (first === undefined) continue;
    queue.turns[place] = (partition + 1) % PARTITIONS;
    return first;
  }
  return undefined;
}

/** SES-05. */
export function firstOfSession(queue: ModelQueue, sessionId: string): ModelMessage | undefined {
  return firstOf(queue, 'main', (message) => message.sessionId === sessionId);
}

function firstOf(
  { messages }: ModelQueue,
  place: Place,
  isMeant: (message: ModelMessage) => boolean,
): ModelMessage | undefined {
  let first: ModelMessage | undefined;
  for (const message of messages) {
    if (message.place !== place || message.state !== MESSAGE_STATE.active || !isMeant(message)) continue;
    if (message.lock === undefined && message.number < (first?.number ?? Number.POSITIVE_INFINITY)) {
      first = message;
    }
  }
  return first;
}

export function isHeld({ name }: ModelQueue, sessionId: string, { holds }: ModelState): boolean {
  return holds.some((hold) => hold.queueName === name && hold.sessionId === sessionId);
}

export function findHold(
  claim: SessionClaim,
  queue: ModelQueue,
  { state }: ModelTurn,
): ModelHold | undefined {
  return state.holds.find((one) => isClaimed(one, claim, queue));
}

function isClaimed(
  { queueName, sessionId, connectionId }: ModelHold,
  claim: SessionClaim,
  { name }: ModelQueue,
): boolean {
  return queueName === name && sessionId === claim.sessionId && connectionId === claim.connectionId;
}

/** Why the claim is worth nothing here; none when it holds (X13). */
export function refusalsOfClaim(claim: SessionClaim, target: Target, turn: ModelTurn): readonly string[] {
  if (!isSessionStore(target)) return ['not-allowed'];
  if (findHold(claim, target.queue, turn) !== undefined) return [];
  const isFormer = turn.state.pastHolds.some((one) => isClaimed(one, claim, target.queue));
  const isOthers = isHeld(target.queue, claim.sessionId, turn.state);
  const who = isFormer ? 'X13' : 'claim of somebody who never held it';
  happened(isOthers ? `${who}, held by another` : `${who}, free`, turn);
  return ['session-lock-lost'];
}

/** SES-04. */
export function hold(
  queue: ModelQueue,
  sessionId: string,
  { id: linkId, connectionId, mode }: Pick<ModelLink, 'id' | 'connectionId' | 'mode'>,
  { now, state, expected }: ModelTurn,
): void {
  if (connectionId === undefined) throw new Error('a session was given to nobody');
  const until = now + queue.description.lockDurationMs;
  const runsOut = mode === 'peek-lock';
  state.holds.push({ queueName: queue.name, sessionId, linkId, connectionId, runsOut, until });
  expected.effects.push({ kind: 'session-accepted', linkId, sessionId, lockedUntil: until });
}

/** X4, SES-08: the longest waiting one gets the session with the earliest first message. */
export function grantSessions(turn: ModelTurn): void {
  const { state } = turn;
  for (const linkId of [...state.waiting]) {
    const link = state.links.find((one) => one.id === linkId);
    if (link?.connectionId === undefined) throw new Error('nobody waits');
    const queue = queueOf(link, state);
    const first = firstReady(queue, turn);
    if (first?.sessionId === undefined) continue;
    happened('X4', turn);
    state.waiting = state.waiting.filter((one) => one !== linkId);
    hold(queue, first.sessionId, link, turn);
  }
}

function firstReady(queue: ModelQueue, { state }: ModelTurn): ModelMessage | undefined {
  const sessionIds = new Set(queue.messages.map(({ sessionId }) => sessionId ?? ''));
  const firsts = [...sessionIds]
    .filter((sessionId) => !isHeld(queue, sessionId, state))
    .map((sessionId) => firstOfSession(queue, sessionId))
    .filter((message) => message !== undefined);
  firsts.sort((a, b) => a.enqueuedTime - b.enqueuedTime || a.number - b.number);
  return firsts[0];
}

/** X11, SES-13: all that end now end together, and their holders listen to the last (SES-18). */
export function expireSessionLocks(turn: ModelTurn): void {
  const { state } = turn;
  const due = state.holds.filter(({ runsOut, until }) => runsOut && until <= turn.now);
  for (const { queueName, sessionId } of due) {
    happened('X11', turn);
    const queue = queueOf({ queueName }, state);
    for (const message of lockedOf(queue, sessionId)) {
      happened('M13', turn);
      happened(message.state === MESSAGE_STATE.deferred ? 'X11 deferred out' : 'X11 active out', turn);
      returnCounted(queue, message, [], turn);
    }
  }
  for (const ended of due) sweepQueue(queueOf(ended, state), 'M12', turn);
  for (const { linkId } of due) {
    dropLink(linkId, state);
    turn.expected.effects.push({ kind: 'detach', linkId, reason: 'session-lock-lost' });
  }
}

/** X12, SES-14: of a link that is about to go; it may be one that waits, or has nothing to do with sessions. */
function giveUpSession(linkId: number, turn: ModelTurn): void {
  const { holds, waiting } = turn.state;
  if (waiting.includes(linkId)) happened('waiter detached', turn);
  const ended = holds.find((one) => one.linkId === linkId);
  if (ended === undefined) return;
  happened('X12', turn);
  const queue = queueOf(ended, turn.state);
  for (const message of lockedOf(queue, ended.sessionId)) {
    happened(message.state === MESSAGE_STATE.deferred ? 'M29' : 'X12 active out', turn);
    release(message, turn);
  }
  sweepQueue(queue, 'M15', turn); // as above
}

/** X2: called when a message of the session is gone. */
export function noteNoLongerReady(queue: ModelQueue, sessionId: string, turn: ModelTurn): void {
  if (!isSessionStore({ queue, place: 'main' }) || isHeld(queue, sessionId, turn.state)) return;
  if (firstOfSession(queue, sessionId) === undefined) happened('X2', turn);
}

/** In order of number. Nobody but the holder has a message of a held session. */
export function lockedOf({ messages }: ModelQueue, sessionId: string): readonly ModelMessage[] {
  return messages
    .filter((one) => one.place === 'main' && one.sessionId === sessionId && one.lock !== undefined)
    .sort((a, b) => a.number - b.number);
}

/** X1: who waited before this turn and has a session now. */
export function noteWaiters(waitedBefore: readonly number[], turn: ModelTurn): void {
  const { holds, waiting } = turn.state;
  for (const linkId of waitedBefore) {
    if (holds.some((one) => one.linkId === linkId)) happened('X1', turn);
  }
  for (const linkId of waiting) if (!waitedBefore.includes(linkId)) happened('X6', turn);
}

export function entity(target: Target, turn: ModelTurn): ExpectedResult {
  const maxMessageSizeBytes = maxSize(target.queue, turn.limits);
  const maxBatchSizeBytes = turn.limits.maxMessageSizeBytes; // LIM-02
  const isTopic = target.queue.kind === 'topic';
  return { kind: 'entity', path: pathOf(target), isTopic, maxMessageSizeBytes, maxBatchSizeBytes };
}

export function attachSender(
  { linkId }: CommandOf<'attach-sender'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const reasons = [
    (isDeadLetterQueue(target.place) || target.queue.kind === 'subscription') && 'not-allowed',
    !maySend(target.queue) && 'entity-disabled',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'sender', mode: 'peek-lock' });
  return entity(target, turn);
}

export function attachReceiver(
  { linkId, receiveMode, keepsLocks = false, selector }: CommandOf<'attach-receiver'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  target.queue.activeAt = turn.now;
  const reasons = refusalsOfReceiver(target, selector, turn);
  if (reasons.length > 0) return failed(...reasons);
  const mode = receiveMode;
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'receiver', mode, keepsLocks, selector });
  return entity(target, turn);
}

/** A receiver without a session. JMS-86: its selector is looked at last. */
function refusalsOfReceiver(
  target: Target,
  selector: string | undefined,
  turn: ModelTurn,
): readonly string[] {
  const reasons = [
    isSessionStore(target) && 'not-allowed',
    isTopic(target) && 'entity-not-found', // RCV-12
    destinationOf(target) !== undefined && 'not-allowed', // RCV-11, DLQ-12
    !mayReceive(target.queue) && 'entity-disabled',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0 || selector === undefined) return reasons;
  const mistakes = refusalsOfSelector(selector);
  return mistakes.length > 0 || hasRoomForSelector(selector, turn) ? mistakes : ['quota-exceeded'];
}

/** LIM-10: for the selectors of all links together. */
function hasRoomForSelector(selector: string, { state, limits }: ModelTurn): boolean {
  const all = state.links.reduce((sum, link) => sum + (link.selector?.length ?? 0), selector.length);
  return all <= 1024 * limits.maxSqlFiltersPerTopic;
}

export function isTopic({ queue, place }: Target): boolean {
  return queue.kind === 'topic' && place === 'main';
}

export function linkTo({ queue, place }: Target): Omit<ModelLink, 'id' | 'role' | 'mode'> {
  const attached = { queueName: queue.name, place, connectionId: undefined, keepsLocks: false };
  return { ...attached, selector: undefined, used: 0, lookCredit: 0, shown: new Set() };
}

/** LNK-01; or, where that is chosen, LNK-04; where sessions are required, LNK-05. */
export function detach(linkId: number, turn: ModelTurn): ExpectedResult {
  const { state } = turn;
  const link = state.links.find((one) => one.id === linkId);
  if (link === undefined) return DONE;
  const queue = queueOf(link, state);
  if (link.role !== 'sender') queue.activeAt = turn.now;
  giveUpSession(linkId, turn);
  dropLink(linkId, state);
  for (const message of queue.messages) {
    if (message.lock?.linkId !== linkId) continue;
    if (message.lock.pinnedBy !== undefined) {
      happened('M38, its link gone', turn);
      continue;
    }
    if (turn.behaviour.releaseLocksOnDetach && !link.keepsLocks) release(message, turn);
    else happened(turn.behaviour.releaseLocksOnDetach ? 'M20 kept' : 'M20', turn);
  }
  return DONE;
}

export function setCredit(
  { linkId, deliveryLimit }: CommandOf<'set-credit'>,
  turn: ModelTurn,
): ExpectedResult {
  const { state } = turn;
  const link = findReceiver(linkId, state);
  if (link === undefined) return DONE;
  queueOf(link, state).activeAt = turn.now;
  const wanted = Math.max(0, deliveryLimit - link.used);
  if (link.role === 'browser') {
    link.lookCredit = wanted;
    return DONE;
  }
  while (creditOf(linkId, state) < wanted) state.credits.push(linkId);
  while (creditOf(linkId, state) > wanted) state.credits.splice(state.credits.lastIndexOf(linkId), 1);
  return DONE;
}

/** CRD-02. */
export function drain(linkId: number, turn: ModelTurn): void {
  const { state, expected } = turn;
  const link = findReceiver(linkId, state);
  if (link === undefined) return;
  const isLeft = creditOf(linkId, state) > 0 && availableIn(queueOf(link, state), link.place).length > 0;
  if (link.role === 'receiver' && isLeft) happened('drained, nothing selected', turn); // JMS-36
  link.used += creditOf(linkId, state) + link.lookCredit;
  link.lookCredit = 0;
  state.credits = state.credits.filter((id) => id !== linkId);
  expected.effects.push({ kind: 'drained', linkId, deliveredCount: link.used });
}

/** The oldest credit gets the lowest number, until nobody can be given anything (RCV-04, RCV-07). */
export function deliver(turn: ModelTurn): void {
  const { credits, links } = turn.state;
  const unserved = deliverSelected(turn);
  for (let i = 0; i < credits.length; ) {
    if (unserved.has(credits[i] ?? 0)) {
      i += 1;
      continue;
    }
    const link = links.find((one) => one.id === credits[i]);
    if (link === undefined) throw new Error('credit of nobody');
    const queue = queueOf(link, turn.state);
    const message = firstFor(link, queue, turn);
    if (message === undefined) unserved.add(link.id);
    else {
      credits.splice(i, 1);
      deliverTo(link, queue, message, turn);
    }
  }
}

/** Where a receiver selects. Returns the links that are attached there. */
function deliverSelected(turn: ModelTurn): Set<number> {
  const served = new Set<number>();
  for (const { selector, role, queueName, place } of turn.state.links) {
    if (selector === undefined || role !== 'receiver') continue;
    const links = turn.state.links.filter(
      (one) => one.role === 'receiver' && one.queueName === queueName && one.place === place,
    );
    if (links.some(({ id }) => served.has(id))) continue;
    for (const { id } of links) served.add(id);
    const queue = queueOf({ queueName }, turn.state);
    for (const message of availableIn(queue, place)) deliverToFirst(queue, message, links, turn);
  }
  return served;
}

/** In the order of their numbers, also over partitions. */
function availableIn({ messages }: ModelQueue, place: Place): readonly ModelMessage[] {
  return messages
    .filter((one) => one.place === place && one.state === MESSAGE_STATE.active && one.lock === undefined)
    .sort((a, b) => a.number - b.number);
}

/** JMS-82: the message goes to the first in line whose selector takes it. */
function deliverToFirst(
  queue: ModelQueue,
  message: ModelMessage,
  links: readonly ModelLink[],
  turn: ModelTurn,
): void {
  const { credits } = turn.state;
  const line = credits.flatMap((linkId) => links.find(({ id }) => id === linkId) ?? []);
  const link = line.find(({ selector }) => isSelected(selector, message));
  if (link === undefined) return;
  if (link !== line[0]) happened('selected, behind others in line', turn);
  if (link.selector !== undefined) happened(message.count === 0 ? 'selected' : 'selected again', turn);
  credits.splice(credits.indexOf(link.id), 1);
  deliverTo(link, queue, message, turn);
}

function firstFor({ id, place, connectionId }: ModelLink, queue: ModelQueue, { state }: ModelTurn) {
  if (connectionId === undefined) return takeFirst(queue, place);
  const held = state.holds.find(({ linkId }) => linkId === id);
  return held === undefined ? undefined : firstOfSession(queue, held.sessionId);
}

function deliverTo(link: ModelLink, queue: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  link.used += 1;
  queue.activeAt = turn.now;
  queue.accessedAt = turn.now;
  if (link.connectionId !== undefined) happened(message.enqueuedTime < turn.now ? 'X7' : 'X8', turn);
  if (link.mode === 'receive-and-delete') {
    happened('M7', turn);
    remove(queue, message, turn);
  } else {
    happened('M6', turn);
    lock(queue, message, link.id, turn);
  }
  turn.expected.effects.push({ kind: 'deliver', linkId: link.id, ...handedOut(message) });
}

export function handedOut(message: ModelMessage): ExpectedMessage {
  return { message, shown: copyMessage(message), lock: message.lock, lockedUntil: message.lock?.until };
}

/** RCV-05; in a session the lock ends with that of the session (SES-04). */
export function lock(
  queue: ModelQueue,
  message: ModelMessage,
  linkId: number | undefined,
  { now, state }: ModelTurn,
): void {
  const held = isSessionStore({ queue, place: message.place })
    ? state.holds.find((one) => one.queueName === queue.name && one.sessionId === message.sessionId)
    : undefined;
  const until = held?.until ?? now + queue.description.lockDurationMs;
  message.lock = { token: '', until, linkId, runsOut: held?.runsOut ?? true, pinnedBy: undefined };
}

function findReceiver(linkId: number, { links }: ModelState): ModelLink | undefined {
  return links.find((one) => one.id === linkId && one.role !== 'sender');
}

function creditOf(linkId: number, { credits }: ModelState): number {
  return credits.filter((id) => id === linkId).length;
}

export function attachBrowser(
  { linkId, selector }: Extract<Command, { kind: 'attach-browser' }>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  target.queue.activeAt = turn.now;
  const reasons = refusalsOfReceiver(target, selector, turn);
  if (reasons.length > 0) return failed(...reasons);
  turn.state.links.push({ ...linkTo(target), id: linkId, role: 'browser', mode: 'peek-lock', selector });
  return entity(target, turn);
}

/** Before any receiver takes a message; each in order, and none twice. */
export function showToBrowsers(turn: ModelTurn): void {
  for (const link of turn.state.links) {
    if (link.role === 'browser') show(link, queueOf(link, turn.state), turn);
  }
}

function show(link: ModelLink, queue: ModelQueue, turn: ModelTurn): void {
  const all = queue.messages.filter((one) => isToBeShown(one, link, turn));
  const messages = all.filter((one) => isSelected(link.selector, one));
  if (messages.length < all.length) happened('not shown to a browser, not selected', turn);
  messages.sort((a, b) => a.number - b.number);
  for (const message of messages.slice(0, link.lookCredit)) {
    const isBehind = [...link.shown].some((number) => number > message.number);
    happened(isBehind ? 'shown to a browser, behind others' : 'shown to a browser', turn);
    link.shown.add(message.number);
    link.lookCredit -= 1;
    link.used += 1;
    queue.activeAt = turn.now;
    queue.accessedAt = turn.now;
    const unlocked = { lock: undefined, lockedUntil: undefined };
    turn.expected.effects.push({ kind: 'deliver', linkId: link.id, ...handedOut(message), ...unlocked }); // JMS-37
  }
}

function isToBeShown(message: ModelMessage, { place, shown }: ModelLink, { now }: ModelTurn): boolean {
  const isActive = message.state === MESSAGE_STATE.active;
  const isExpired = message.place === 'main' && message.expiresAt <= now && message.lock === undefined; // TTL-06
  return isActive && !isExpired && message.place === place && !shown.has(message.number);
}

// What is asked about sessions in the reference model: to hold one, to keep it, its state, and which there are.

/** SES-06, SES-07. */
export function acceptSession(
  { linkId, connectionId, receiveMode, sessionId }: CommandOf<'accept-session'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  const { state } = turn;
  queue.activeAt = turn.now;
  const isTaken = sessionId !== undefined && isHeld(queue, sessionId, state);
  const reasons = [
    isTopic(target) && 'entity-not-found', // RCV-12
    !isSessionStore(target) && 'not-allowed',
    (sessionId?.length ?? 0) > turn.limits.maxIdLength && 'not-allowed', // SES-02
    !mayReceive(queue) && 'entity-disabled',
    destinationOf(target) !== undefined && 'not-allowed', // RCV-11
    isTaken && 'session-cannot-be-locked',
  ].filter((reason) => reason !== false);
  if (isTaken) happened('X5', turn);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  state.links.push({ ...linkTo(target), id: linkId, role: 'receiver', mode: receiveMode, connectionId });
  if (sessionId === undefined) state.waiting.push(linkId);
  else {
    happened(sessionId === '' ? 'X3 empty id' : `X3 ${stateOf(queue, sessionId)}`, turn);
    hold(queue, sessionId, { id: linkId, connectionId, mode: receiveMode }, turn);
  }
  return entity(target, turn);
}

/** E.2. */
function stateOf(queue: ModelQueue, sessionId: string): string {
  if (firstOfSession(queue, sessionId) !== undefined) return 'ready';
  const hasState = queue.sessionStates.some((one) => one.sessionId === sessionId);
  return hasState || hasMessages(queue, sessionId) ? 'idle' : 'absent';
}

function hasMessages({ messages }: ModelQueue, sessionId: string): boolean {
  return messages.some((one) => one.place === 'main' && one.sessionId === sessionId);
}

/** X9, SES-11. */
export function renewSessionLock(
  { session }: CommandOf<'renew-session-lock'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  const reasons = refusalsOfHolder(session, target, turn);
  const held = findHold(session, queue, turn);
  if (reasons.length > 0 || held === undefined) return failed(...reasons);
  happened('X9', turn);
  held.until = turn.now + queue.description.lockDurationMs;
  for (const { lock } of lockedOf(queue, session.sessionId)) {
    if (lock !== undefined) lock.until = held.until;
  }
  return { kind: 'renewed', lockedUntil: [held.until] };
}

/** X10, SES-15. */
export function getSessionState(
  { session }: CommandOf<'get-session-state'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const reasons = refusalsOfHolder(session, target, turn);
  if (reasons.length > 0) return failed(...reasons);
  const found = target.queue.sessionStates.find(({ sessionId }) => sessionId === session.sessionId);
  happened(found === undefined ? 'X10 no state' : 'X10 get', turn);
  if (found !== undefined && !hasMessages(target.queue, session.sessionId)) {
    happened('state outlived its messages', turn);
  }
  return { kind: 'session-state', content: found?.content };
}

/** X10, SES-15, SES-16. */
export function setSessionState(
  { session, state }: CommandOf<'set-session-state'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  const { sessionId } = session;
  const old = queue.sessionStates.find((one) => one.sessionId === sessionId);
  const size = state?.length ?? 0;
  const isLarger = size > (old?.content.length ?? 0);
  const reasons = [
    ...refusalsOfHolder(session, target, turn),
    ...(size > maxSize(queue, turn.limits) ? ['message-size-exceeded'] : []),
    ...(isLarger && turn.hasRoom !== true && isFull(queue, turn.state, turn.limits)
      ? ['quota-exceeded']
      : []),
  ];
  if (reasons.length > 0) return failed(...reasons);
  queue.sessionStates = queue.sessionStates.filter((one) => one !== old);
  if (state !== undefined) {
    happened('X10 set', turn);
    queue.sessionStates.push({ sessionId, content: state, updatedTime: turn.now });
    turn.expected.sessionStates.push(`put ${queue.name} ${sessionId}`);
  } else if (old !== undefined) {
    happened(hasMessages(queue, sessionId) ? 'X10 clear' : 'X16', turn);
    turn.expected.sessionStates.push(`removed ${queue.name} ${sessionId}`);
  }
  return DONE;
}

/** SES-17. */
export function listSessions(
  { stateSetAfter, skip, maxCount }: CommandOf<'list-sessions'>,
  target: Target,
  turn: ModelTurn,
): ExpectedResult {
  const { queue } = target;
  queue.activeAt = turn.now;
  const reasons = [
    !isSessionStore(target) && 'not-allowed',
    (skip < 0 || maxCount < 1) && 'argument-out-of-range',
  ].filter((reason) => reason !== false);
  if (reasons.length > 0) return failed(...reasons);
  queue.accessedAt = turn.now;
  const found: string[] = [];
  for (const { sessionId, updatedTime } of queue.sessionStates) {
    if (stateSetAfter === undefined || updatedTime > stateSetAfter) found.push(sessionId);
  }
  if (stateSetAfter === undefined) {
    for (const { place, state, sessionId = '' } of queue.messages) {
      if (place === 'main' && state === MESSAGE_STATE.active) found.push(sessionId);
    }
  }
  const sessionIds = [...new Set(found)].sort().slice(skip, skip + maxCount); // by code units
  if (sessionIds.join('').length > turn.limits.maxAnswerBytes) return failed('message-size-exceeded');
  const mode = stateSetAfter === undefined ? 'all' : 'by state';
  happened(`listed ${mode}${sessionIds.length === 0 ? ', none' : ''}`, turn);
  return { kind: 'sessions', sessionIds };
}

/** ENT-08, SES-12. */
function refusalsOfHolder(
  claim: CommandOf<'renew-session-lock'>['session'],
  target: Target,
  turn: ModelTurn,
): readonly string[] {
  target.queue.activeAt = turn.now;
  const reasons = [
    ...(mayReceive(target.queue) ? [] : ['entity-disabled']),
    ...refusalsOfClaim(claim, target, turn),
  ];
  if (reasons.length === 0) target.queue.accessedAt = turn.now;
  return reasons;
}
