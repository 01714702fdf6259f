// Brokers that break one rule each, so that one can see the simulation find it out.

import { Broker, type BrokerOptions, type Turn } from '../../src/broker/broker.js';
import { AZURE_BEHAVIOUR, type BehaviourOptions } from '../../src/broker/contract/behaviour-options.js';
import type { Command, Outcome } from '../../src/broker/contract/command.js';
import type { Event, MessageRecord, StoredEvent } from '../../src/broker/contract/event.js';
import type { Limits } from '../../src/broker/contract/limits.js';
import { type NewMessage, withDetails } from '../../src/broker/contract/message-properties.js';
import type { Result } from '../../src/broker/contract/result.js';
import type { RuleDescription } from '../../src/broker/contract/rule-description.js';
import { singly } from '../support/single-events.js';
import { SELECTOR_FLAWS } from './broken-selectors.js';
import {
  EMPTYING_FLAWS,
  type Execute,
  type Remembering,
  SESSION_FLAWS,
  STEP_FLAWS,
  TRANSACTION_FLAWS,
} from './broken-stateful-brokers.js';
import type { MakeBroker } from './checked-broker.js';

/** What is different about a broken broker; the rest is the real one. */
type Flaw = {
  readonly options?: (options: BrokerOptions) => BrokerOptions;
  /** What it does instead of what it is asked. */
  readonly command?: (command: Command) => Command;
  readonly around?: Remembering;
  /** What it says instead of what it has done. */
  readonly turn?: (turn: Turn, command: Command) => Turn;
  readonly restored?: (stored: readonly StoredEvent[]) => readonly StoredEvent[];
  readonly deadlineDelayMs?: number;
};

const FLAWS: Readonly<Record<string, Flaw>> = {
  'lets messages live as long as the queue says': sending(() => ({ timeToLiveMs: undefined })),
  'enqueues scheduled messages at once': sending(() => ({ scheduledEnqueueTime: undefined })),
  'stores duplicates': sending(({ messageId, content }) => ({
    messageId: messageId === undefined ? undefined : `${messageId} of ${new TextDecoder().decode(content)}`,
  })),
  'spreads the messages of one key over partitions': sending(() => ({ partitionKey: undefined })),
  'takes ids of any length': limited({ maxIdLength: Number.POSITIVE_INFINITY }),
  'shows as many messages as one wants': limited({ maxPeekCount: Number.POSITIVE_INFINITY }),
  'deletes as many messages as one wants': limited({ maxDeleteCount: Number.POSITIVE_INFINITY }),
  'keeps locks when it is to free them': choosing({ releaseLocksOnDetach: false }),
  'lets messages expire when nobody listens': choosing({ expirySweep: 'always' }),
  'lets the messages of a session expire one by one': choosing({ expireWholeSession: false }),
  'counts a release': settling('release', { kind: 'abandon', changes: [] }),
  'does not count an abandon': settling('abandon', { kind: 'release' }),
  'completes what is deferred': settling('defer', { kind: 'complete' }),
  'forgets why a message was dead-lettered': settling('dead-letter', { kind: 'dead-letter', changes: [] }),
  'says that it has cancelled and has not': {
    command: (command) => (command.kind === 'cancel-scheduled' ? { kind: 'tick' } : command),
  },
  'accepts a token that is over': {
    turn: (turn, { kind }) =>
      kind === 'settle' && hasLostLock(turn) ? { ...turn, result: { kind: 'done' } } : turn,
  },
  'delivers twice': { turn: (turn) => ({ ...turn, effects: turn.effects.flatMap((one) => [one, one]) }) },
  'shows the latest message first': {
    turn: (turn) =>
      turn.result.kind === 'messages'
        ? { ...turn, result: { ...turn.result, messages: turn.result.messages.toReversed() } }
        : turn,
  },
  'leaves completed messages in the journal': {
    turn: (turn) => ({ ...turn, events: turn.events.filter(({ kind }) => kind !== 'message-removed') }),
  },
  'leaves contents in the journal': {
    turn: (turn) => ({ ...turn, events: turn.events.filter(({ kind }) => kind !== 'content-released') }),
  },
  'takes operations on any entity': limited({ hasOneEntityTransactions: false }),
  'takes any number of messages in a transaction': limited({ maxTransactionMessages: 1_000_000 }),
  'wakes up too late': { deadlineDelayMs: 1 },
  'forgets message-ids in a restart': restoring(({ kind }) => kind !== 'message-id-noted'),
  'forgets session states in a restart': restoring(({ kind }) => kind !== 'session-state-put'),
  'begins to count anew in a restart': restoring(({ kind }) => kind !== 'sequence-put'),
  'loses scheduled messages in a restart': restoring(
    (event) => event.kind !== 'message-put' || event.message.details?.schedule === undefined,
  ),
};

