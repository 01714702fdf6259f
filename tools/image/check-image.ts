// Checks a built image in a network of its own: what it says of itself, its health, the SDK on its ports, its users, its data and its end.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Image, readImage, run } from './image-process.js';
import { exitOf, get, greetWithTls, receive, refusalOf, send, start } from './running-image.js';

const PORTS = [5672, 5300, 5671];
/** Ports that the checks use without TLS. */
const CLEAR_PORTS = [5672, 5300];
const KEPT = ['JITNEY_DATA=/data', 'JITNEY_QUEUES=orders'];
/** User ids as platforms assign them to a project: in the group 0, or in a group that the image does not know. */
const STRANGERS = ['12345:0', '12345:12345'];
/** The variables of the official image, with its license not accepted. */
const OFFICIAL = [
  ...['ACCEPT_EULA=N', 'SQL_SERVER=mssql', 'MSSQL_SA_PASSWORD=Str0ng!Passw0rd', 'SQL_WAIT_INTERVAL=15'],
  'EMULATOR_HTTP_PORT=5301',
];
const OFFICIAL_FILE = '/ServiceBus_Emulator/ConfigFiles/Config.json';

type Check = { readonly name: string; readonly run: (image: Image) => Promise<void> | void };

const CHECKS: readonly Check[] = [
  {
    name: 'it says which ports it has, and listens on every address',
    run: ({ config }) => {
      assert.deepEqual(Object.keys(config.ExposedPorts).sort(), PORTS.map((port) => `${port}/tcp`).sort());
      assert.ok(config.Env.includes('JITNEY_HOST=0.0.0.0'));
    },
  },
  {
    name: 'it is not run by root, and makes no volume unasked',
    run: ({ config }) => {
      assert.equal(config.User, 'node');
      assert.deepEqual(config.Volumes ?? {}, {});
    },
  },
  {
    name: 'the config file of the official emulator can be put where that has it',
    run: ({ root }) => {
      const words = ['--userspec=1000:1000', root, 'test', '-r', '/ServiceBus_Emulator/ConfigFiles'];
      execFileSync('chroot', words);
    },
  },
  { name: 'its health command fails before it runs, and tells that it is well when it does', run: health },
  { name: 'the SDK sends and receives on each port', run: sdk },
  { name: 'AMQP over TLS has its port, and the certificate to trust lies in /data', run: tls },
  { name: 'what is in /data outlives a restart', run: restart },
  { name: "the official image's variables and config file are taken", run: official },
  {
    name: 'it is found by a name with dots: its health at once, all else when the name is allowed',
    run: dots,
  },
  { name: 'it runs as any user, of the group of root and of none that it knows', run: strangers },
  { name: 'with a read-only file system it keeps its data in a volume', run: readOnly },
  {
    name: 'with a read-only file system and no volume it lacks nothing but kept certificates',
    run: noVolume,
  },
  { name: "another user's /data is told with both ids, and what to do", run: foreignData },
];

async function health(image: Image): Promise<void> {
  const command = image.config.Healthcheck.Test.slice(1);
  assert.equal(await exitOf(run(image, command)), 1);
  await using _ = await start(image);
  assert.equal(await exitOf(run(image, command)), 0);
}

async function sdk(image: Image): Promise<void> {
  await using _ = await start(image);
  for (const port of CLEAR_PORTS) await goesThrough(port, 'queue.1');
}

async function tls(image: Image): Promise<void> {
  await using running = await start(image);
  const ca = await greetWithTls();
  assert.equal(readFileSync(join(image.root, 'data/certificates/ca.pem'), 'utf8'), ca);
  await greetWithTls('host.docker.internal');
  await greetWithTls('bus.tests.svc.cluster.local');
  assert.doesNotMatch(running.output(), /⚠/);
}

async function restart(image: Image): Promise<void> {
  await outlivesRestart(image, {});
}

async function official(image: Image): Promise<void> {
  const file = join(makeVolume(0), 'Config.json');
  const queues = [{ Name: 'from-the-file' }];
  writeFileSync(
    file,
    JSON.stringify({ UserConfig: { Namespaces: [{ Name: 'sbemulatorns', Queues: queues }] } }),
  );
  const mountPoint = join(image.root, OFFICIAL_FILE);
  writeFileSync(mountPoint, '');
  await using running = await start(image, { variables: OFFICIAL, volumes: { [OFFICIAL_FILE]: file } });
  assert.match(running.output(), /Queues +1: from-the-file\n/);
  assert.equal((await get('/health', 'localhost', 5301)).status, 200);
  await goesThrough(5672, 'from-the-file');
  await assert.rejects(get('/health'), { code: 'ECONNREFUSED' });
  rmSync(mountPoint);
}

