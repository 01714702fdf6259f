// A test's surroundings: an emulator with some queues and a topic, and conversations with it that end with the test.

import { expect } from 'vitest';
import { openEmulatorUnderTest } from '../../support/emulator-under-test.js';
import { FrameClient } from '../../support/frame-client.js';
import { Conversation } from './conversation.js';
import type { Dialect } from './dialect.js';

export const QUEUE = 'new-orders';
/** Requires sessions. */
export const SESSION_QUEUE = 'orders-by-customer';
export const TOPIC = 'new-events';
export const SUBSCRIPTION = 'by-mail';
/** Requires sessions. */
export const SESSION_SUBSCRIPTION = 'by-customer';
export const DEAD_LETTER_QUEUE = `${QUEUE}/$DeadLetterQueue`;

type Emulator = Awaited<ReturnType<typeof openEmulatorUnderTest>>;

export type Talk = {
  readonly emulator: Emulator;
  /** A connection that has been opened. */
  readonly conversation: Conversation;
  /** Another one. */
  connect(): Promise<Conversation>;
};

export async function talk(dialect: Dialect, act: (talk: Talk) => Promise<void>): Promise<void> {
  const emulator = await openEmulatorUnderTest({
    queues: [QUEUE, `${SESSION_QUEUE}?requiresSession=true`],
    topics: [
      { name: TOPIC, subscriptions: [SUBSCRIPTION, { name: SESSION_SUBSCRIPTION, requiresSession: true }] },
    ],
  });
  const connect = async () => {
    const conversation = new Conversation(new FrameClient(emulator.connect()), dialect);
    await conversation.connect();
    return conversation;
  };
  try {
    await act({ emulator, conversation: await connect(), connect });
    expect(emulator.faults).toEqual([]);
  } finally {
    await emulator.stop();
  }
}
