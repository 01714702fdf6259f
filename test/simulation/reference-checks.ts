// What the reference model says no to, and in which order it looks.

import type { QueueDescription } from '../../src/broker/entity/queue-description.js';
import type { Limits } from '../../src/broker/limits.js';
import type { NewMessage } from '../../src/broker/message/message-properties.js';
import type { ModelQueue } from './reference-state.js';

/** The reason, or undefined when the description will do. `old` is that of the queue that exists. */
export function refusalOfDescription(
  given: QueueDescription,
  old: QueueDescription | undefined,
  limits: Limits,
): string | undefined {
  if (old !== undefined && old.requiresSession !== given.requiresSession) return 'not-allowed';
  if (old !== undefined && given.requiresDuplicateDetection) return 'not-allowed';
  if (given.name.includes('$') || given.name === '') return 'argument';
  if (given.maxDeliveryCount < 1 || given.lockDurationMs < 1) return 'argument';
  if (given.lockDurationMs > 300_000) return 'argument';
  if (1024 * (given.maxMessageSizeInKilobytes ?? 0) > limits.maxMessageSizeCeilingBytes) return 'argument';
  if (given.forwardTo !== undefined || given.requiresDuplicateDetection) return 'not-implemented';
  return undefined;
}

/** The same for a batch that is sent to a queue. */
export function refusalOfSend(
  queue: ModelQueue,
  messages: readonly NewMessage[],
  limits: Limits,
): string | undefined {
  const { description } = queue;
  const sizes = messages.map((message) => message.content.length);
  if (!maySend(queue)) return 'entity-disabled';
  if (description.requiresSession && messages.some((one) => one.sessionId === undefined))
    return 'not-allowed';
  if (messages.length > limits.maxBatchCount) return 'not-allowed';
  if (sizes.some((size) => size > maxSize(queue, limits))) return 'message-size-exceeded';
  if (messages.length > 1 && sum(sizes) > limits.maxMessageSizeBytes) return 'message-size-exceeded';
  const stored = sum(queue.messages.map((message) => message.content.length));
  return stored >= description.maxSizeInMegabytes * 2 ** 20 ? 'quota-exceeded' : undefined;
}

export function maxSize({ description }: ModelQueue, limits: Limits): number {
  const kilobytes = description.maxMessageSizeInKilobytes;
  return kilobytes === undefined ? limits.maxMessageSizeBytes : 1024 * kilobytes;
}

export function maySend({ description }: ModelQueue): boolean {
  return description.status !== 'Disabled' && description.status !== 'SendDisabled';
}

export function mayReceive({ description }: ModelQueue): boolean {
  return description.status !== 'Disabled' && description.status !== 'ReceiveDisabled';
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