async function dots(image: Image): Promise<void> {
  const host = 'my.sb.internal';
  {
    await using running = await start(image);
    assert.equal((await get('/health', host)).status, 200);
    assert.equal((await get('/$Resources/queues', 'servicebus-emulator')).status, 200);
    const { status, text } = await get('/$Resources/queues', host);
    assert.equal(status, 403);
    assert.match(text, /--allow-host my\.sb\.internal/);
    assert.match(running.output(), /'my\.sb\.internal' is not known here.* --allow-host my\.sb\.internal/);
  }
  await using _ = await start(image, { variables: [`JITNEY_ALLOW_HOSTS=${host}`] });
  assert.equal((await get('/$Resources/queues', host)).status, 200);
}

async function strangers(image: Image): Promise<void> {
  for (const user of STRANGERS) {
    await using running = await start(image, { user });
    await goesThrough(5672, 'queue.1');
    await greetWithTls();
    // That of the group of root may write there.
    if (user === '12345:0') assert.doesNotMatch(running.output(), /⚠/);
    else assert.match(running.output(), bothIds('/data', 1000, 12345));
    rmSync(join(image.root, 'data/certificates'), { recursive: true, force: true });
  }
  // A volume of its own is all that such a user needs.
  const volume = makeVolume(12345);
  await outlivesRestart(image, { user: '12345:12345', volumes: { '/data': volume } });
}

async function readOnly(image: Image): Promise<void> {
  await outlivesRestart(image, { isReadOnly: true, volumes: { '/data': makeVolume(1000) } });
}

async function noVolume(image: Image): Promise<void> {
  await using running = await start(image, { isReadOnly: true });
  await goesThrough(5672, 'queue.1');
  await greetWithTls();
  assert.equal(
    (await get('/msi/token?resource=https://servicebus.azure.net/&api-version=2019-08-01')).status,
    200,
  );
  assert.match(
    running.output(),
    /⚠ Certificates end with this process, because \/data\/certificates cannot be written: .*EROFS.* in a container a volume/,
  );
}

async function foreignData(image: Image): Promise<void> {
  const volumes = { '/data': makeVolume(0) };
  const refusal = await refusalOf(image, { variables: KEPT, volumes });
  assert.match(refusal, /✖ JIT4002 /);
  assert.match(refusal, /runs\s+as\s+the\s+user\s+with\s+id\s+1000/);
  assert.match(refusal, /chown -R 1000 \/data/);
  // Where nothing is to be kept, it does without.
  await using running = await start(image, { volumes });
  assert.match(running.output(), bothIds('/data', 0, 1000));
  await greetWithTls();
}

async function outlivesRestart(image: Image, options: Parameters<typeof start>[1]): Promise<void> {
  const kept = { ...options, variables: KEPT };
  let ca: string;
  {
    await using _ = await start(image, kept);
    await send(5672, 'orders', 'kept');
    ca = await greetWithTls();
  }
  await using running = await start(image, kept);
  assert.equal(await receive(5672, 'orders'), 'kept');
  assert.equal(await greetWithTls(), ca);
  assert.doesNotMatch(running.output(), /⚠/);
}

async function goesThrough(port: number, queue: string): Promise<void> {
  await send(port, queue, `by ${port}`);
  assert.equal(await receive(port, queue), `by ${port}`);
}

function bothIds(path: string, owner: number, self: number): RegExp {
  return new RegExp(`${path} belongs to the user with id ${owner}, and this process runs\\s+as\\s+${self}`);
}

/** Makes a directory of the host, which is removed with the image. */
function makeVolume(owner: number): string {
  const volume = mkdtempSync(join(volumes, 'volume-'));
  chmodSync(volume, 0o755);
  chownSync(volume, owner, owner);
  return volume;
}

const [root = '', inspectFile = ''] = process.argv.slice(2);
const volumes = join(inspectFile, '..', 'volumes');
mkdirSync(volumes, { recursive: true });
const image = readImage(root, inspectFile);
for (const check of CHECKS) {
  await check.run(image);
  // The next one gets a container of its own, as it were.
  for (const name of readdirSync(join(root, 'data'))) rmSync(join(root, 'data', name), { recursive: true });
  process.stdout.write(`✔ ${check.name}\n`);
}
process.stdout.write('The image is good.\n');
