// Work in large stores. Each row prepares a world, then does one thing whose longest stretch is measured.

import { setImmediate as nextLoop } from 'node:timers/promises';
import type { Outcome } from '../../src/broker/contract/command.js';
import { describeSubscription, describeTopic } from '../../src/broker/contract/entities/topic-description.js';
import type { NewMessage } from '../../src/broker/contract/message-properties.js';
import { DEFAULT_RULE, type RuleDescription } from '../../src/broker/contract/rule-description.js';
import { readMessage } from '../../src/content/read-message.js';
import { newMessage } from '../../test/support/broker-builders.js';
import { str } from '../../test/support/frame-encoder.js';
import { applicationProperties } from '../../test/support/frame-message.js';
import type { World } from './world.js';

export type Row = {
  readonly about: string;
  /** At a tenth of the sizes; default: 50 ms. Whole it is 500 ms. */
  readonly limitMs?: number;
  /** Prepares the world for about `scale` of the stated numbers, and returns what is measured. */
  prepare(world: World, scale: number): Promise<() => Promise<unknown>>;
};

const MILLION = 1_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** By then all work in pieces is done. */
const LONG = 10 * MINUTE;
const SESSIONS = 100_000;
const LOCKS = 100_000;
/** One command may cost as much as 2,500 copies (TOP-15); a batch also has its own work for each message. */
const FULL_FAN_OUT_MS = 500;
/** A command is one turn, whatever it is about. */
const ONE_COMMAND_MS = 500;
/** The lock tokens in 1 MB. */
const REQUESTED = 60_000;

async function fill(world: World, count: number, ...given: Parameters<World['putQueue']>): Promise<void> {
  await world.putQueue(...given);
  await world.send(given[0], count);
}

/** A queue with so many sessions of one message each. */
async function fillSessions(world: World, count: number): Promise<void> {
  await world.putQueue('q', { requiresSession: true });
  await world.send('q', count, (index) => ({ sessionId: `${index}` }));
}

async function expiring(world: World, scale: number, deadLetteringOnMessageExpiration: boolean) {
  await world.putQueue('q', { defaultMessageTimeToLiveMs: DAY, deadLetteringOnMessageExpiration });
  await world.receive('q', 0); // without a receiver nothing expires
  await world.send('q', MILLION * scale);
  return () => world.pass(2 * DAY);
}

