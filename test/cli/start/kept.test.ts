// What earlier starts have kept: told by the next one, and removed by a reset, but for certificates and keys.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Broker } from '../../../src/broker/broker.js';
import {
  describeSubscription,
  describeTopic,
} from '../../../src/broker/contract/entities/topic-description.js';
import { LIMITS_OF_TIER } from '../../../src/broker/contract/limits.js';
import { formatBanner } from '../../../src/cli/start/banner.js';
import { collectEntities } from '../../../src/config/configured-entities.js';
import type { KeptEntities } from '../../../src/config/kept-entities.js';
import { readSettings } from '../../../src/config/settings.js';
import { contentReader } from '../../../src/content/message-reader.js';
import { type Emulator, startEmulator } from '../../../src/emulator.js';
import { Engine } from '../../../src/engine/engine.js';
import { JOURNAL_FOLDER, makeDataDirectory } from '../../../src/journal/data-directory.js';
import { openJournal } from '../../../src/journal/open-journal.js';
import { countingGuids, newMessage } from '../../support/broker-builders.js';
import { REAL_CLOCK } from '../../support/real-clock.js';
import { VirtualClock } from '../../support/virtual-clock.js';

function makeDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'jitney-kept-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

async function send({ port }: Emulator, entity: string): Promise<void> {
  const { status } = await fetch(`http://localhost:${port}/${entity}/messages`, {
    method: 'POST',
    headers: { authorization: 'SharedAccessSignature any' },
    body: 'x',
  });
  expect(status).toBe(201);
}

test('a start tells the entities of earlier ones, each with the number of its messages', async () => {
  const dataDirectory = join(makeDirectory(), 'data');
  {
    await using first = await startEmulator({ dataDirectory, queues: ['a', 'b'], topics: ['events/x+y'] });
    expect(first.kept).toEqual({ queues: [], topics: [] });
    for (const entity of ['a', 'a', 'events']) await send(first, entity);
  }
  await using second = await startEmulator({ dataDirectory, queues: ['new'] });
  expect(second.kept).toEqual({
    queues: [
      { name: 'a', messageCount: 2 },
      { name: 'b', messageCount: 0 },
    ],
    topics: [{ name: 'events', messageCount: 2 }],
  });
});

test('a start adds a subscription when the copies are made that wait by the rules of the last run [TOP-15]', async () => {
  const dataDirectory = join(makeDirectory(), 'data');
  await makeDataDirectory(dataDirectory);
  const broker = new Broker({
    limits: LIMITS_OF_TIER.standard,
    nextGuid: countingGuids(),
    messageReader: contentReader,
    behaviour: { maxFanOutCost: 1 },
  });
  const journal = await openJournal({ directory: join(dataDirectory, JOURNAL_FOLDER) });
  const engine = new Engine(broker, journal, new VirtualClock(Date.now()));
  await engine.start();
  await engine.ask({ kind: 'put-entity', type: 'topic', description: describeTopic('events') });
  for (let index = 0; index < 100; index++) {
    const description = describeSubscription(`s${index}`);
    await engine.ask({ kind: 'put-entity', type: 'subscription', topicName: 'events', description });
  }
  const messages = Array.from({ length: 1000 }, () => newMessage(contentReader.empty));
  await engine.ask({ kind: 'send', entityPath: 'events', messages });
  await engine.stop();
  await using emulator = await startEmulator({ dataDirectory, topics: ['events/new'] });
  const countIn = async (name: string) =>
    (await emulator.topic('events').subscription(name).messages()).length;
  expect([await countIn('s0'), await countIn('s99'), await countIn('new')]).toEqual([1000, 1000, 0]);
});

test('a reset removes entities and messages, and keeps the certificate authority', async () => {
  const dataDirectory = join(makeDirectory(), 'data');
  const options = { dataDirectory, queues: ['a'] };
  let authority: string;
  let port: number;
  {
    await using first = await startEmulator(options);
    port = first.port;
    await send(first, 'a');
    authority = await (await fetch(`http://localhost:${first.port}/ca.pem`)).text();
  }
  {
    await using second = await startEmulator({ ...options, port, reset: true });
    expect(second.kept).toEqual({ queues: [], topics: [] });
    expect(await (await fetch(`http://localhost:${second.port}/ca.pem`)).text()).toBe(authority);
  }
  await using third = await startEmulator(options);
  expect(third.kept).toEqual({ queues: [{ name: 'a', messageCount: 0 }], topics: [] });
  expect(readdirSync(dataDirectory).sort()).toEqual(['.gitignore', 'certificates', 'journal']);
});

test('a start with a reset whose entities are refused removes nothing', async () => {
  const dataDirectory = join(makeDirectory(), 'data');
  {
    await using first = await startEmulator({ dataDirectory, queues: ['a'] });
    await send(first, 'a');
  }
  const refused = startEmulator({ dataDirectory, reset: true, queues: ['b?forwardTo=a'] });
  await expect(refused).rejects.toMatchObject({ kind: 'bad-forwarding' });
  await using second = await startEmulator({ dataDirectory });
  expect(second.kept.queues).toEqual([{ name: 'a', messageCount: 1 }]);
});

test('a start with a reset whose port is taken, or whose certificate is not there, removes nothing', async () => {
  const dataDirectory = join(makeDirectory(), 'data');
  {
    await using first = await startEmulator({ dataDirectory, queues: ['a'] });
    await send(first, 'a');
  }
  await using other = await startEmulator();
  const noFile = join(dataDirectory, 'no.pem');
  for (const [refused, kind] of [
    [{ port: other.port }, 'in-use'],
    [{ httpPort: other.port }, 'in-use'],
    [{ cert: noFile, key: noFile }, 'certificate-unreadable'],
  ] as const) {
    const start = startEmulator({ ...refused, dataDirectory, reset: true });
    await expect(start).rejects.toMatchObject({ kind });
  }
  await using second = await startEmulator({ dataDirectory });
  expect(second.kept.queues).toEqual([{ name: 'a', messageCount: 1 }]);
});

async function keptRow(kept: KeptEntities): Promise<string | undefined> {
  const emulator = {
    connectionString: '',
    host: 'localhost',
    port: 1,
    httpPort: 2,
    tlsPort: 3,
    httpsPort: 4,
  };
  const banner = formatBanner({
    version: '1.2.3',
    emulator: { ...emulator, kept, clock: REAL_CLOCK },
    settings: readSettings({ queue: ['a'] }, {}),
    configured: await collectEntities({ queues: ['a'] }),
    elapsedMs: 1,
  });
  return banner.split('\n').find((row) => row.startsWith('Kept'));
}

test('the banner names what was kept, those with messages first', async () => {
  const queues = [
    { name: 'a', messageCount: 0 },
    { name: 'b', messageCount: 2 },
  ];
  expect(await keptRow({ queues, topics: [{ name: 'events', messageCount: 1 }] })).toBe(
    'Kept          2 queues and 1 topic with 3 messages of earlier starts: b (2 messages), events (1 message), a   (--reset removes them)',
  );
});

test('the banner is short, too, when much was kept, and says nothing of it when nothing was', async () => {
  const queues = Array.from({ length: 1000 }, (_, index) => ({ name: `q${index}`, messageCount: 1 }));
  expect(await keptRow({ queues, topics: [] })).toBe(
    'Kept          1000 queues with 1000 messages of earlier starts: q0 (1 message), q1 (1 message), q2 (1 message), q3 (1 message), q4 (1 message), ...   (--reset removes them)',
  );
  expect(await keptRow({ queues: [], topics: [] })).toBeUndefined();
});
