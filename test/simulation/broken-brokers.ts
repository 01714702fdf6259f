// Brokers that break one rule each, so that one can see the simulation find it out.

import { AZURE_BEHAVIOUR, type BehaviourOptions } from '../../src/broker/behaviour-options.js';
import { Broker, type BrokerOptions, type Turn } from '../../src/broker/broker.js';
import type { Outcome } from '../../src/broker/command.js';
import type { StoredEvent } from '../../src/broker/event.js';
import type { Limits } from '../../src/broker/limits.js';
import type { NewMessage } from '../../src/broker/queue/message-properties.js';
import {
  ADMINISTRATION_FLAWS,
  BROKEN_ADMINISTERED_BROKERS,
  type Flaw,
  TOPIC_FLAWS,
  TRANSFER_FLAWS,
} from './broken-entity-brokers.js';
import {
  BROKEN_EMPTYING_BROKERS,
  BROKEN_SESSION_BROKERS,
  BROKEN_STEP_BROKERS,
  BROKEN_TRANSACTION_BROKERS,
} from './broken-stateful-brokers.js';
import type { MakeBroker } from './checked-broker.js';

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
  'wakes up too late': { deadlineDelayMs: 1 },
  'forgets message-ids in a restart': restoring(({ kind }) => kind !== 'message-id-noted'),
  'forgets session states in a restart': restoring(({ kind }) => kind !== 'session-state-put'),
  'begins to count anew in a restart': restoring(({ kind }) => kind !== 'sequence-put'),
  'loses scheduled messages in a restart': restoring(
    (event) => event.kind !== 'message-put' || event.message.schedule === undefined,
  ),
};

export const BROKEN_BROKERS: readonly (readonly [flaw: string, makeBroker: MakeBroker])[] = [
  ...Object.entries({ ...FLAWS, ...TOPIC_FLAWS, ...TRANSFER_FLAWS, ...ADMINISTRATION_FLAWS }).map(
    ([name, flaw]) => [name, (options: BrokerOptions) => broken(options, flaw)] as const,
  ),
  ...BROKEN_SESSION_BROKERS,
  ...BROKEN_EMPTYING_BROKERS,
  ...BROKEN_ADMINISTERED_BROKERS,
  ...BROKEN_STEP_BROKERS,
  ...BROKEN_TRANSACTION_BROKERS,
];

function broken(options: BrokerOptions, flaw: Flaw): ReturnType<MakeBroker> {
  const broker = new Broker(flaw.options?.(options) ?? options);
  return {
    execute: (command, now) => {
      const turn = broker.execute(flaw.command?.(command) ?? command, now);
      return flaw.turn?.(turn, command) ?? turn;
    },
    nextDeadline: () => broker.nextDeadline() + (flaw.deadlineDelayMs ?? 0),
    holdsLock: (lockToken, now) => broker.holdsLock(lockToken, now),
    restore: (stored) => broker.restore(flaw.restored?.(stored) ?? stored),
    isContentNeeded: (contentId) => broker.isContentNeeded(contentId),
    readContentsFrom: (read) => broker.readContentsFrom(read),
  };
}

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