export const ROWS: Readonly<Record<string, Row>> = {
  delete: {
    about: 'a queue of 1,000,000 is deleted',
    async prepare(world, scale) {
      await fill(world, MILLION * scale, 'q');
      return async () => {
        await world.ask({ kind: 'delete-entity', entityPath: 'q' });
        await world.pass(LONG);
      };
    },
  },
  purge: {
    about: 'a queue of 1,000,000 is purged',
    async prepare(world, scale) {
      await fill(world, MILLION * scale, 'q');
      return async () => {
        await world.ask({ kind: 'purge', entityPath: 'q' });
        await world.pass(LONG);
      };
    },
  },
  'purge-locked': {
    about: 'a queue of 1,000,000 is purged while all are locked',
    async prepare(world, scale) {
      await fill(world, MILLION * scale, 'q');
      await world.receive('q', MILLION * scale);
      return async () => {
        await world.ask({ kind: 'purge', entityPath: 'q' });
        await world.pass(LONG);
      };
    },
  },
  expire: {
    about: '1,000,000 messages expire at once',
    prepare: (world, scale) => expiring(world, scale, false),
  },
  'expire-to-dead': {
    about: '1,000,000 messages expire at once into the dead-letter queue',
    prepare: (world, scale) => expiring(world, scale, true),
  },
  'expire-session': {
    about: 'a session of 500,000 expires with its first message',
    async prepare(world, scale) {
      await world.putQueue('q', { requiresSession: true });
      await world.ask({
        kind: 'accept-session',
        linkId: world.engine.openLink(IGNORING),
        connectionId: 1,
        entityPath: 'q',
        receiveMode: 'receive-and-delete', // which holds its session for good
        sessionId: 'another',
      });
      await world.send('q', (MILLION * scale) / 2, (index) => ({
        sessionId: 's',
        timeToLiveMs: index === 0 ? DAY : Number.POSITIVE_INFINITY,
      }));
      return () => world.pass(2 * DAY);
    },
  },
  locks: {
    about: '1,000,000 locks end at once',
    async prepare(world, scale) {
      await fill(world, MILLION * scale, 'q', { lockDurationMs: 5 * MINUTE });
      await world.receive('q', MILLION * scale);
      return () => world.pass(LONG);
    },
  },
  'session-lock': {
    about: 'the lock of a session with 100,000 locked messages ends',
    async prepare(world, scale) {
      await world.putQueue('q', { requiresSession: true });
      await world.send('q', LOCKS * scale, () => ({ sessionId: 's' }));
      await world.acceptSessions('q', 1, LOCKS * scale);
      return () => world.pass(LONG);
    },
  },
  'session-detach': {
    about: 'the holder of a session with 100,000 locked messages detaches',
    async prepare(world, scale) {
      await world.putQueue('q', { requiresSession: true });
      await world.send('q', LOCKS * scale, () => ({ sessionId: 's' }));
      const [linkId = 0] = await world.acceptSessions('q', 1, LOCKS * scale);
      return async () => {
        world.engine.closeLink(linkId);
        await nextLoop(); // the rest is due a millisecond later
        await world.pass(LONG);
      };
    },
  },
  'session-locks': {
    about: 'the locks of 100,000 sessions end at once',
    async prepare(world, scale) {
      await fillSessions(world, SESSIONS * scale);
      await world.acceptSessions('q', SESSIONS * scale, 1);
      return () => world.pass(LONG);
    },
  },
  dispatch: {
    about: 'a receiver asks for 1,000,000 messages',
    async prepare(world, scale) {
      await fill(world, MILLION * scale, 'q');
      return () => world.receive('q', MILLION * scale);
    },
  },
  detach: {
    about: 'a receiver with 100,000 locks detaches beside 1,000,000',
    async prepare(world, scale) {
      await fill(world, (MILLION + LOCKS) * scale, 'q');
      await world.receive('q', MILLION * scale);
      const linkId = await world.receive('q', LOCKS * scale);
      return async () => {
        world.engine.closeLink(linkId);
        await world.pass(1000);
      };
    },
  },
  'delete-behind-locked': {
    about: '4,000 messages are deleted behind 1,000,000 locked ones',
    async prepare(world, scale) {
      await fill(world, MILLION * scale, 'q', { lockDurationMs: 5 * MINUTE });
      await world.receive('q', MILLION * scale);
      await world.send('q', 8000);
      return () => deleteMessages(world, 'q');
    },
  },
  'delete-behind-scheduled': {
    about: '4,000 messages are deleted behind 1,000,000 scheduled ones',
    async prepare(world, scale) {
      await world.putQueue('q');
      await world.send('q', MILLION * scale, () => ({ scheduledEnqueueTime: world.clock.now() + DAY }));
      await world.send('q', 8000);
      return () => deleteMessages(world, 'q');
    },
  },
  schedule: {
    about: '1,000,000 scheduled messages fall due at once',
    async prepare(world, scale) {
      const scheduledEnqueueTime = world.clock.now() + DAY;
      await world.putQueue('q');
      await world.send('q', MILLION * scale, () => ({ scheduledEnqueueTime }));
      return () => world.pass(2 * DAY);
    },
  },
  'message-ids': {
    about: 'the window of 1,000,000 message-ids closes',
    async prepare(world, scale) {
      await world.putQueue('q', {
        requiresDuplicateDetection: true,
        duplicateDetectionHistoryTimeWindowMs: DAY,
      });
      await world.send('q', MILLION * scale, (index) => ({ messageId: `${index}` }));
      return () => world.pass(2 * DAY);
    },
  },
  update: {
    about: 'a queue of 1,000,000 is changed',
    async prepare(world, scale) {
      await fill(world, MILLION * scale, 'q');
      return () => world.putQueue('q', { maxDeliveryCount: 3, defaultMessageTimeToLiveMs: DAY });
    },
  },
  forward: {
    about: 'a queue of 1,000,000 begins to forward',
    async prepare(world, scale) {
      await world.putQueue('to');
      await fill(world, MILLION * scale, 'q');
      return async () => {
        await world.putQueue('q', { forwardTo: 'to' });
        await world.pass(LONG);
      };
    },
  },
  'fan-out': {
    about: 'a batch of 100 goes to 2,000 subscriptions',
    limitMs: FULL_FAN_OUT_MS,
    async prepare(world, scale) {
      await makeSubscriptions(world, 'small', 10); // the code has run before, as in the other rows
      await world.send('small', 10_000);
      await makeSubscriptions(world, 't', 2000 * scale);
      const messages = Array.from({ length: 100 }, () => newMessage(CONTENT));
      return () => world.ask({ kind: 'send', entityPath: 't', messages });
    },
  },
  'fan-out-large': {
    about: 'a batch of 1,000 goes to 500 subscriptions, to the last copy',
    limitMs: FULL_FAN_OUT_MS,
    prepare: (world, scale) => fanningOut(world, 1000 * scale, 500),
  },
  'fan-out-largest': {
    about: 'a batch of 4,000 goes to 2,000 subscriptions, to the last copy',
    limitMs: FULL_FAN_OUT_MS,
    prepare: (world, scale) => fanningOut(world, 4000 * scale, 2000),
  },
  'fan-out-like': {
    limitMs: FULL_FAN_OUT_MS,
    about: '7 messages with a property of 30,000 characters go through 500 filters with LIKE',
    async prepare(world, scale) {
      await makeSubscriptions(world, 't', 500 * scale, (index) => ({
        filter: { kind: 'sql', expression: `a LIKE '%x%y${index}%'` },
        action: undefined,
      }));
      const messages = Array.from({ length: 7 }, () => messageWithText(30_000));
      return () => publish(world, messages);
    },
  },
  'fan-out-patterns': {
    limitMs: FULL_FAN_OUT_MS,
    about:
      'a message with a property of 30,000 characters goes through 2,000 filters of one subscription, with patterns of 900',
    async prepare(world, scale) {
      await makeSubscriptions(world, 't', 1, () => DEFAULT_RULE);
      const entityPath = 't/Subscriptions/s0';
      const rules = Array.from({ length: 2000 * scale }, (_, index) => {
        const expression = `a LIKE '%${'_x'.repeat(450)}${index}%'`;
        return { name: `r${index}`, filter: { kind: 'sql', expression }, action: undefined } as const;
      });
      await world.ask({ kind: 'set-rules', entityPath, rules });
      return () => publish(world, [messageWithText(30_000)]);
    },
  },
  'fan-out-actions': {
    limitMs: FULL_FAN_OUT_MS,
    about: 'actions make 56 KB of properties for each of 1,000 subscriptions',
    async prepare(world, scale) {
      await makeSubscriptions(world, 't', 1000 * scale, () => ({
        filter: { kind: 'true' },
        action: { kind: 'sql', expression: 'SET b = a; SET c = a' },
      }));
      return () => publish(world, [messageWithText(28_000)]);
    },
  },
  'settle-many': {
    about: 'a request completes 60,000 messages',
    limitMs: ONE_COMMAND_MS,
    prepare: (world, scale) => settling(world, REQUESTED * scale, { kind: 'complete' }),
  },
  'dead-letter-many': {
    about: 'a request dead-letters 60,000 messages',
    limitMs: ONE_COMMAND_MS,
    prepare: (world, scale) => settling(world, REQUESTED * scale, { kind: 'dead-letter', changes: [] }),
  },
  'renew-many': {
    about: 'a request renews 60,000 locks',
    limitMs: ONE_COMMAND_MS,
    async prepare(world, scale) {
      const lockTokens = await locked(world, REQUESTED * scale);
      return () => world.ask({ kind: 'renew-lock', entityPath: 'q', lockTokens });
    },
  },
  'send-many': {
    about: 'a batch of 60,000 messages is sent without limits',
    limitMs: ONE_COMMAND_MS,
    async prepare(world, scale) {
      await fill(world, 10_000, 'q');
      const messages = Array.from({ length: REQUESTED * scale }, () => newMessage(CONTENT));
      return () => world.ask({ kind: 'send', entityPath: 'q', messages });
    },
  },
  commit: {
    about: 'a transaction of 10,000 batches of 6 messages is committed',
    limitMs: ONE_COMMAND_MS,
    async prepare(world, scale) {
      await fill(world, 10_000, 'q');
      const declared = await world.ask({ kind: 'declare-transaction', connectionId: 1 });
      if (declared.kind !== 'declared') throw new Error('no transaction was declared');
      const { transactionId } = declared;
      for (let index = 0; index < (REQUESTED * scale) / 6; index++) {
        const messages = Array.from({ length: 6 }, () => newMessage(CONTENT));
        const command = { kind: 'send', entityPath: 'q', messages } as const;
        await world.ask({ kind: 'enlist', transactionId, connectionId: 1, command });
      }
      return () => world.ask({ kind: 'discharge', transactionId, connectionId: 1, isFailed: false });
    },
  },
  'test-rules': {
    about:
      'a message with a property of 30,000 characters is tried on 2,000 rules with patterns of 900, until it is refused',
    limitMs: ONE_COMMAND_MS,
    async prepare(world, scale) {
      await makeSubscriptions(world, 't', 2000 * scale, (index) => ({
        filter: { kind: 'sql', expression: `a LIKE '%${'_x'.repeat(450)}${index}%'` },
        action: undefined,
      }));
      const message = messageWithText(30_000);
      return () => world.engine.ask({ kind: 'test-rules', topicName: 't', message, rule: undefined }); // which is refused
    },
  },
  'delete-topic': {
    about: 'a topic with 2,000 subscriptions of 100 messages is deleted',
    async prepare(world, scale) {
      await makeSubscriptions(world, 't', 2000 * scale);
      await world.send('t', 100);
      return async () => {
        await world.ask({ kind: 'delete-entity', entityPath: 't' });
        await world.pass(LONG);
      };
    },
  },
  idle: {
    about: '10,000 queues are deleted as idle at once',
    async prepare(world, scale) {
      for (let index = 0; index < 10_000 * scale; index++) {
        await world.putQueue(`q${index}`, { autoDeleteOnIdleMs: DAY });
      }
      return () => world.pass(2 * DAY);
    },
  },
  restart: {
    about: 'a restart with 1,000,000 messages that have expired and 10,000 queues: the first turns',
    async prepare(world, scale) {
      for (let index = 0; index < 10_000 * scale; index++) await world.putQueue(`q${index}`);
      await expiring(world, scale, true);
      await world.start();
      await world.receive('q', 0);
      world.clock.advance(0);
      return () => world.pass(2 * DAY);
    },
  },
};

