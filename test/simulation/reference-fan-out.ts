// A message at a topic, in the reference model: each subscription gets what its rules make of it (TOP-01 to TOP-09).
// There are few expressions, and each has its own line here.

import type { PropertyValue, SystemChanges } from '../../src/broker/contract/message-properties.js';
import type { Filter, ParameterValue, RuleDescription } from '../../src/broker/contract/rule-description.js';
import { CONTENT_READER, type MadeProperties, readProperties } from './message-content.js';
import {
  type Arrived,
  type ModelMessage,
  type ModelQueue,
  newMessage,
  PARTITION_SIZE,
  type Place,
  subscriptionsOf,
  type WaitingFanOut,
  waitingIn,
} from './reference-state.js';
import {
  happened,
  keyOf,
  type ModelTurn,
  nextNumber,
  put,
  reasonOf,
  remove,
  type ToldFanOut,
} from './reference-turn.js';
import { check } from './simulation-failure.js';

/** A message, as rules see it. */
type Ruled = MadeProperties & {
  readonly messageId: string | undefined;
  readonly sessionId: string | undefined;
};

/** What an action does to a copy; the values as text. */
type Changes = {
  /** Null: removed. */
  readonly properties: Readonly<Record<string, string | null>>;
  readonly system: SystemChanges;
};

/** It cannot be carried out (TOP-09). */
const FAILS = 'fails';

/** SQL-09: what is unknown does not match. */
export const CONDITIONS: Readonly<Record<string, (message: Ruled) => boolean | typeof FAILS>> = {
  "color = 'red'": ({ color }) => color === 'red',
  "user.Color IN ('red', 'blue')": ({ color }) => color === 'red' || color === 'blue',
  "NOT color = 'red'": ({ color }) => color !== undefined && color !== 'red',
  'color IS NULL': ({ color }) => color === undefined,
  "sys.Label LIKE 'al%' OR quantity > 2": ({ subject = '', quantity = 0 }) =>
    subject.startsWith('al') || quantity > 2,
  'EXISTS(quantity)': ({ quantity }) => quantity !== undefined,
  "sys.SessionId = 'east'": ({ sessionId }) => sessionId === 'east',
  '12 / quantity > 3': ({ quantity }) => {
    if (quantity === undefined) return false;
    return quantity === 0 ? FAILS : Math.trunc(12 / quantity) > 3;
  },
};

const NOTHING: Changes = { properties: {}, system: {} };

export const ACTIONS: Readonly<Record<string, (message: Ruled, at: number) => Changes | typeof FAILS>> = {
  "SET color = 'green'": () => ({ ...NOTHING, properties: { color: 'green' } }),
  'REMOVE color': ({ color }) =>
    color === undefined ? NOTHING : { ...NOTHING, properties: { color: null } },
  "SET sys.Label = 'beta'; SET by = 'rule'": () => ({
    properties: { by: 'rule' },
    system: { subject: 'beta' },
  }),
  "SET sys.SessionId = 'east'": () => ({ ...NOTHING, system: { sessionId: 'east' } }),
  'REMOVE sys.SessionId': () => ({ ...NOTHING, system: { sessionId: null } }),
  'SET sys.TimeToLive = 1000': () => ({ ...NOTHING, system: { timeToLiveMs: 1000 } }),
  "SET sys.MessageId = 'm1'": () => ({ ...NOTHING, system: { messageId: 'm1' } }),
  'REMOVE sys.TimeToLive': () => ({ ...NOTHING, system: { timeToLiveMs: null } }),
  'REMOVE sys.MessageId': () => ({ ...NOTHING, system: { messageId: null } }),
  'SET sys.ScheduledEnqueueTimeUtc = @at': (_, at) => ({ ...NOTHING, system: { scheduledEnqueueTime: at } }),
  'SET share = 12 / quantity': ({ quantity }) => {
    if (quantity === 0) return FAILS;
    const share = quantity === undefined ? 'null' : String(Math.trunc(12 / quantity)); // ACT-05
    return { ...NOTHING, properties: { share } };
  },
};

function matches(filter: Filter, message: Ruled): boolean | typeof FAILS {
  switch (filter.kind) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'sql':
      return known(CONDITIONS, filter.expression)(message);
    case 'correlation': {
      const { subject, sessionId, messageId, properties = {} } = filter;
      return (
        (subject === undefined || subject === message.subject) &&
        (sessionId === undefined || sessionId === message.sessionId) &&
        (messageId === undefined || messageId === message.messageId) &&
        Object.entries(properties).every(([name, value]) => hasProperty(message, name, value))
      );
    }
  }
}

