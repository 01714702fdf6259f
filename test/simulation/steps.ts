// One turn as the watches see it: the commands that took effect with their results, and those that transactions hold.
// With a discharge all enlisted commands are done, or none.

import type { Turn } from '../../src/broker/broker.js';
import type { Command, SingleCommand } from '../../src/broker/contract/command.js';
import type { Result } from '../../src/broker/contract/result.js';
import type { TurnBroker } from '../../src/engine/engine.js';

export type Part = { readonly command: Command; readonly result: Result };

/** Of a step its commands, none if it was refused; of any other command itself. */
export function partsOfStep(command: Command, result: Result): readonly Part[] {
  if (command.kind !== 'step') return [{ command, result }];
  if (result.kind !== 'step') return [];
  return result.results.flatMap((one, index) => {
    const asked = command.commands[index];
    return asked === undefined ? [] : [{ command: asked, result: one }];
  });
}

/** TXN-08. */
const TIMEOUT_MS = 2 * 60_000;
const DONE: Result = { kind: 'done' };

/** A command that is held. */
export type Enlisted = {
  readonly command: SingleCommand;
  /** What it answers when it is done, as far as that is known. */
  readonly result: Result;
  readonly isForgotten: boolean;
};

/** What was asked in a turn and what was answered, command by command, and what was held and will never be done. */
export type Happening = {
  readonly parts: readonly Part[];
  /** It is held from now on. */
  readonly enlisted: Enlisted | undefined;
  readonly rolledBack: readonly Enlisted[];
};

/** What was just executed, when, and by whom. */
export type Step = {
  readonly command: Command;
  readonly turn: Turn;
  readonly now: number;
  readonly broker: TurnBroker;
} & Happening;

type OpenTransaction = { readonly dueAt: number; readonly commands: Enlisted[] };

export class EnlistedCommands {
  readonly #open = new Map<number, OpenTransaction>();

  /** To be called with every turn. */
  afterTurn(command: Command, result: Result, now: number): Happening {
    const timedOut = this.#takeDue(now);
    if (command.kind === 'enlist') {
      return { ...this.#noteEnlisted(command, result, now), rolledBack: timedOut };
    }
    if (command.kind !== 'discharge') {
      return { parts: partsOfStep(command, result), enlisted: undefined, rolledBack: timedOut };
    }
    const commands = isAboutNothing(result) ? [] : this.#take(command.transactionId);
    if (command.isFailed || result.kind === 'failed') {
      return { parts: [], enlisted: undefined, rolledBack: [...timedOut, ...commands] };
    }
    return { parts: commands, enlisted: undefined, rolledBack: timedOut };
  }

  #noteEnlisted(
    { transactionId, command, isForgotten = false }: Extract<Command, { kind: 'enlist' }>,
    result: Result,
    now: number,
  ): Pick<Happening, 'parts' | 'enlisted'> {
    if (isAboutNothing(result)) return { parts: [], enlisted: undefined };
    const open = this.#open.get(transactionId) ?? { dueAt: now + TIMEOUT_MS, commands: [] };
    this.#open.set(transactionId, open);
    const isHeld = result.kind === 'enlisted' || result.kind === 'sent';
    if (!isHeld) return { parts: [{ command, result }], enlisted: undefined };
    const enlisted = { command, result: result.kind === 'sent' ? result : resultOf(command), isForgotten };
    open.commands.push(enlisted);
    return { parts: [], enlisted };
  }

  #takeDue(now: number): readonly Enlisted[] {
    const due = [...this.#open].filter(([, { dueAt }]) => dueAt <= now);
    return due.flatMap(([id]) => this.#take(id));
  }

  #take(transactionId: number): readonly Enlisted[] {
    const { commands = [] } = this.#open.get(transactionId) ?? {};
    this.#open.delete(transactionId);
    return commands;
  }
}

function resultOf({ kind }: SingleCommand): Result {
  return kind === 'send' ? { kind: 'sent', sequenceNumbers: [] } : DONE;
}

/** There is no such transaction, or it is another connection's. */
function isAboutNothing(result: Result): boolean {
  if (result.kind !== 'failed') return false;
  return ['transaction-unknown', 'transaction-timeout'].includes(result.error.reason);
}