function limited(limits: Partial<Limits>): Flaw {
  return { options: (options) => ({ ...options, limits: { ...options.limits, ...limits } }) };
}

function choosing(behaviour: Partial<BehaviourOptions>): Flaw {
  return {
    options: (options) => ({
      ...options,
      behaviour: { ...AZURE_BEHAVIOUR, ...options.behaviour, ...behaviour },
    }),
  };
}

function sending(change: (message: NewMessage) => Partial<NewMessage>): Flaw {
  return {
    command: (command) =>
      command.kind === 'send'
        ? { ...command, messages: command.messages.map((message) => ({ ...message, ...change(message) })) }
        : command,
  };
}

function settling(asked: Outcome['kind'], outcome: Outcome): Flaw {
  return {
    command: (command) =>
      (command.kind === 'settle' || command.kind === 'settle-many') && command.outcome.kind === asked
        ? { ...command, outcome }
        : command,
  };
}

function restoring(isKept: (event: StoredEvent) => boolean): Flaw {
  return { restored: (stored) => stored.filter(isKept) };
}

function hasLostLock({ result }: Turn): boolean {
  return result.kind === 'failed' && result.error.reason === 'message-lock-lost';
}

const ADMINISTRATION_FLAWS: Readonly<Record<string, Flaw>> = {
  'lists entities backwards': listing((all) => all.toReversed()),
  'leaves the last entity out of a list': listing((all) => all.slice(0, -1)),
  'leaves out of a list what was listed before it': {
    command: (command) => ('skip' in command ? { ...command, skip: 0 } : command),
  },
  'creates what is only to be changed': {
    command: (command) =>
      'expected' in command && command.expected === 'present' ? { ...command, expected: undefined } : command,
  },
  'changes what is only to be created': {
    command: (command) =>
      'expected' in command && command.expected === 'absent' ? { ...command, expected: undefined } : command,
  },
  'adds the rule that is to be changed': {
    command: (command) => (command.kind === 'update-rule' ? { ...command, kind: 'add-rule' } : command),
  },
  'leaves an old rule in the journal when rules are set': {
    turn: (turn, { kind }) =>
      kind === 'set-rules'
        ? { ...turn, events: turn.events.filter((event) => event.kind !== 'rule-removed') }
        : turn,
  },
  'gives a changed rule another time': {
    turn: (turn, { kind }) => (kind === 'update-rule' ? withLaterRules(turn) : turn),
  },
  'shows a rule that is not there': {
    turn: (turn, { kind }) =>
      kind === 'get-rule' && turn.result.kind === 'failed'
        ? { ...turn, result: { kind: 'rules', rules: [] } }
        : turn,
  },
  'frees the locks of a receiver that keeps them': {
    command: (command) => (command.kind === 'attach-receiver' ? { ...command, keepsLocks: false } : command),
  },
  'forgets in a restart who may do what': forgetting({ authorizationRules: [] }),
  'forgets in a restart what it does not understand': forgetting({ otherProperties: undefined }),
};

