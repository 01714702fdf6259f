// Makes the folder of this format beside this file anew: a data directory with every kind of row, a snapshot of it, and what is in them.
// Run it with `npx tsx compat-tests/data-directory/make.ts` after a change of the format, before the first release only.

import { once } from 'node:events';
import { cp, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import rhea from 'rhea';
import { administer } from '../support/administration.js';
import { callControl } from '../support/control.js';
import { Jitney } from '../support/jitney.js';
import { type ClosingClient, connect, receiveOne } from '../support/service-bus.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { describeData } from './description.js';

const FIXTURE = fileURLToPath(new URL('format-1', import.meta.url));
const NAMESPACES = ['default', 'tests-1'];
const HOUR = 3_600_000;
const IMPORT_ID = '0'.repeat(64);
/** LevelDB's diary and lock, which hold no data, and a file because of which git would ignore the others. */
const NOT_KEPT = /^(?:LOG|LOG\.old|LOCK|\.gitignore)$/;
const QUEUES = [
  'orders?maxDeliveryCount=5&userMetadata=kept',
  'steps?requiresSession=true',
  'once?requiresDuplicateDetection=true&duplicateDetectionHistoryTimeWindow=P7D',
  'parts?enablePartitioning=true',
  'archive',
  'emptied',
  'closed',
  'copied',
];
const TOPIC = ['--topic', 'events/all+red+blue'];
const extraArguments = ['--clock', 'virtual', '--namespaces', 'tests-1'];

await using directory = await temporaryDirectory();
const dataDirectory = join(directory.path, 'data');
const start = (queues: readonly string[], more: readonly string[] = []) =>
  Jitney.start({ dataDirectory, queues, extraArguments: [...extraArguments, ...more] });

const before = await start(QUEUES, TOPIC);
const client = connect(before.connectionString);
await fillOrders(client);
await fillSessions(client);
await fillTopic(client);
await fillOthers(client);
await fillNamed(before);
await sendThrough(before, 'orders', 'closed');
await client.close();
await before.stop();

// What is written now stays in the log: the process is killed before the table has it.
const after = await start([]);
const last = connect(after.connectionString);
await last.createSender('orders').sendMessages({ body: 'last' });
await last.createSender('once').sendMessages({ body: 'again', messageId: 'm-2' });
const expected = Object.fromEntries(
  await Promise.all(NAMESPACES.map(async (name) => [name, await describeData(after, name)] as const)),
);
const snapshot = await fetch(`http://localhost:${after.address.port}/$jitney/v1/snapshot`);
const bytes = new Uint8Array(await snapshot.arrayBuffer());
await after.killNine();
await last.close();

await rm(FIXTURE, { recursive: true, force: true });
await cp(dataDirectory, join(FIXTURE, 'data'), {
  recursive: true,
  filter: (path) => !NOT_KEPT.test(basename(path)),
});
await writeFile(join(FIXTURE, 'snapshot'), bytes);
await writeFile(join(FIXTURE, 'expected.json'), JSON.stringify(expected));
console.log(`${FIXTURE} is made. Run npm run fix, and then the test.`);

/** A message in every state, one that was delivered before, and one that is gone. */
async function fillOrders(client: ClosingClient): Promise<void> {
  const sender = client.createSender('orders');
  const receiver = client.createReceiver('orders');
  await sender.sendMessages({ body: 'completed' });
  await receiver.completeMessage(await receiveOne(receiver));
  await sender.sendMessages({ body: 'dead' });
  await receiver.deadLetterMessage(await receiveOne(receiver), {
    deadLetterReason: 'broken',
    deadLetterErrorDescription: 'it was broken',
  });
  await sender.sendMessages({ body: 'deferred' });
  await receiver.deferMessage(await receiveOne(receiver));
  await sender.sendMessages({
    body: { text: 'abandoned', bytes: 'ÿ' },
    messageId: 'm-1',
    correlationId: 'c-1',
    subject: 'placed',
    contentType: 'application/json',
    timeToLive: 24 * HOUR,
    applicationProperties: { text: 'a', number: 1.5, yes: true, when: new Date(1_700_000_000_000) },
  });
  await receiver.abandonMessage(await receiveOne(receiver), { step: 2 });
  await sender.sendMessages({ body: Buffer.from([0, 1, 255]) });
  await sender.scheduleMessages({ body: 'scheduled' }, new Date(Date.now() + HOUR));
}

async function fillSessions(client: ClosingClient): Promise<void> {
  const sender = client.createSender('steps');
  await sender.sendMessages([
    { body: 'one', sessionId: 'a' },
    { body: 'two', sessionId: 'a' },
    { body: 'gone', sessionId: 'b' },
  ]);
  for (const sessionId of ['a', 'b']) {
    const receiver = await client.acceptSession('steps', sessionId);
    await receiver.setSessionState({ lastStep: sessionId });
    if (sessionId === 'b') await receiver.completeMessage(await receiveOne(receiver));
    await receiver.close();
  }
}

/** Copies with a rule's action, a correlation filter, a shared content, and a scheduled message. */
async function fillTopic(client: ClosingClient): Promise<void> {
  const red = client.createRuleManager('events', 'red');
  await red.createRule('red', { sqlExpression: "color = 'red'" }, { sqlExpression: 'SET marked = TRUE' });
  await red.deleteRule('$Default');
  const blue = client.createRuleManager('events', 'blue');
  await blue.createRule('blue', { subject: 'sky', applicationProperties: { color: 'blue' } });
  await blue.deleteRule('$Default');
  const sender = client.createSender('events');
  for (const color of ['red', 'blue'])
    await sender.sendMessages({ body: color, subject: 'sky', applicationProperties: { color } });
  await sender.scheduleMessages(
    { body: 'later', applicationProperties: { color: 'red' } },
    new Date(Date.now() + HOUR),
  );
}

/** A remembered message-id without its message, partitions, and an import that has not ended. */
async function fillOthers(client: ClosingClient): Promise<void> {
  await client.createSender('once').sendMessages({ body: 'once', messageId: 'm-1' });
  const receiver = client.createReceiver('once');
  await receiver.completeMessage(await receiveOne(receiver));
  const sender = client.createSender('parts');
  for (const partitionKey of ['a', 'b', 'c']) await sender.sendMessages({ body: partitionKey, partitionKey });
  const emptied = client.createSender('emptied');
  await emptied.sendMessages([{ body: 'purged' }, { body: 'purged' }]);
  await callControl(before, 'messages:purge?entity=emptied', {});
  await emptied.sendMessages({ body: 'after the purge' });
  const { messages } = await callControl<{ messages: unknown[] }>(
    before,
    'messages?entity=orders&state=deferred&raw=true',
  );
  await callControl(before, 'messages:import?entity=copied', { messages, importId: IMPORT_ID });
}

async function fillNamed({ connectionString }: Jitney): Promise<void> {
  const named = connectionString.replace('AccessKeyName=RootManageSharedAccessKey', '$&@tests-1');
  await administer(named).createQueue('elsewhere');
  const other = connect(named);
  await other.createSender('elsewhere').sendMessages({ body: 'in another namespace' });
  await other.close();
}

/** Sends through one queue to another that is disabled when the message comes. */
async function sendThrough(jitney: Jitney, queue: string, destination: string): Promise<void> {
  const connection = rhea
    .create_container()
    .connect({ ...jitney.address, username: 'plain', reconnect: false });
  const sender = connection.open_sender({
    target: queue,
    properties: { 'com.microsoft:transfer-destination-address': destination },
  });
  await once(sender, 'sendable');
  const administration = administer(jitney.connectionString);
  await administration.updateQueue({
    ...(await administration.getQueue(destination)),
    status: 'SendDisabled',
  });
  const accepted = once(sender, 'accepted');
  sender.send({ body: 'through another' });
  await accepted;
  connection.close();
}
