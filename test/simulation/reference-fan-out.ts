// A message at a topic, in the reference model: each subscription gets what its rules make of it (TOP-01 to TOP-09).
// There are few expressions, and each has its own line here.

import type { NewMessage, PropertyValue, SystemChanges } from '../../src/broker/queue/message-properties.js';
import type { Filter, ParameterValue, RuleDescription } from '../../src/broker/rules/rule-description.js';
import { CONTENT_READER, type MadeProperties, readProperties } from './message-content.js';
import {
  type Luggage,
  type ModelMessage,
  type ModelQueue,
  newMessage,
  PARTITION_SIZE,
  type Place,
  subscriptionsOf,
} from './reference-state.js';
import { happened, type ModelTurn, nextNumber, put, reasonOf } from './reference-turn.js';

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

type Arrived = {
  /** The topic's. */
  readonly number: number;
  readonly message: NewMessage;
  readonly luggage: Luggage;
  readonly wasScheduled: boolean;
};

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

export function fanOut(topic: ModelQueue, arrived: Arrived, turn: ModelTurn): void {
  const subscriptions = subscriptionsOf(topic, turn.state);
  const copies = subscriptions.flatMap((subscription) => copiesFor(subscription, arrived, turn));
  happened(copies.length > 1 ? 'fan-out, shared' : `fan-out, ${copies.length}`, turn);
  const isShared = arrived.luggage.isShared || copies.length > 1;
  for (const copy of copies) store(topic, arrived, copy, isShared, turn);
}

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
  { number, message, luggage, wasScheduled }: Arrived,
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
    enqueuedTime: turn.now,
    expiresAt: place === 'dead' ? Number.POSITIVE_INFINITY : turn.now + lifeOf(topic, message, copy, turn),
    content: message.content,
    sessionId,
    isShared,
    submittedNumber: luggage.submittedNumber ?? number,
    systemChanges,
    changes: { ...changes },
  });
  subscription.messages.push(stored);
  put(subscription, stored, turn);
}

/** TTL-03. */
function lifeOf(topic: ModelQueue, message: NewMessage, copy: Copy, { limits }: ModelTurn): number {
  const { timeToLiveMs: sentMs } = message;
  const { timeToLiveMs: changedMs } = copy.systemChanges;
  return Math.min(
    (changedMs === undefined ? sentMs : changedMs) ?? Number.POSITIVE_INFINITY,
    topic.description.defaultMessageTimeToLiveMs,
    copy.subscription.description.defaultMessageTimeToLiveMs,
    limits.maxTimeToLiveMs,
  );
}
