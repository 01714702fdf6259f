// The log: one line a cause at `info`, one line a record at `debug`, and no repetition within a minute.

import { describe, expect, it } from 'vitest';
import type { Activity } from '../../src/broker/contract/activity.js';
import type { Command } from '../../src/broker/contract/command.js';
import type { RequestOrigin } from '../../src/engine/requester.js';
import { writeActivityLog } from '../../src/watch/activity-log.js';
import type { ActivityRecord } from '../../src/watch/activity-record.js';
import { ActivityStream } from '../../src/watch/activity-stream.js';
import type { ClientActivity } from '../../src/watch/client-activity.js';
import { VirtualTimers } from '../support/virtual-timers.js';

const CLIENT = { connectionId: 2, name: 'x', product: 'azsdk-js/7.9.5', label: 'azsdk-js/7.9.5' };
const LINK = 5;
const MESSAGE = { path: 'orders', sequenceNumber: 7 };
const EXPIRED_LOCK: Activity = {
  kind: 'lock-expired',
  ...MESSAGE,
  linkId: LINK,
  heldMs: 5000,
  deliveryCount: 1,
  maxDeliveryCount: 10,
};

const SENT: Activity = {
  kind: 'enqueued',
  ...MESSAGE,
  messageId: 'm1',
  correlationId: 'c1',
  sessionId: undefined,
  sizeBytes: 5,
  content: new TextEncoder().encode('hello'),
};

function logging({
  isDebug = false,
  bodyText,
}: {
  readonly isDebug?: boolean;
  readonly bodyText?: (content: Uint8Array) => string;
} = {}) {
  const lines: string[] = [];
  const records: ActivityRecord[] = [];
  const asked: string[] = [];
  let now = 0;
  let turnDone = (_all: readonly Activity[], _origin?: RequestOrigin) => {};
  const source: ConstructorParameters<typeof ActivityStream>[0] = {
    listen(listener) {
      turnDone = (all, origin) => {
        const commandEnd = origin === undefined ? 0 : all.length;
        listener?.({ all, commandStart: 0, commandEnd }, now, origin);
      };
    },
  };
  const stream = new ActivityStream(source, () => now);
  const timers = new VirtualTimers();
  const end = writeActivityLog(stream, {
    startTimer: timers.startTimer,
    isDebug,
    bodyText,
    write: (level, text, record) => {
      lines.push(`${level} ${text}`);
      records.push(record);
    },
    suggest: async (path) => {
      asked.push(path);
      return " Did you mean 'orders'?";
    },
    whyUnmatched: async (topic, content) => ` Not taken: ${topic} ${new TextDecoder().decode(content)}.`,
  });
  stream.connectionOpened(CLIENT, { kind: 'connection-opened', transport: 'tcp' });
  stream.linkOpened(LINK, CLIENT.connectionId);
  lines.length = 0;
  records.length = 0;
  return {
    stream,
    records,
    /** The paths for which a near name was asked. */
    asked,
    /** The lines of a turn that did all of these. */
    async turn(...all: Activity[]): Promise<string[]> {
      turnDone(all);
      await Promise.resolve();
      return lines.splice(0);
    },
    /** The lines of a turn in which somebody did these by hand. */
    async byHand(...all: Activity[]): Promise<string[]> {
      turnDone(all, { connectionId: undefined, linkId: undefined, program: 'curl/8.5' });
      await Promise.resolve();
      return lines.splice(0);
    },
    /** The lines of a command of the connected client. */
    async command(activity: Activity): Promise<string[]> {
      turnDone([activity], { connectionId: CLIENT.connectionId, linkId: undefined });
      await Promise.resolve();
      return lines.splice(0);
    },
    async client(activity: ClientActivity): Promise<string[]> {
      stream.add(activity, { connectionId: CLIENT.connectionId, linkId: undefined });
      await new Promise((resolve) => setImmediate(resolve));
      return lines.splice(0);
    },
    /** The lines that come in this time. */
    async passTime(ms: number): Promise<string[]> {
      now += ms;
      timers.advance(ms);
      await Promise.resolve();
      return lines.splice(0);
    },
    /** The lines that come at the end of the log, after which no timer is left. */
    end(): string[] {
      end();
      expect(timers.delays).toEqual([]);
      return lines.splice(0);
    },
  };
}

