// A message session that a test holds on some connection, for requests that are about it.

import { expect } from 'vitest';
import type { FrameChannel } from '../../support/frame-channel.js';
import { type Encoded, str, TRUE, timestamp, uint } from '../../support/frame-encoder.js';
import { receiveOne } from '../../support/frame-links.js';
import { dataSection, messageAnnotations, propertiesSection } from '../../support/frame-message.js';
import { sessionFields } from '../../support/frame-sessions.js';
import type { Body } from './management-client.js';
import { uuids } from './request-bodies.js';
import { QUEUE, type Received, receivedOf, type Surroundings } from './surroundings.js';

export const SESSION_QUEUE = { queues: [`${QUEUE}?lockDuration=PT30S&requiresSession=true`] } as const;
export const SESSION_LOCK_LOST = {
  status: 'int 410',
  condition: "'com.microsoft:session-lock-lost",
  description: expect.stringMatching(
    /^The session lock has expired on the MessageSession\. Accept a new MessageSession\. T/,
  ),
  body: { type: 'map', value: [] },
};

export class HeldSession {
  readonly #channel: FrameChannel;
  readonly #handle: number;
  #receivedCount = 0;

  private constructor(channel: FrameChannel, handle: number) {
    this.#channel = channel;
    this.#handle = handle;
  }

  /** On the connection of the requests unless another is named; each on a handle of its own. */
  static async accept(
    given: Surroundings,
    sessionId: string,
    { handle = 100, channel = given.session } = {},
  ): Promise<HeldSession> {
    channel.send('attach', sessionFields(handle, sessionId, { path: QUEUE }));
    const answer = await channel.take('attach');
    if (answer.field('source')?.type !== 'described') throw new Error(`not accepted: ${answer.text}`);
    return new HeldSession(channel, handle);
  }

  /** The next message, under the session's lock. */
  async receive(): Promise<Received> {
    return receivedOf(await receiveOne(this.#channel, this.#handle, this.#receivedCount++));
  }

  async close(): Promise<void> {
    this.#channel.send('detach', { handle: uint(this.#handle), closed: TRUE });
    await this.#channel.take('detach');
  }
}

export function sessionMessage(sessionId: string, text: string): Buffer {
  return Buffer.concat([propertiesSection({ groupId: str(sessionId) }), dataSection(text)]);
}

/** As SDKs put it into a request to schedule it. */
export function scheduledSessionMessage(sessionId: string, text: string, at: number): Buffer {
  const annotations = messageAnnotations({ 'x-opt-scheduled-enqueue-time': timestamp(at) });
  return Buffer.concat([annotations, sessionMessage(sessionId, text)]);
}

/** The body of a request about a session. */
export function about(sessionId: string, fields: Body = {}): Body {
  return { 'session-id': str(sessionId), ...fields };
}

export function settling(status: string, tokens: readonly Buffer[], fields: Body = {}): Body {
  return { 'lock-tokens': uuids(...tokens), 'disposition-status': str(status), ...fields };
}

/** What a request about each session operation takes. */
export const OF_HOLDERS: readonly (readonly [
  operation: string,
  fields: Readonly<Record<string, Encoded>>,
])[] = [
  ['renew-session-lock', {}],
  ['get-session-state', {}],
  ['set-session-state', { 'session-state': Buffer.of(0x40) }],
];