/** COR-02: text equals text alone, and an integer integers alone. */
function hasProperty(message: Ruled, name: string, value: ParameterValue): boolean {
  if (name.toLowerCase() === 'color') return value === message.color;
  if (name.toLowerCase() !== 'quantity') return false;
  return typeof value === 'object' && value.value === String(message.quantity);
}

function act({ action }: RuleDescription, message: Ruled): Changes | typeof FAILS {
  const at = action?.parameters?.['@at'];
  const time = typeof at === 'object' && at.type === 'timestamp' ? at.value : 0;
  return action === undefined ? NOTHING : known(ACTIONS, action.expression)(message, time);
}

/** Why a rule cannot be had; none when it can. */
export function refusalsOfRule({ name, filter, action }: RuleDescription): readonly string[] {
  const isName = name.length > 0 && name.length <= 50 && !name.includes('/');
  const isFilter = filter.kind !== 'sql' || filter.expression in CONDITIONS;
  const isGiven = filter.kind !== 'correlation' || Object.keys(filter).length > 1; // COR-01
  const isAction = action === undefined || action.expression in ACTIONS;
  return isName && isFilter && isGiven && isAction ? [] : ['argument'];
}

function known<T>(table: Readonly<Record<string, T>>, expression: string): T {
  const found = table[expression];
  if (found === undefined) throw new Error(`the model does not know '${expression}'`);
  return found;
}

type Copy = {
  /** Whose action has made it. */
  readonly rule?: RuleDescription;
  readonly subscription: ModelQueue;
  readonly place: Place;
  readonly sessionId: string | undefined;
  readonly changes: ModelMessage['changes'];
  readonly systemChanges: SystemChanges;
};

/** The text is the broker's own; the model takes any. */
export const ANY_TEXT = '(any text)';