const CONTENT = Uint8Array.of(0, 0x53, 0x75, 0xa0, 4, 1, 2, 3, 4);
const IGNORING = {
  isReady: () => true,
  deliver() {},
  dropped() {},
  drained() {},
  sessionAccepted() {},
  detached() {},
};

type Rule = Omit<RuleDescription, 'name'>;

async function makeSubscriptions(
  world: World,
  topicName: string,
  count: number,
  ruleOf: (index: number) => Rule = () => DEFAULT_RULE,
): Promise<void> {
  await world.ask({ kind: 'put-entity', type: 'topic', description: describeTopic(topicName) });
  for (let index = 0; index < count; index++) {
    const description = describeSubscription(`s${index}`);
    const rules = [{ ...ruleOf(index), name: 'rule' }];
    await world.ask({ kind: 'put-entity', type: 'subscription', topicName, description, rules });
  }
}

async function fanningOut(world: World, count: number, subscriptionCount: number) {
  await makeSubscriptions(world, 't', subscriptionCount);
  const messages = Array.from({ length: count }, () => newMessage(CONTENT));
  return () => publish(world, messages);
}

/** Resolves when all copies are made. */
async function publish(world: World, messages: readonly NewMessage[]): Promise<void> {
  await world.ask({ kind: 'send', entityPath: 't', messages });
  await nextLoop(); // what is due comes by a timer
  await world.pass(LONG);
}

/** A queue with so many locked messages. Resolves with their tokens. */
async function locked(world: World, count: number): Promise<readonly string[]> {
  await fill(world, count, 'q');
  await world.receive('q', count);
  return world.lockTokens;
}

async function settling(world: World, count: number, outcome: Outcome) {
  const lockTokens = await locked(world, count);
  return () => world.ask({ kind: 'settle-many', entityPath: 'q', lockTokens, outcome });
}

/** A message with a text of so many characters as a property. */
function messageWithText(length: number): NewMessage {
  const content = Buffer.concat([applicationProperties({ a: str('x'.repeat(length)) }), CONTENT]);
  return readMessage(content);
}

async function deleteMessages(world: World, entityPath: string): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await world.ask({
      kind: 'delete-messages',
      entityPath,
      maxCount: 4000,
      enqueuedBefore: world.clock.now(),
    });
  }
}