const LISTING_FLAWS: Readonly<Record<string, Remembering>> = {
  'shows in a list what it has counted before': (execute) => {
    const shown = new Map<string, Result>();
    return (command, now) => {
      const turn = execute(command, now);
      if (command.kind !== 'list-entities' || command.type !== 'queue' || turn.result.kind === 'failed')
        return turn;
      const page = JSON.stringify(command);
      const result = shown.get(page) ?? turn.result;
      shown.set(page, turn.result);
      return { ...turn, result };
    };
  },
};

function listing(change: <T>(all: readonly T[]) => readonly T[]): Flaw {
  return { turn: (turn) => ({ ...turn, result: relisted(turn.result, change) }) };
}

function relisted(result: Result, change: <T>(all: readonly T[]) => readonly T[]): Result {
  return result.kind === 'entities' ? { ...result, entities: change(result.entities) } : result;
}

function withLaterRules(turn: Turn): Turn {
  const events = turn.events.map((event) =>
    event.kind === 'rule-put'
      ? { ...event, rule: { ...event.rule, createdTime: event.rule.createdTime + 1 } }
      : event,
  );
  return { ...turn, events };
}

/** Of queues. */
function forgetting(forgotten: {
  readonly authorizationRules?: [];
  readonly otherProperties?: undefined;
}): Flaw {
  const changed = (event: StoredEvent): StoredEvent => {
    if (event.kind !== 'entity-put' || event.entity.type !== 'queue') return event;
    const description = { ...event.entity.description, ...forgotten };
    return { ...event, entity: { ...event.entity, description } };
  };
  return { restored: (stored) => stored.map(changed) };
}

const TOPIC_FLAWS: Readonly<Record<string, Flaw>> = {
  'forgets rules in a restart': { restored: (stored) => stored.filter(({ kind }) => kind !== 'rule-put') },
  'forgets in a restart which contents are shared': restoringMessages((message) => ({
    ...message,
    isShared: false,
  })),
  'forgets in a restart how far a message has come': restoringMessages((message) => ({
    ...message,
    details: withDetails(message.details, { hopCount: undefined }),
  })),
  'forgets in a restart which copies are made': restoringMessages((message) => ({
    ...message,
    details: withDetails(message.details, { copiedTo: undefined }),
  })),
  'makes all copies at once, whatever they cost': choosing({ maxFanOutCost: Number.POSITIVE_INFINITY }),
  'makes copies later than it must': choosing({ maxFanOutCost: 0.1 }),
  'never carries out an action': rules((rule) => ({ ...rule, action: undefined })),
  'lets every message through a correlation filter': rules((rule) => ({
    ...rule,
    filter: rule.filter.kind === 'correlation' ? { kind: 'true' } : rule.filter,
  })),
  'gives a new subscription no rule': {
    command: (command) =>
      command.kind === 'put-entity' && command.type === 'subscription'
        ? { ...command, rules: command.rules ?? [] }
        : command,
  },
  'does not say which rule has made a copy': messages((message) => ({
    ...message,
    details: withDetails(message.details, {
      propertyChanges: message.details?.propertyChanges?.filter(({ name }) => name !== 'RuleName'),
    }),
  })),
  'does not say which number the topic gave': messages((message) => ({
    ...message,
    enqueuedSequenceNumber: undefined,
  })),
  'does not say from which dead-letter queue a message comes': messages((message) => ({
    ...message,
    details: withDetails(message.details, { deadLetterSource: undefined }),
  })),
  'takes a rule twice': {
    turn: (turn, { kind }) => {
      const { result } = turn;
      const isThere = result.kind === 'failed' && result.error.reason === 'entity-already-exists';
      return kind === 'add-rule' && isThere ? { ...turn, result: { kind: 'done' } } : turn;
    },
  },
  'lists rules backwards': {
    turn: (turn) =>
      turn.result.kind === 'rules'
        ? { ...turn, result: { kind: 'rules', rules: turn.result.rules.toReversed() } }
        : turn,
  },
  'keeps what it has forwarded': events((all) => {
    const forwarded = new Set(
      all
        .filter((event) => event.kind === 'message-put')
        .map(({ message }) => message)
        .filter(({ details }) => details?.hopCount !== undefined)
        .map(({ enqueuedSequenceNumber }) => enqueuedSequenceNumber),
    );
    return all.filter((event) => event.kind !== 'message-removed' || !forwarded.has(event.sequenceNumber));
  }),
  'leaves shared contents in the journal': events((all) => {
    const isLast = all.filter(({ kind }) => kind === 'message-removed').length === 1;
    return all.filter(({ kind }) => !isLast || kind !== 'content-released');
  }),
};

