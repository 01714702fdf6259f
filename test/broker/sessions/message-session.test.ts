// The messages of one session, compared with a plain list of them while they come, are taken, come back and go.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MESSAGE_STATE } from '../../../src/broker/contract/message-properties.js';
import { MessageSession } from '../../../src/broker/sessions/message-session.js';
import { StoredMessage } from '../../../src/broker/store/stored-message.js';

function messageWith(sequenceNumber: number): StoredMessage {
  const message = new StoredMessage({
    sequenceNumber,
    enqueuedTime: 0,
    expiresAt: Number.POSITIVE_INFINITY,
    deliveryCount: 0,
    state: MESSAGE_STATE.active,
    wasScheduled: false,
    sessionId: 'a',
    contentId: sequenceNumber,
    sizeBytes: 0,
    isShared: false,
    enqueuedSequenceNumber: undefined,
    details: undefined,
  });
  message.isAvailable = true;
  return message;
}

class SessionUnderTest {
  readonly session = new MessageSession('a');
  readonly all: StoredMessage[] = [];

  add(sequenceNumber: number): void {
    if (this.all.some((message) => message.sequenceNumber === sequenceNumber)) return;
    const message = messageWith(sequenceNumber);
    this.all.push(message);
    this.all.sort((a, b) => a.sequenceNumber - b.sequenceNumber);
    this.session.add(message);
  }

  take(message: StoredMessage | undefined): void {
    if (!message?.isAvailable) return;
    message.isAvailable = false;
    this.session.withdrawn(message);
  }

  giveBack(message: StoredMessage | undefined): void {
    if (message === undefined || message.isAvailable) return;
    message.isAvailable = true;
    this.session.madeAvailable(message);
  }

  remove(message: StoredMessage | undefined): void {
    if (message === undefined) return;
    this.take(message);
    this.all.splice(this.all.indexOf(message), 1);
    this.session.remove(message);
  }

  expectSame(from: number): void {
    expect([...this.session.from(from)]).toEqual(this.all.filter((one) => one.sequenceNumber >= from));
    expect(this.session.first).toBe(this.all.find(({ isAvailable }) => isAvailable));
    expect(this.session.hasMessages).toBe(this.all.length > 0);
  }
}

const step = fc.record({
  kind: fc.constantFrom('add', 'add', 'take', 'take first', 'give back', 'remove', 'remove first'),
  place: fc.nat(200),
});

describe('the messages of a session', () => {
  it('stay in order, and the first available one is known after any change [SES-05]', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const tested = new SessionUnderTest();
        for (const { kind, place } of steps) {
          const message = tested.all[place % Math.max(1, tested.all.length)];
          if (kind === 'add') tested.add(place);
          else if (kind === 'take') tested.take(message);
          else if (kind === 'take first') tested.take(tested.session.first);
          else if (kind === 'give back') tested.giveBack(message);
          else if (kind === 'remove') tested.remove(message);
          else tested.remove(tested.all[0]);
          tested.expectSame(place);
        }
      }),
    );
  });

  it('may be a hundred thousand, taken and removed one after the other', () => {
    const tested = new MessageSession('a');
    for (let number = 1; number <= 100_000; number++) tested.add(messageWith(number));
    for (let number = 1; number <= 100_000; number++) {
      const { first } = tested;
      if (first?.sequenceNumber !== number) throw new Error(`${first?.sequenceNumber} came for ${number}`);
      first.isAvailable = false;
      tested.withdrawn(first);
      tested.remove(first);
    }
    expect(tested.hasMessages).toBe(false);
  });
});
