// Contents that the journal cannot read: broker and engine with a journal that has lost some. The engine goes on without them.

import { expect, test } from 'vitest';
import { Broker } from '../../src/broker/broker.js';
import type { Command, ReceiveMode } from '../../src/broker/contract/command.js';
import { ContentUnreadable } from '../../src/broker/contract/content-unreadable.js';
import {
  describeQueue,
  type QueueDescription,
} from '../../src/broker/contract/entities/queue-description.js';
import { LIMITS_OF_TIER } from '../../src/broker/contract/limits.js';
import type { Result } from '../../src/broker/contract/result.js';
import { Engine } from '../../src/engine/engine.js';
import { readMessages } from '../../src/inspect/read-messages.js';
import { MemoryJournal } from '../../src/journal/memory-journal.js';
import { countingGuids, messageOf } from '../support/broker-builders.js';
import { RecordingLink, START, settled } from '../support/engine-under-test.js';
import { JsonReader } from '../support/json-reader.js';
import { VirtualClock } from '../support/virtual-clock.js';

const DEAD = 'orders/$DeadLetterQueue';

/** Loses contents when the test says so. */
class LosingJournal extends MemoryJournal {
  readonly lost = new Set<number>();
  readCount = 0;

  override readContentNow(contentId: number): Uint8Array {
    this.readCount += 1;
    if (this.lost.has(contentId)) throw new ContentUnreadable(contentId, `content ${contentId} is missing`);
    return super.readContentNow(contentId);
  }
}

class Started {
  readonly journal = new LosingJournal();
  readonly told: string[] = [];
  readonly faults: string[] = [];
  readonly engine: Engine;

  constructor() {
    const limits = LIMITS_OF_TIER.standard;
    const broker = new Broker({ limits, nextGuid: countingGuids(), messageReader: new JsonReader() });
    // No content stays in memory once it is durable.
    this.engine = new Engine(broker, this.journal, new VirtualClock(START), { contentBudgetBytes: 0 });
    this.engine.onFault((text) => this.faults.push(text));
  }

  async ask<Kind extends Result['kind']>(
    command: Command,
    kind: Kind,
  ): Promise<Extract<Result, { readonly kind: Kind }>> {
    const result = await this.engine.ask(command);
    expect(result).toMatchObject({ kind });
    return result as Extract<Result, { readonly kind: Kind }>;
  }

  /** A receiver that gives one more credit for each dropped delivery, as the front ends do. */
  receive(entityPath: string, receiveMode: ReceiveMode | 'browse', credit: number): RecordingLink {
    const link = new RecordingLink(this.told);
    link.id = this.engine.openLink(link);
    const linkId = link.id;
    const submit = (command: Command) => this.engine.submit(command, { completed() {} }, 0);
    let deliveryLimit = credit;
    link.dropped = () => {
      this.told.push(`link ${linkId} dropped`);
      deliveryLimit += 1;
      submit({ kind: 'set-credit', linkId, deliveryLimit, drain: false });
    };
    if (receiveMode === 'browse') submit({ kind: 'attach-browser', linkId, entityPath });
    else submit({ kind: 'attach-receiver', linkId, entityPath, receiveMode });
    submit({ kind: 'set-credit', linkId, deliveryLimit, drain: false });
    return link;
  }

  async textsIn(entityPath: string): Promise<string[]> {
    const page = { fromSequenceNumber: 0, maxCount: 10 };
    const { found } = await readMessages(this.engine, { kind: 'inspect-messages', entityPath, ...page });
    return found.map(({ message, content }) => {
      return `${message.properties.sequenceNumber} ${new TextDecoder().decode(content)}`.trim();
    });
  }
}

/** A queue with these messages, whose contents have the numbers from 1 on; those in `lost` are lost. */
async function start(
  texts: readonly string[],
  lost: readonly number[],
  given: Partial<Omit<QueueDescription, 'name'>> = {},
): Promise<Started> {
  const started = new Started();
  await started.engine.start();
  await started.ask(
    { kind: 'put-entity', type: 'queue', description: describeQueue('orders', given) },
    'entity-info',
  );
  const messages = texts.map((text) => messageOf(text, given.requiresSession ? { sessionId: 's' } : {}));
  await started.ask({ kind: 'send', entityPath: 'orders', messages }, 'sent');
  for (const contentId of lost) started.journal.lost.add(contentId);
  return started;
}