/** As a line has it, in the zone of this machine. */
function timeOfDay(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(11, 23);
}

describe('at info', () => {
  it('a lock that ends under a connected receiver says how long it was, and what to do', async () => {
    const log = logging();
    expect(await log.turn(EXPIRED_LOCK)).toEqual([
      "info The lock of 'orders' #7 ended after 5 s while its receiver of connection 2, azsdk-js/7.9.5 was still connected (delivery 1 of 10): renew the lock, or give the entity a longer lock duration.",
    ]);
  });

  it('a lock that ends after its receiver has gone says so', async () => {
    const log = logging();
    log.stream.linkClosed(LINK);
    expect(await log.turn(EXPIRED_LOCK)).toEqual([
      "info The lock of 'orders' #7 ended after 5 s, its receiver gone (delivery 1 of 10).",
    ]);
  });

  it('a dead-lettered message names the reason, and who gave it back last', async () => {
    const log = logging();
    const dead = {
      kind: 'dead-lettered',
      ...MESSAGE,
      reason: 'MaxDeliveryCountExceeded',
      description: 'Too often.',
    } as const;
    expect(await log.turn(SENT, { ...EXPIRED_LOCK, kind: 'abandoned', heldMs: 13 }, dead)).toEqual([]);
    expect(await log.passTime(500)).toEqual([
      `info 'orders' #7, id 'm1', at ${timeOfDay(0)} was dead-lettered: MaxDeliveryCountExceeded: Too often. Last abandoned by connection 2, azsdk-js/7.9.5 after 13 ms.`,
    ]);
  });

  it('five messages that are dead-lettered with one reason are one line within a second: how many, first and last', async () => {
    const log = logging();
    for (const sequenceNumber of [1, 2, 3, 4, 5]) {
      const message = { path: 'orders', sequenceNumber };
      const dead = {
        kind: 'dead-lettered',
        ...message,
        reason: 'unreadable',
        description: undefined,
      } as const;
      expect(await log.turn({ ...SENT, ...message, messageId: `a-${sequenceNumber}` }, dead)).toEqual([]);
      expect(await log.passTime(100)).toEqual(
        sequenceNumber < 5
          ? []
          : [
              `info 'orders': 5 messages were dead-lettered, first #1, id 'a-1', at ${timeOfDay(0)}, last #5, id 'a-5', at ${timeOfDay(400)}: unreadable`,
            ],
      );
    }
    const dead = { kind: 'dead-lettered', ...MESSAGE, reason: 'unreadable', description: undefined } as const;
    await log.turn(dead, dead);
    expect(await log.passTime(59_000)).toEqual([]);
    expect(await log.passTime(1000)).toEqual([
      `info 'orders': 2 messages were dead-lettered, first #7, at ${timeOfDay(500)}, last #7, at ${timeOfDay(500)}: unreadable`,
    ]);
    await log.turn(dead);
    expect(log.end()).toEqual([`info 'orders' #7, at ${timeOfDay(60_500)} was dead-lettered: unreadable`]);
  });

  it('a fault that happens says so, and which', async () => {
    const log = logging();
    const fault = {
      kind: 'fault-fired',
      path: 'orders',
      operation: 'send',
      effect: 'server-busy',
      fault: 2,
    } as const;
    expect(await log.client(fault)).toEqual([
      "info Fault 2 happened to 'send' of 'orders' of connection 2, azsdk-js/7.9.5: server-busy.",
    ]);
  });

  it('a lock that somebody ended by hand says so, and so does the message that it dead-letters', async () => {
    const log = logging();
    const dead = { kind: 'dead-lettered', ...MESSAGE, reason: 'Max', description: undefined } as const;
    expect(await log.byHand(EXPIRED_LOCK, dead)).toEqual([
      "info The lock of 'orders' #7 ended after 5 s (by hand, curl/8.5): delivery 1 of 10.",
    ]);
    expect(await log.passTime(500)).toEqual([
      `info 'orders' #7, at ${timeOfDay(0)} was dead-lettered: Max Its last lock was ended (by hand, curl/8.5) after 5 s.`,
    ]);
    const lost = { kind: 'session-lost', path: 'jobs', sessionId: 's', linkId: LINK } as const;
    expect(await log.byHand(lost)).toEqual([
      `info The lock of session "s" of 'jobs' was ended (by hand, curl/8.5).`,
    ]);
  });

  it('a message that expires into the dead-letter queue is one line', async () => {
    const log = logging();
    const dead = {
      kind: 'dead-lettered',
      ...MESSAGE,
      reason: 'TTLExpiredException',
      description: undefined,
    } as const;
    expect(await log.turn({ kind: 'expired', ...MESSAGE }, dead)).toEqual([
      "info 'orders' #7 expired: its time to live is over.",
    ]);
  });

  it('a missing entity is told with a near name', async () => {
    const log = logging();
    const text = "The messaging entity 'order' could not be found. TrackingId:1, SystemTracker:x";
    const refused = {
      kind: 'link-refused',
      role: 'receiver',
      path: 'order',
      condition: 'amqp:not-found',
      text,
    } as const;
    expect(await log.client(refused)).toEqual([
      "info 'order' refused a receiver of connection 2, azsdk-js/7.9.5: amqp:not-found: The messaging entity 'order' could not be found. Did you mean 'orders'?",
    ]);
  });

  it('a near name is looked for once for each cause, however often it comes', async () => {
    const log = logging();
    const refused = (path: string) =>
      ({ kind: 'link-refused', role: 'receiver', path, condition: 'amqp:not-found', text: '' }) as const;
    for (const path of ['order', 'order', 'ordrs', 'order']) await log.client(refused(path));
    expect(log.asked).toEqual(['order', 'ordrs']);
  });

  it('a message that no subscription took is told with the rules, which are asked about its content', async () => {
    const log = logging();
    const accepted: Activity = { ...SENT, kind: 'accepted' };
    const text = "'orders' #7 reached no subscription: none of their rules matches it.";
    expect(await log.turn(accepted, { kind: 'unmatched', ...MESSAGE })).toEqual([
      `info ${text} Not taken: orders hello.`,
    ]);
    const later = logging();
    const other = { ...MESSAGE, sequenceNumber: 8 };
    expect(await later.turn(accepted, { kind: 'unmatched', ...other })).toEqual([
      `info ${text.replace('#7', '#8')}`,
    ]);
  });

  it('a message that turns out later to be taken by no subscription is told without them: its memory may have another content', async () => {
    const log = logging();
    expect(await log.turn({ ...SENT, kind: 'accepted' })).toEqual([]);
    expect(await log.turn({ kind: 'unmatched', ...MESSAGE })).toEqual([
      "info 'orders' #7 reached no subscription: none of their rules matches it.",
    ]);
  });

  it.each<[Activity | ClientActivity, string]>([
    [
      { kind: 'unmatched', ...MESSAGE },
      "'orders' #7 reached no subscription: none of their rules matches it.",
    ],
    [
      { kind: 'refused', command: 'settle', path: 'orders', reason: 'message-lock-lost', text: 'Lost.' },
      "'orders' refused to settle a message: Lost.",
    ],
    [
      { kind: 'transaction-rolled-back', transactionId: 4, operationCount: 1, cause: 'It timed out.' },
      'Transaction 4 was rolled back: It timed out.',
    ],
    [{ kind: 'entity-deleted', entity: 'queue', path: 'idle' }, "The queue 'idle' was deleted."],
  ])('%o says why', async (activity, text) => {
    expect(await logging().turn(activity as Activity)).toEqual([`info ${text}`]);
  });

  it.each<[ClientActivity, string]>([
    [
      { kind: 'token-refused', path: 'orders', reason: 'unauthorized', text: 'The signature is wrong.' },
      "A token of connection 2, azsdk-js/7.9.5 for 'orders' was refused: The signature is wrong.",
    ],
    [
      { kind: 'link-detached', path: 'orders', condition: 'amqp:x', text: 'Gone.' },
      "A link to 'orders' of connection 2, azsdk-js/7.9.5 was detached: Gone.",
    ],
  ])('%o of a client says why', async (activity, text) => {
    expect(await logging().client(activity)).toEqual([`info ${text}`]);
  });

  it.each<[Command['kind'], string, string]>([
    ['send', 'The SessionId was not set on a message.', 'take a message'],
    ['receive-deferred', 'The number 7 is unknown.', 'give a deferred message'],
    ['settle', 'The number 7 is unknown.', 'settle a message'],
  ])(
    'a refused %s of a client of AMQP says why; a question of Jitney itself says nothing',
    async (command, text, action) => {
      const log = logging();
      const refused = { kind: 'refused', command, path: 'steps', reason: 'not-allowed', text } as const;
      expect(await log.turn(refused)).toEqual([]);
      expect(await log.command(refused)).toEqual([
        `info 'steps' refused to ${action} of connection 2, azsdk-js/7.9.5: ${text}`,
      ]);
      expect(await log.command(refused)).toEqual([]);
    },
  );

  it.each([
    [1, '1 message'],
    [20, '20 messages'],
  ])('a purge of %i says who did it', async (messageCount, count) => {
    const purged = { kind: 'purged', path: 'orders', messageCount } as const;
    expect(await logging().byHand(purged)).toEqual([
      `info 'orders' was purged: ${count} removed (by hand, curl/8.5).`,
    ]);
  });

  it('what goes as expected says nothing', async () => {
    const log = logging();
    const completed = { kind: 'completed', ...MESSAGE, linkId: LINK, heldMs: 1 } as const;
    expect(await log.turn(completed, { kind: 'forwarded', ...MESSAGE, destination: 'x' })).toEqual([]);
    expect(await log.client({ kind: 'connection-closed', cause: undefined })).toEqual([]);
  });

  it('the same cause for the same client comes again after a minute, with a count, whether or not it goes on', async () => {
    const log = logging();
    expect(await log.turn(EXPIRED_LOCK)).toHaveLength(1);
    expect(await log.turn(EXPIRED_LOCK, EXPIRED_LOCK, EXPIRED_LOCK)).toEqual([]);
    expect(await log.passTime(60_000)).toEqual([
      expect.stringContaining('longer lock duration. (and 2 more since the last line)'),
    ]);
    expect(await log.passTime(60_000)).toEqual([]);
    expect(await log.turn(EXPIRED_LOCK)).toHaveLength(1);
  });
});