const SESSION_IS_NULL = reasonOf(
  'Session id is null.',
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/** As far as the broker tells, and otherwise whole. */
export function fanOut(topic: ModelQueue, arrived: Arrived, turn: ModelTurn): void {
  const isBehind = waitingIn(topic).length > 0;
  if (isBehind) happened('send behind waiting copies', turn);
  const toldIndex = turn.isTrial === true ? undefined : toldIndexOf(topic, arrived, turn);
  const told = toldIndex === undefined ? undefined : turn.fanOuts[toldIndex];
  const all = subscriptionsOf(topic, turn.state).map(({ name }) => name);
  if (told === undefined || toldIndex === undefined) {
    check(turn.isTrial === true || !isBehind, 'a message overtakes one of which copies wait');
    if (turn.isTrial !== true && all.length > 0) checkBelowLimit(turn);
    const copies = copiesBetween(topic, arrived, { rest: all, copyCount: 0 }, NOTHING_LEFT, turn);
    happened(copies.length > 1 ? 'fan-out, shared' : `fan-out, ${copies.length}`, turn);
    const isShared = arrived.luggage.isShared || copies.length > 1;
    for (const copy of copies) store(topic, arrived, copy, isShared, turn);
    return;
  }
  const copies = isBehind ? [] : copiesBetween(topic, arrived, { rest: all, copyCount: 0 }, told, turn);
  const { rest, copyCount } = told;
  if (!isBehind) checkLimit(turn);
  else {
    const hasNone = copyCount === 0 && all.every((name) => rest.includes(name));
    check(hasNone, 'a message overtakes in part one of which copies wait');
  }
  for (const copy of copies) store(topic, arrived, copy, true, turn);
  wait(topic, { arrived, rest, copyCount, turn: turn.number, toldIndex }, turn);
  if (!isBehind) topic.fanOutAt = turn.now + 1;
}

/** What the broker has told next of a message of which copies wait; undefined when it has told nothing more in this turn. */
function toldIndexOf(
  topic: ModelQueue,
  { number, fanOut: waiting }: Pick<ModelMessage, 'number' | 'fanOut'>,
  { fanOuts, number: turnNumber }: ModelTurn,
): number | undefined {
  const from = waiting?.turn === turnNumber ? waiting.toldIndex + 1 : 0;
  const index = fanOuts.findIndex(({ key }, at) => at >= from && key === `${topic.name} dead ${number}`);
  return index < 0 ? undefined : index;
}

/** TOP-15: by what was made before. */
function checkBelowLimit({ expected, behaviour, isFanOutWhole }: ModelTurn): void {
  const isBelow = expected.fanOutCost.least < behaviour.maxFanOutCost;
  check(isBelow || isFanOutWhole === true, 'copies are made that cost too much');
}

function checkLimit({ expected, behaviour }: ModelTurn): void {
  check(expected.fanOutCost.most >= behaviour.maxFanOutCost, 'copies wait that do not cost too much');
}

function wait(topic: ModelQueue, waitingFanOut: WaitingFanOut, turn: ModelTurn): void {
  const { number, enqueuedTime, message, luggage, wasScheduled } = waitingFanOut.arrived;
  const { timeToLiveMs = Number.POSITIVE_INFINITY, content } = message;
  const waiting = newMessage(topic, luggage, {
    place: 'dead',
    number,
    wasScheduled,
    enqueuedTime,
    expiresAt: enqueuedTime + timeToLiveMs,
    content,
    sessionId: undefined,
    isShared: true,
    fanOut: waitingFanOut,
  });
  topic.messages.push(waiting);
  put(topic, waiting, turn);
}

/** To be called when all is done that is due, but for what forwards: something must go on in each topic in which copies wait. */
export function checkFanOutsGoOn(turn: ModelTurn): void {
  for (const topic of turn.state.queues) {
    if (waitingIn(topic).length === 0 || topic.fanOutAt > turn.now) continue;
    check(nextPieceOf(topic, turn) !== undefined, 'a fan-out does not go on');
  }
}

/** The message of the topic with whose copies the broker goes on next in this turn, and when among all that it removes. */
export function nextPieceOf(
  topic: ModelQueue,
  turn: ModelTurn,
): { readonly message: ModelMessage; readonly removedCount: number } | undefined {
  const indexes = waitingIn(topic).flatMap((message) => toldIndexOf(topic, message, turn) ?? []);
  const told = turn.fanOuts[Math.min(...indexes)];
  const message = waitingIn(topic).find((one) => keyOf(topic, one) === told?.key);
  return message === undefined || told === undefined
    ? undefined
    : { message, removedCount: told.removedCount };
}

/** TOP-15: as far as the broker tells, but in order. */
export function continueFanOut(topic: ModelQueue, message: ModelMessage, turn: ModelTurn): void {
  const { fanOut: waiting, partitionId } = message;
  const toldIndex = toldIndexOf(topic, message, turn) ?? -1;
  const told = turn.fanOuts[toldIndex];
  if (told === undefined || waiting === undefined) throw new Error('the broker has told nothing of this');
  happened('fan-out went on in pieces', turn);
  const [first] = waitingIn(topic).filter((one) => one.partitionId === partitionId);
  check(first === message, 'copies of a message are made before those of an earlier one');
  const { arrived } = waiting;
  const copies = copiesBetween(topic, arrived, waiting, told, turn);
  for (const copy of copies) store(topic, arrived, copy, true, turn);
  if (told.isComplete) remove(topic, message, turn);
  else {
    const { rest, copyCount } = told;
    message.fanOut = { arrived, rest, copyCount, turn: turn.number, toldIndex };
    put(topic, message, turn);
  }
  topic.fanOutAt = turn.now + 1;
}

type Mark = Pick<ToldFanOut, 'rest' | 'copyCount'>;
const NOTHING_LEFT: Mark = { rest: [], copyCount: 0 };

/** What is made between two marks, for the subscriptions that are still there. */
function copiesBetween(
  topic: ModelQueue,
  arrived: Arrived,
  from: Mark,
  to: Mark,
  turn: ModelTurn,
): readonly Copy[] {
  const { fanOutCost } = turn.expected;
  return subscriptionsOf(topic, turn.state).flatMap((subscription) => {
    const { name, rules } = subscription;
    if (!from.rest.includes(name) || to.rest.slice(1).includes(name)) return [];
    const all = copiesFor(subscription, arrived, turn);
    const start = from.rest[0] === name ? from.copyCount : 0;
    const made = all.slice(start, to.rest[0] === name ? to.copyCount : all.length);
    fanOutCost.most += MOST_RULE_COST * rules.length + MOST_COPY_COST * made.length;
    fanOutCost.least += LEAST_COPY_COST * made.length;
    return made;
  });
}

/** With what the action of the longest expression costs, whether its copy is made or not. */
const MOST_RULE_COST = 12;
const MOST_COPY_COST = 12;
const LEAST_COPY_COST = 1;

function copiesFor(subscription: ModelQueue, arrived: Arrived, turn: ModelTurn): readonly Copy[] {
  const { changes, systemChanges } = arrived.luggage;
  const { sessionId } = arrived.message;
  const ruled = ruledOf(arrived);
  const plain: Copy = { subscription, place: 'main', sessionId, changes, systemChanges };
  const copies: Copy[] = [];
  for (const { description } of rulesInOrder(subscription)) {
    const isMatch = matches(description.filter, ruled);
    if (isMatch === FAILS) return failedIn('FilterException', plain, turn);
    if (!isMatch) continue;
    if (description.action === undefined) {
      const isFirst = !copies.some(({ rule }) => rule === undefined);
      happened(isFirst ? 'copy' : 'rule matched as well', turn); // TOP-03
      if (isFirst) copies.push(plain);
      continue;
    }
    const changed = act(description, ruled);
    const properties = {
      ...encoded(changed === FAILS ? {} : changed.properties),
      RuleName: description.name,
    }; // TOP-04
    if (changed === FAILS || sizeOf(properties) > turn.limits.maxHeadBytes) {
      return failedIn('RuleActionException', plain, turn);
    }
    happened('copy by action', turn);
    const { sessionId: newId = sessionId } = changed.system;
    copies.push({
      ...plain,
      sessionId: newId ?? undefined,
      rule: description,
      changes: { ...changes, ...properties },
      systemChanges: { ...systemChanges, ...changed.system },
    });
  }
  if (copies.length === 0) happened('no rule matched', turn);
  return copies.map((copy) => withoutSession(copy, turn));
}

/** As it was sent, and as rules have changed it before. */
function ruledOf({ message, luggage }: Arrived): Ruled {
  const { messageId, sessionId, content } = message;
  const sent = readProperties(content);
  const { changes, systemChanges } = luggage;
  const color = changes.color === undefined ? sent.color : textOf(changes.color);
  const { subject = sent.subject } = systemChanges;
  return { ...sent, color, subject: subject ?? undefined, messageId, sessionId };
}

function textOf(value: PropertyValue | null): string | undefined {
  if (value === null) return undefined;
  return typeof value === 'string' ? value : new TextDecoder().decode(value);
}

/** MSG-08. */
export function sizeOf(changes: ModelMessage['changes']): number {
  const sizes = Object.entries(changes).map(([name, value]) => name.length + (value?.length ?? 0));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** ACT-03. */
function encoded(properties: Changes['properties']): ModelMessage['changes'] {
  const encode = (value: string | null) => (value === null ? null : CONTENT_READER.encode(value));
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, encode(value)]));
}

