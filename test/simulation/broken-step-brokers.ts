// Brokers that take a step for its commands one after the other, or leave part of it out.

import { Broker, type BrokerOptions, type Turn } from '../../src/broker/broker.js';
import type { Command } from '../../src/broker/command.js';
import type { Result } from '../../src/broker/result.js';
import type { MakeBroker } from './checked-broker.js';

type Execute = (broker: Broker, command: Command, now: number) => Turn;

export const BROKEN_STEP_BROKERS: readonly (readonly [flaw: string, makeBroker: MakeBroker])[] = [
  ['does the commands of a step until one is refused', (options) => stepping(options, oneByOne)],
  ['does what is possible of a step that is refused', (options) => stepping(options, whatIsPossible)],
  ['has nothing done by the last command of a step', (options) => stepping(options, allButTheLast)],
];

function stepping(options: BrokerOptions, execute: Execute): ReturnType<MakeBroker> {
  const broker = new Broker(options);
  return {
    execute: (command, now) => execute(broker, command, now),
    nextDeadline: () => broker.nextDeadline(),
    holdsLock: (lockToken, now) => broker.holdsLock(lockToken, now),
    restore: (stored) => broker.restore(stored),
    isContentNeeded: (contentId) => broker.isContentNeeded(contentId),
    readContentsFrom: (read) => broker.readContentsFrom(read),
  };
}

function oneByOne(broker: Broker, command: Command, now: number): Turn {
  if (command.kind !== 'step') return broker.execute(command, now);
  return inTurn(broker, command.commands, now, { isStopped: true });
}

function whatIsPossible(broker: Broker, command: Command, now: number): Turn {
  const turn = broker.execute(command, now);
  if (command.kind !== 'step' || turn.result.kind !== 'failed') return turn;
  const tried = inTurn(broker, command.commands, now, { isStopped: false });
  const events = [...turn.events, ...tried.events];
  return { result: turn.result, events, effects: [...turn.effects, ...tried.effects] };
}

function allButTheLast(broker: Broker, command: Command, now: number): Turn {
  if (command.kind !== 'step') return broker.execute(command, now);
  const turn = broker.execute({ kind: 'step', commands: command.commands.slice(0, -1) }, now);
  if (turn.result.kind !== 'step') return turn;
  return { ...turn, result: { kind: 'step', results: [...turn.result.results, { kind: 'done' }] } };
}

function inTurn(
  broker: Broker,
  commands: readonly Command[],
  now: number,
  { isStopped }: { readonly isStopped: boolean },
): Turn {
  const results: Result[] = [];
  const all: { events: Turn['events']; effects: Turn['effects'] } = { events: [], effects: [] };
  for (const command of commands) {
    const { result, events, effects } = broker.execute(command, now);
    all.events = [...all.events, ...events];
    all.effects = [...all.effects, ...effects];
    if (isStopped && result.kind === 'failed') return { result, ...all };
    results.push(result);
  }
  return { result: { kind: 'step', results }, ...all };
}
