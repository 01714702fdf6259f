// The answers to commands that the engine does not carry out because it is being stopped, has failed, or has no room on the disk.

import type { Command } from '../broker/contract/command.js';
import type { Result } from '../broker/contract/result.js';
import { type ErrorReason, ServiceBusError } from '../broker/contract/service-bus-error.js';

export const STOPPED = refusalWith('internal', 'The emulator is being stopped and takes no more commands.');
export const FAILED = refusalWith(
  'internal',
  'The emulator has failed and takes no more commands; its log says why.',
);
/** Commands of clients that store contents. */
const STORING: ReadonlySet<Command['kind']> = new Set<Command['kind']>([
  'send',
  'transfer',
  'set-session-state',
  'restore-snapshot',
]);

/** Whether the command may store a content, for which a full disk has no room. */
export function storesContent(command: Command): boolean {
  return STORING.has(storingKind(command));
}

function storingKind(command: Command): Command['kind'] {
  const { kind } = command;
  return kind === 'enlist' || kind === 'use-entity' ? storingKind(command.command) : kind;
}

export function refusalWith(reason: ErrorReason, message: string): Result {
  return { kind: 'failed', error: new ServiceBusError(reason, message) };
}