it('at debug every record has one line, with its client', async () => {
  const log = logging({ isDebug: true });
  expect(await log.turn({ kind: 'completed', ...MESSAGE, linkId: LINK, heldMs: 20 })).toEqual([
    "debug 'orders' #7  Completed after 20 ms  [connection 2, azsdk-js/7.9.5]",
  ]);
});

it('at debug a time that no date has is ever', async () => {
  const log = logging({ isDebug: true });
  const { content: _, ...sent } = SENT as Activity & { readonly kind: 'enqueued' };
  expect(await log.turn({ ...sent, kind: 'scheduled', enqueueAt: 9e15, content: new Uint8Array() })).toEqual([
    `debug 'orders' #7  Scheduled for a time that no date has with id "m1", correlation "c1", 5 bytes`,
  ]);
});

it('each line comes with the record that it tells of', async () => {
  const log = logging({ isDebug: true });
  await log.turn(EXPIRED_LOCK);
  expect(log.records).toEqual([log.stream.read(2), log.stream.read(2)]);
  expect(log.records[0]).toMatchObject({ kind: 'lock-expired', client: CLIENT });
});

it('a message that comes in has its ids, and its body only for those who ask for bodies', async () => {
  const line = 'debug \'orders\' #7  Enqueued with id "m1", correlation "c1", 5 bytes';
  expect(await logging({ isDebug: true }).turn(SENT)).toEqual([line]);
  const log = logging({ isDebug: true, bodyText: (content) => `body ${Buffer.from(content)}` });
  expect(await log.turn(SENT)).toEqual([`${line}  body hello`]);
  expect(JSON.stringify(log.records)).not.toContain('hello');
});

it('a line feed of a client makes no second line', async () => {
  const log = logging({ isDebug: true });
  const text = 'first\nsecond';
  const refused = { kind: 'link-refused', role: 'sender', path: 'a\nb', condition: 'x', text } as const;
  const lines = await log.client(refused);
  expect(lines).toHaveLength(2);
  for (const line of lines) expect(line).not.toContain('\n');
});
