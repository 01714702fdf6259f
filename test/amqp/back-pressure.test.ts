// Tests of who is read while too many bytes are unfinished.

import { beforeEach, describe, expect, test } from 'vitest';
import { BackPressure } from '../../src/amqp/back-pressure.js';
import type { Transport } from '../../src/amqp/transport.js';

const MIB = 1024 * 1024;

/** The part of a transport that is asked and told. */
class FakeTransport {
  isRead = true;
  readonly closedWith: unknown[] = [];
  readonly connection = {
    heldBytes: 0,
    submittedBytes: 0,
    close: (error: unknown) => this.closedWith.push(error),
  };

  holdBack(isHeldBack: boolean): void {
    this.isRead = !isHeldBack;
  }
}

let engine: { pendingBytes: number };
let transports: Set<FakeTransport>;
let backPressure: BackPressure;
beforeEach(() => {
  engine = { pendingBytes: 0 };
  transports = new Set();
  backPressure = new BackPressure(engine, transports as never);
});

/** A connection that holds so many bytes of unfinished messages. */
function connect(heldBytes: number): FakeTransport {
  const transport = new FakeTransport();
  transports.add(transport);
  hold(transport, heldBytes);
  return transport;
}

function hold(transport: FakeTransport, heldBytes: number): void {
  transport.connection.heldBytes = heldBytes;
  backPressure.received(transport as unknown as Transport);
}

function close(transport: FakeTransport): void {
  transports.delete(transport);
  backPressure.closed(transport as unknown as Transport);
}

function areRead(...asked: readonly FakeTransport[]): readonly boolean[] {
  return asked.map(({ isRead }) => isRead);
}

test('an upload of 96 MB is read to its end, and nobody waits for it', () => {
  const others = [connect(0), connect(MIB)];
  const upload = connect(96 * MIB);
  expect(areRead(upload, ...others)).toEqual([true, true, true]);
});

test('of several uploads above the share one is read at a time, the longest-held first', () => {
  const small = connect(MIB);
  const [first, second, third] = [connect(40 * MIB), connect(40 * MIB), connect(40 * MIB)];
  expect(areRead(small, first, second, third)).toEqual([true, true, false, false]);
  hold(first, 0);
  expect(areRead(small, first, second, third)).toEqual([true, true, true, false]);
  close(second);
  expect(areRead(small, first, third)).toEqual([true, true, true]);
});

test('four uploads of 90 MB that come piece by piece have 110 MB together at most', () => {
  const uploads = Array.from({ length: 4 }, () => connect(0));
  let highest = 0;
  for (let step = 0; step < 4 * 90; step++) {
    for (const upload of uploads) {
      const { heldBytes } = upload.connection;
      if (upload.isRead && heldBytes < 90 * MIB) hold(upload, heldBytes + MIB);
    }
    highest = Math.max(
      highest,
      uploads.reduce((sum, { connection }) => sum + connection.heldBytes, 0),
    );
    for (const upload of uploads) if (upload.connection.heldBytes === 90 * MIB) close(upload);
    uploads.splice(0, uploads.length, ...uploads.filter((upload) => transports.has(upload)));
  }
  expect(uploads).toEqual([]);
  expect(highest).toBeLessThanOrEqual(110 * MIB);
});

test('a sender whose messages are not yet durable waits for the disk, and no one else does', () => {
  const other = connect(MIB);
  const sender = connect(0);
  engine.pendingBytes = 70 * MIB;
  sender.connection.submittedBytes = 70 * MIB;
  backPressure.received(sender as unknown as Transport);
  expect(areRead(other, sender)).toEqual([true, false]);
  engine.pendingBytes = 0;
  sender.connection.submittedBytes = 0;
  backPressure.balance();
  expect(areRead(other, sender)).toEqual([true, true]);
});

test('a connection with more than 128 MiB of unfinished messages is closed', () => {
  expect(connect(129 * MIB).closedWith).toMatchObject([{ condition: 'amqp:resource-limit-exceeded' }]);
});

describe('a connection that does not finish', () => {
  test('is closed after 60 s in which another waited for it', () => {
    const slow = connect(40 * MIB);
    connect(40 * MIB);
    backPressure.tick(0);
    hold(slow, 40 * MIB + 1); // a byte now and then does not help
    backPressure.tick(59_000);
    expect(slow.closedWith).toEqual([]);
    backPressure.tick(60_000);
    expect(slow.closedWith).toMatchObject([{ condition: 'amqp:resource-limit-exceeded' }]);
  });

  test('may take its time while nobody waits', () => {
    const slow = connect(70 * MIB);
    for (let nowMs = 0; nowMs <= 300_000; nowMs += 1000) backPressure.tick(nowMs);
    expect(areRead(slow)).toEqual([true]);
    expect(slow.closedWith).toEqual([]);
  });
});
