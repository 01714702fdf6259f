// Starts that cannot be: each is refused in one message that says what to do, and nothing on disk is touched.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importBuiltPackage } from './support/built-package.js';
import { Jitney } from './support/jitney.js';
import type { RunningProcess } from './support/running-process.js';
import { connect, sendBodies } from './support/service-bus.js';
import { type TemporaryDirectory, temporaryDirectory } from './support/temporary-directory.js';

const { JitneyError, startEmulator } = await importBuiltPackage();

/** LevelDB's diary, begun anew by whoever takes its lock; it holds no data. */
const DIARY = /^LOG(\.old)?$/;

let directory: TemporaryDirectory;

beforeAll(async () => {
  directory = await temporaryDirectory();
});

afterAll(() => directory[Symbol.asyncDispose]());

test('a damaged data directory is reported and left unchanged', async () => {
  const dataDirectory = join(directory.path, 'damaged');
  {
    await using emulator = await startEmulator({ queues: ['orders'], dataDirectory });
    await using client = connect(emulator.connectionString);
    await sendBodies(client, 'orders', ['kept']);
  }
  const manifest = (await filesOf(dataDirectory)).find(({ path }) => path.includes('MANIFEST-'));
  await writeFile(manifest?.path ?? '', 'this is no manifest');
  const before = await filesOf(dataDirectory);

  const refused = await Jitney.failToStart({ queues: ['orders'], dataDirectory });

  await expectOneMessage(refused, 'JIT4003');
  expect(refused.stderr).toContain(dataDirectory);
  expect(await filesOf(dataDirectory)).toEqual(before);
});

test('a topic with the name of an existing queue is reported', async () => {
  const dataDirectory = join(directory.path, 'name in use');
  {
    await using _ = await startEmulator({ queues: ['orders'], dataDirectory });
  }
  const refused = await Jitney.failToStart({ dataDirectory, extraArguments: ['--topic', 'Orders/audit'] });
  await expectOneMessage(refused, 'JIT2009');
  expect(refused.stderr).toContain(
    "Topic 'orders' cannot be created: there is a queue of that name already\n",
  );
});

test('a mistake in the rule of a config file is reported with its place', async () => {
  const file = join(directory.path, 'Rules.json');
  const Properties = { FilterType: 'Sql', SqlFilter: { SqlExpression: "color = 'blue" } };
  const Subscriptions = [{ Name: 'audit', Rules: [{ Name: 'open', Properties }] }];
  const Topics = [{ Name: 'events', Subscriptions }];
  await writeFile(file, JSON.stringify({ UserConfig: { Namespaces: [{ Topics }] } }, undefined, 1));

  const refused = await Jitney.failToStart({ extraArguments: ['--config', file] });
  await expectOneMessage(refused, 'JIT2002');
  expect(refused.stderr).toMatch(/:17:13 .*\.SqlExpression of rule "open" is invalid at line 1, column 9: /);
});

test('a change of a queue that is impossible is reported', async () => {
  const dataDirectory = join(directory.path, 'fixed');
  {
    await using _ = await startEmulator({ queues: ['orders'], dataDirectory });
  }
  const refused = await Jitney.failToStart({ queues: ['orders?enablePartitioning=true'], dataDirectory });
  await expectOneMessage(refused, 'JIT2006');
  expect(refused.stderr).toContain(
    "Queue 'orders' exists with enablePartitioning false, which cannot become true\n",
  );
  expect(refused.stderr).toContain(
    `The stored entity of that name is kept, with its messages, in ${dataDirectory}\n`,
  );
  expect(refused.stderr).toContain('--memory');
});

test('a start that is refused leaves everything as it was, and adds nothing', async () => {
  const dataDirectory = join(directory.path, 'unchanged');
  {
    await using _ = await startEmulator({ dataDirectory, topics: ['events/mail'] });
  }
  const extraArguments = ['--topic', 'events/audit+mail?requiresSession=true'];
  const refused = await Jitney.failToStart({ dataDirectory, extraArguments });
  await expectOneMessage(refused, 'JIT2006');
  expect(refused.stderr).toContain("Subscription 'events/mail' exists with");
  // What was wanted: it would not go if the refused start had made the other one with sessions.
  await using _ = await startEmulator({ dataDirectory, topics: ['events/audit+mail'] });
});

test('an option without a value is reported, and not the value of the next one', async () => {
  const refused = await Jitney.failToStart({
    extraArguments: ['--expire-whole-session', '--queue', 'steps?requiresSession=true'],
  });
  expect((await refused.exited).code).toBe(2);
  expect(refused.stderr).toContain(
    '✖ JIT1001  --expire-whole-session must be true or false, not "--queue"\n',
  );
});

test('in process, the same is an error of a class that can be imported', async () => {
  const starting = startEmulator({ queues: [{ name: 'orders', forwardTo: 'billing' }] });
  const error = await starting.catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(JitneyError);
  expect(error).toMatchObject({ kind: 'bad-forwarding' });
});

test('in process, a bad option is an error that names the valid values', async () => {
  // As JavaScript might have it.
  const options = { limits: 'some' } as unknown as Parameters<typeof startEmulator>[0];
  await expect(startEmulator(options)).rejects.toMatchObject({
    kind: 'bad-option',
    message: 'limits must be one of azure, none, not "some"',
  });
});

test('a start that fails late releases all that it had taken, and keeps no entity', async () => {
  const dataDirectory = join(directory.path, 'given back');
  await using other = await startEmulator();
  const queues = ['typo'];
  const failed = await startEmulator({ dataDirectory, queues, httpPort: other.port }).catch(
    (cause: unknown) => cause,
  );
  expect(failed).toBeInstanceOf(JitneyError);
  // The data directory is locked as long as somebody has it.
  await using again = await startEmulator({ dataDirectory });
  expect(again.httpPort).toBeUndefined();
  expect(again.kept.queues).toEqual([]);
});

/** Every file with what is in it. */
async function filesOf(root: string): Promise<{ readonly path: string; readonly bytes: string }[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && !DIARY.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return Promise.all(
    paths.sort().map(async (path) => ({ path, bytes: (await readFile(path)).toString('base64') })),
  );
}

async function expectOneMessage(refused: RunningProcess, code: string): Promise<void> {
  expect((await refused.exited).code).toBe(1);
  expect(refused.stdout).toBe('');
  expect(refused.stderr).toContain(`✖ ${code}`);
  expect(refused.stderr, 'no stack trace').not.toMatch(/^\s+at /m);
  expect(refused.stderr.match(/^\S.*/gm), 'one sentence; the rest is indented advice').toHaveLength(1);
}