/** TOP-09. */
function failedIn(what: string, plain: Copy, turn: ModelTurn): readonly Copy[] {
  const isKept = plain.subscription.subscription?.deadLetteringOnFilterEvaluationExceptions === true;
  happened(`${what}, ${isKept ? 'kept' : 'dropped'}`, turn);
  const changes = { ...plain.changes, DeadLetterReason: what, DeadLetterErrorDescription: ANY_TEXT };
  return isKept ? [{ ...plain, place: 'dead', changes }] : [];
}

/** SES-20. */
function withoutSession(copy: Copy, turn: ModelTurn): Copy {
  const { subscription, sessionId, changes } = copy;
  if (!subscription.description.requiresSession || sessionId !== undefined) return copy;
  happened('copy without session id', turn);
  const reason = Object.fromEntries(SESSION_IS_NULL.map(({ name, value }) => [name, String(value)]));
  return { ...copy, place: 'dead', changes: { ...changes, ...reason } };
}

/** By name, in any case the same. */
export function rulesInOrder({ rules }: ModelQueue): ModelQueue['rules'] {
  return rules.toSorted((a, b) => (key(a.description.name) < key(b.description.name) ? -1 : 1));
}

function key(name: string): string {
  return name.toLowerCase();
}

function store(
  topic: ModelQueue,
  { number, enqueuedTime, message, luggage, wasScheduled }: Arrived,
  copy: Copy,
  isShared: boolean,
  turn: ModelTurn,
): void {
  const { subscription, place, sessionId, changes, systemChanges } = copy;
  const own = nextNumber(subscription, Math.floor(number / PARTITION_SIZE), turn); // SEQ-05
  const stored = newMessage(subscription, luggage, {
    place,
    number: own,
    wasScheduled: wasScheduled && place === 'main',
    enqueuedTime,
    expiresAt:
      place === 'dead' ? Number.POSITIVE_INFINITY : enqueuedTime + lifeOf(topic, message, copy, turn),
    content: message.content,
    sessionId,
    isShared,
    submittedNumber: luggage.submittedNumber ?? number,
    systemChanges,
    changes: { ...changes },
    deadLetteredAt: place === 'dead' ? turn.now : undefined,
  });
  subscription.messages.push(stored);
  put(subscription, stored, turn);
}

/** TTL-03. */
function lifeOf(topic: ModelQueue, message: Arrived['message'], copy: Copy, { limits }: ModelTurn): number {
  const { timeToLiveMs: sentMs } = message;
  const { timeToLiveMs: changedMs } = copy.systemChanges;
  return Math.min(
    (changedMs === undefined ? sentMs : changedMs) ?? Number.POSITIVE_INFINITY,
    topic.description.defaultMessageTimeToLiveMs,
    copy.subscription.description.defaultMessageTimeToLiveMs,
    limits.maxTimeToLiveMs,
  );
}
