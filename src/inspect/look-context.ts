// The parts of the emulator that a look from the same process needs, and a function that asks the broker.

import type { Command } from '../broker/contract/command.js';
import type { Result } from '../broker/contract/result.js';
import { ServiceBusError } from '../broker/contract/service-bus-error.js';
import { suggestEntity } from '../config/entity-names.js';
import type { SentMessageView } from '../content/shown-message.js';
import type { Engine } from '../engine/engine.js';
import type { StartTimer } from '../engine/timer.js';
import { JitneyError } from '../jitney-error.js';
import type { ActivityStream } from '../watch/activity-stream.js';
import type { EmulatorLook } from './entity-look.js';
import type { OpenWaits } from './wait-until.js';

export type LookContext = {
  readonly engine: Pick<Engine, 'ask' | 'submit' | 'readMessage' | 'waitingDeliveryCount'>;
  readonly activity: ActivityStream;
  readonly waits: OpenWaits;
  readonly connections: Connections;
  readonly startTimer: StartTimer;
  readonly look: EmulatorLook;
  readonly arrange: Arrange;
};

/** Sends and receives without a client, for a test that arranges what its program finds. */
export type Arrange = {
  /** Resolves with the sequence numbers. Rejects with a TypeError for a message that cannot be sent, or with a ServiceBusError. */
  send(entityPath: string, messages: readonly unknown[]): Promise<readonly number[]>;
  /** Resolves with undefined if no message comes within the time. Rejects with a ServiceBusError. */
  receive(path: string, timeoutMs: number): Promise<SentMessageView | undefined>;
};

export type Connections = {
  /** Bytes that were written but not sent yet. */
  readonly unsentBytes: number;
  /** Bytes of messages that have not arrived in full. */
  readonly heldBytes: number;
  /** Calls the listener after each read and each finished write. Returns a function that ends it. */
  onTraffic(listener: () => void): () => void;
};

/** Resolves with a result of this kind. Rejects with a JitneyError. */
export async function ask<Kind extends Result['kind']>(
  context: Pick<LookContext, 'engine' | 'waits'>,
  command: Command,
  kind: Kind,
): Promise<Extract<Result, { readonly kind: Kind }>> {
  context.waits.check();
  const result = await context.engine.ask(command);
  if (result.kind === 'failed') throw await lookErrorOf(result.error, context);
  if (result.kind !== kind) throw new Error(`the broker answered '${result.kind}' to '${command.kind}'`);
  return result as Extract<Result, { readonly kind: Kind }>;
}

/** The JitneyError for a refusal of the broker; any other error unchanged. */
export async function lookErrorOf(error: unknown, { engine }: Pick<LookContext, 'engine'>): Promise<unknown> {
  if (!(error instanceof ServiceBusError)) return error;
  const { reason, message, entityPath } = error;
  if (reason === 'internal') return notRunning(error);
  if (error.data.property === 'snapshot') return new JitneyError('bad-snapshot', message);
  if (reason !== 'entity-not-found' || entityPath === undefined) return error;
  const suggested = await suggestEntity(entityPath, (command) => engine.ask(command));
  return new JitneyError('entity-not-found', `There is no '${entityPath}'.${suggested}`);
}

/** `cause`: why the emulator failed; undefined if it was stopped. */
export function notRunning(cause?: unknown): JitneyError {
  const text =
    cause === undefined
      ? 'The emulator has been stopped. Look at it, and await each wait, before `stop()`.'
      : 'The emulator has failed and no longer answers; `cause` says why.';
  return new JitneyError('not-running', text, { cause });
}