test.each(['peek-lock', 'receive-and-delete', 'browse'] as const)(
  'a receiver with the mode %s gets the next message in place of one that cannot be read, which becomes a dead letter',
  async (receiveMode) => {
    const started = await start(['a', 'b', 'c'], [1]);
    started.receive('orders', receiveMode, 2);
    await settled();
    await settled();
    expect(started.told).toEqual(['link 1 dropped', 'link 1 deliver 2', 'link 1 deliver 3']);
    expect(await started.textsIn(DEAD)).toEqual(['1']);
    expect(started.faults).toEqual([
      "The content of 'orders' #1 cannot be read: content 1 is missing. The message is in the dead-letter queue, with an empty body.",
    ]);
    await started.engine.stop();
  },
);

test('the link of another queue goes on as before', async () => {
  const started = await start(['a'], [1]);
  await started.ask(
    { kind: 'put-entity', type: 'queue', description: describeQueue('others') },
    'entity-info',
  );
  const other = started.receive('others', 'peek-lock', 1);
  started.receive('orders', 'peek-lock', 1);
  await started.ask({ kind: 'send', entityPath: 'others', messages: [messageOf('x')] }, 'sent');
  await settled();
  expect(started.told).toContain(`link ${other.id} deliver 1`);
  await started.engine.stop();
});

test('a dead letter whose content was lost is delivered with an empty body', async () => {
  const started = await start(['a'], [1]);
  expect(await started.textsIn('orders')).toEqual([]);
  const link = started.receive(DEAD, 'peek-lock', 1);
  await settled();
  expect(link.contents).toEqual([new Uint8Array()]);
  await started.engine.stop();
});

test('a look at several messages shows those that can be read', async () => {
  const started = await start(['a', 'b', 'c'], [2]);
  expect(await started.textsIn('orders')).toEqual(['1 a', '3 c']);
  expect(await started.textsIn(DEAD)).toEqual(['2']);
  await started.engine.stop();
});

test('a page of messages that all cannot be read is followed by the next that can', async () => {
  const started = await start(['a', 'b', 'c'], [1, 2]);
  const page = { fromSequenceNumber: 0, maxCount: 1 };
  const command = { kind: 'inspect-messages', entityPath: 'orders', ...page } as const;
  const { found } = await readMessages(started.engine, command);
  expect(found.map(({ message }) => message.properties.sequenceNumber)).toEqual([3]);
  expect(started.faults).toHaveLength(2);
  await started.engine.stop();
});

test('a content that a turn cannot read costs its message, and the turn goes on', async () => {
  const started = await start(['a', 'b'], [1]);
  await started.ask(
    { kind: 'put-entity', type: 'queue', description: describeQueue('there') },
    'entity-info',
  );
  const forwarding = describeQueue('orders', { forwardTo: 'there' });
  await started.ask({ kind: 'put-entity', type: 'queue', description: forwarding }, 'entity-info');
  expect(await started.textsIn('there')).toEqual(['1 b']);
  expect(await started.textsIn(DEAD)).toEqual(['1']);
  await started.engine.stop();
});

test('a content that is lost is read and reported once', async () => {
  const started = await start(['a'], [1]);
  started.receive('orders', 'peek-lock', 5);
  started.receive('orders', 'peek-lock', 5);
  await settled();
  await settled();
  expect(started.told).toEqual(['link 1 dropped']);
  expect(started.journal.readCount).toBe(1);
  expect(started.faults).toHaveLength(1);
  await started.engine.stop();
});

test('the state of a session that cannot be read is refused until another is set', async () => {
  const started = await start([], [], { requiresSession: true });
  const link = new RecordingLink(started.told);
  const linkId = started.engine.openLink(link);
  const session = { sessionId: 's', connectionId: 1 };
  const receiver = { linkId, connectionId: 1, receiveMode: 'peek-lock', sessionId: 's' } as const;
  const at = { entityPath: 'orders', session } as const;
  await started.ask({ kind: 'accept-session', entityPath: 'orders', ...receiver }, 'entity');
  await started.ask({ kind: 'set-session-state', ...at, state: Uint8Array.of(1) }, 'done');
  started.journal.lost.add(1);
  for (let i = 0; i < 2; i++) {
    const { contentId } = await started.ask({ kind: 'get-session-state', ...at }, 'session-state');
    await expect(started.engine.readContent(contentId ?? 0)).rejects.toBeInstanceOf(ContentUnreadable);
  }
  await started.ask({ kind: 'set-session-state', ...at, state: Uint8Array.of(2) }, 'done');
  const { contentId } = await started.ask({ kind: 'get-session-state', ...at }, 'session-state');
  expect(await started.engine.readContent(contentId ?? 0)).toEqual(Uint8Array.of(2));
  await started.engine.stop();
});