function rules(change: (rule: RuleDescription) => RuleDescription): Flaw {
  return {
    command: (command): Command => {
      if (command.kind === 'add-rule') return { ...command, rule: change(command.rule) };
      if (command.kind !== 'put-entity') return command;
      return { ...command, rules: command.rules?.map(change) };
    },
  };
}

function restoringMessages(change: (message: MessageRecord) => MessageRecord): Flaw {
  return { restored: (stored) => stored.map((event) => changed(event, change)) };
}

function messages(change: (message: MessageRecord) => MessageRecord): Flaw {
  return events((all) => all.map((event) => changed(event, change)));
}

function changed<E extends Event | StoredEvent>(
  event: E,
  change: (message: MessageRecord) => MessageRecord,
): E {
  return event.kind === 'message-put' ? { ...event, message: change(event.message) } : event;
}

function events(change: (events: readonly Event[]) => readonly Event[]): Flaw {
  return { turn: (turn: Turn) => ({ ...turn, events: change(turn.events) }) };
}

const TRANSFER_FLAWS: Readonly<Record<string, Flaw>> = {
  'loses in a restart what waits for another entity': {
    restored: (stored) =>
      stored.filter(
        (event) => event.kind !== 'message-put' || event.message.details?.destination === undefined,
      ),
  },
  'looks for the destination of a transfer that was checked before': {
    command: (command) => (command.kind === 'transfer' ? { ...command, isChecked: false } : command),
  },
  'says nothing of why a transfer has failed': {
    turn: (turn) => ({
      ...turn,
      events: turn.events.map((event) => {
        if (event.kind !== 'message-put' || turn.result.kind !== 'sent') return event;
        return { ...event, message: { ...event.message, propertyChanges: undefined } };
      }),
    }),
  },
};

export const BROKEN_BROKERS: readonly (readonly [flaw: string, makeBroker: MakeBroker])[] = [
  ...Object.entries({ ...FLAWS, ...TOPIC_FLAWS, ...TRANSFER_FLAWS, ...ADMINISTRATION_FLAWS }),
  ...Object.entries({
    ...SESSION_FLAWS,
    ...EMPTYING_FLAWS,
    ...LISTING_FLAWS,
    ...STEP_FLAWS,
    ...TRANSACTION_FLAWS,
    ...SELECTOR_FLAWS,
  }).map(([name, around]): [string, Flaw] => [name, { around }]),
].map(([name, flaw]) => [name, (options) => broken(options, flaw)]);

function broken(options: BrokerOptions, flaw: Flaw): ReturnType<MakeBroker> {
  const broker = new Broker(flaw.options?.(options) ?? options);
  const real: Execute = (command, now) => {
    const turn = broker.execute(command, now);
    return { ...turn, events: singly(turn.events) };
  };
  const execute = flaw.around?.(real) ?? real;
  return {
    execute: (command, now) => {
      const turn = execute(flaw.command?.(command) ?? command, now);
      return flaw.turn?.(turn, command) ?? turn;
    },
    nextDeadline: () => broker.nextDeadline() + (flaw.deadlineDelayMs ?? 0),
    holdsLock: (lockToken, now) => broker.holdsLock(lockToken, now),
    restore: (stored) => broker.restore(flaw.restored?.(stored) ?? stored),
    continueContentIds: (upcoming) => broker.continueContentIds(upcoming),
    readContentsFrom: (read) => broker.readContentsFrom(read),
  };
}
