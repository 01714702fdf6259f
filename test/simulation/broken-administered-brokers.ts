// Brokers that break one rule of administration each: of lists, of what is put, and of rules that are changed.

import type { Turn } from '../../src/broker/broker.js';
import type { StoredEvent } from '../../src/broker/event.js';
import type { Result } from '../../src/broker/result.js';
import type { Flaw } from './broken-brokers.js';
import { rememberingBrokers } from './remembering-brokers.js';

export const ADMINISTRATION_FLAWS: Readonly<Record<string, Flaw>> = {
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
  'takes a changed rule for a new one': {
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
  'forgets in a restart who may do what': restoring({ authorizationRules: [] }),
  'forgets in a restart what it does not understand': restoring({ otherProperties: undefined }),
};

export const BROKEN_ADMINISTERED_BROKERS = rememberingBrokers({
  'shows in a list what it has counted before': (execute) => {
    const shown = new Map<string, Result>();
    return (command, now) => {
      const turn = execute(command, now);
      if (command.kind !== 'list-queues' || turn.result.kind === 'failed') return turn;
      const page = JSON.stringify(command);
      const result = shown.get(page) ?? turn.result;
      shown.set(page, turn.result);
      return { ...turn, result };
    };
  },
});

function listing(change: <T>(all: readonly T[]) => readonly T[]): Flaw {
  return { turn: (turn) => ({ ...turn, result: relisted(turn.result, change) }) };
}

function relisted(result: Result, change: <T>(all: readonly T[]) => readonly T[]): Result {
  switch (result.kind) {
    case 'queues':
      return { ...result, queues: change(result.queues) };
    case 'topics':
      return { ...result, topics: change(result.topics) };
    case 'subscriptions':
      return { ...result, subscriptions: change(result.subscriptions) };
    default:
      return result;
  }
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
function restoring(forgotten: {
  readonly authorizationRules?: [];
  readonly otherProperties?: undefined;
}): Flaw {
  const changed = (event: StoredEvent): StoredEvent => {
    if (event.kind !== 'queue-put') return event;
    const description = { ...event.queue.description, ...forgotten };
    return { ...event, queue: { ...event.queue, description } };
  };
  return { restored: (stored) => stored.map(changed) };
}
