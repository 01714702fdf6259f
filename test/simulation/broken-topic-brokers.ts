// Brokers that break one rule of topics, subscriptions or forwarding each.

import type { Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Event, MessageRecord, StoredEvent } from '../../src/broker/event.js';
import type { RuleDescription } from '../../src/broker/rules/rule-description.js';
import type { Flaw } from './broken-brokers.js';

export const TOPIC_FLAWS: Readonly<Record<string, Flaw>> = {
  'forgets rules in a restart': { restored: (stored) => stored.filter(({ kind }) => kind !== 'rule-put') },
  'forgets in a restart which contents are shared': restoring((message) => ({ ...message, isShared: false })),
  'forgets in a restart how far a message has come': restoring((message) => ({ ...message, hopCount: 0 })),
  'never carries out an action': rules((rule) => ({ ...rule, action: undefined })),
  'lets every message through a correlation filter': rules((rule) => ({
    ...rule,
    filter: rule.filter.kind === 'correlation' ? { kind: 'true' } : rule.filter,
  })),
  'gives a new subscription no rule': {
    command: (command) =>
      command.kind === 'put-subscription' ? { ...command, rules: command.rules ?? [] } : command,
  },
  'does not say which rule has made a copy': messages((message) => ({
    ...message,
    propertyChanges: message.propertyChanges?.filter(({ name }) => name !== 'RuleName'),
  })),
  'does not say which number the topic gave': messages((message) => ({
    ...message,
    enqueuedSequenceNumber: undefined,
  })),
  'does not say from which dead-letter queue a message comes': messages((message) => ({
    ...message,
    deadLetterSource: undefined,
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
        .filter(({ hopCount }) => hopCount > 0)
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
      if (command.kind !== 'put-subscription') return command;
      return { ...command, rules: command.rules?.map(change) };
    },
  };
}

function restoring(change: (message: MessageRecord) => MessageRecord): Flaw {
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
