// The package as npm packs it: what is in it, how it is loaded by `require`, and what a Node that is too old can read of it.

import { execFile } from 'node:child_process';
import { access, copyFile, mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { connect, only, sendBodies, takeAll } from './support/service-bus.js';
import { temporaryDirectory } from './support/temporary-directory.js';

type Jitney = typeof import('../src/emulator.js');

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const run = promisify(execFile);

test('`require` loads an emulator that takes a config file, keeps messages and answers over HTTP', async () => {
  const { JitneyError, startEmulator }: Jitney = createRequire(import.meta.url)('jitney');
  await using directory = await temporaryDirectory();
  const configJson = JSON.stringify({
    UserConfig: { Namespaces: [{ Name: 'a', Queues: [{ Name: 'orders' }] }] },
  });
  await using emulator = await startEmulator({ configJson, dataDirectory: directory.path });
  await using client = connect(emulator.connectionString);
  await sendBodies(client, 'orders', ['hello']);
  expect(only(await takeAll(client, 'orders')).body).toBe('hello');

  const health = await fetch(`http://localhost:${emulator.port}/health`);
  expect(health.status).toBe(200);
  await expect(startEmulator({ configJson: '{' })).rejects.toThrow(JitneyError);
});

test('`import` hands on what `require` loads, so that a program with both has each class once', async () => {
  const required: Jitney = createRequire(import.meta.url)('jitney');
  const imported: Jitney = await import('jitney');
  expect({ ...imported }).toEqual({ ...required });
});

test('only `level` is left to install, and an install without it is possible', async () => {
  const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  expect(manifest.dependencies).toBeUndefined();
  expect(Object.keys(manifest.optionalDependencies)).toEqual(['level']);
  expect(Object.values(manifest.peerDependenciesMeta)).toEqual(
    Object.keys(manifest.peerDependencies).map(() => ({ optional: true })),
  );
});

test('the package has few files: the program, its config, and one declaration file for each entry and module system', async () => {
  const paths = await packedPaths();
  expect(paths.filter((path) => !path.startsWith('docs/')).length).toBeLessThanOrEqual(80);
  const declarations = paths.filter((path) => /\.d\.[cm]?ts$/.test(path)).sort();
  const ofEmulator = ['dist/emulator.d.cts', 'dist/emulator.d.ts'];
  const ofKit = [
    'global-setup.d.cts',
    'jest.d.cts',
    'testcontainers.d.cts',
    'testing.d.cts',
    'vitest.d.cts',
    'vitest.d.ts',
  ];
  expect(declarations).toEqual([...ofEmulator, ...ofKit.map((name) => `dist/${name}`)].sort());
  for (const path of declarations) {
    const text = await readFile(join(ROOT, path), 'utf8');
    expect(text).toContain(ofEmulator.includes(path) ? 'declare function startEmulator' : 'declare ');
    const others = text.match(/^(import|export)\b.* from .*$|import\(.*/gm) ?? [];
    expect(
      others.filter((line) => !/ from '(?:vitest|testcontainers|\.\/emulator\.c?js)';$/.test(line)),
    ).toEqual([]);
    if (ofEmulator.includes(path)) expect(others).toEqual([]);
  }
  expect(paths).toContain('dist/third-party-licences.txt');
  expect(paths).toContain('docs/README.md');
});

test('the licence of every bundled package is in the package', async () => {
  const licences = await readFile(join(ROOT, 'dist/third-party-licences.txt'), 'utf8');
  const chunks = (await readdir(join(ROOT, 'dist/chunks'))).filter((name) => name.endsWith('.cjs'));
  const bundles = await Promise.all(chunks.map((name) => readFile(join(ROOT, 'dist/chunks', name), 'utf8')));
  const names = Array.from(
    bundles.join('\n').matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm),
    ([, name]) => name ?? '',
  );
  expect(names).toEqual(expect.arrayContaining(['rhea', 'commander', 'classic-level', 'ws', 'zod']));
  for (const name of new Set(names)) expect(licences).toContain(`\n${name} `);
});

test('what is packed has no scripts that would run elsewhere, links to what is not packed have addresses, and all is as it was afterwards', async () => {
  await using project = await temporaryDirectory();
  const packedFiles = await packedPaths();
  const pages = packedFiles.filter((path) => /\.md$|^llms\.txt$/.test(path));
  const files = [...pages, 'package.json', 'tools/packed-manifest.mjs'];
  for (const folder of ['tools', 'node_modules', 'docs']) await mkdir(join(project.path, folder));
  for (const file of files) await copyFile(join(ROOT, file), join(project.path, file));
  const textOf = (file: string) => readFile(join(project.path, file), 'utf8');
  const tool = (word: string) =>
    run(process.execPath, [join(project.path, 'tools/packed-manifest.mjs'), word]);
  const originals = await Promise.all(files.map(textOf));

  await tool('trim');
  await tool('trim');
  const packed = JSON.parse(await textOf('package.json'));
  expect(packed).toMatchObject({ name: 'jitney', bin: { jitney: 'dist/cli/main.js' } });
  for (const key of ['scripts', 'devDependencies', 'packageManager'])
    expect(Object.keys(packed)).not.toContain(key);
  const repository = packed.homepage.match(/github\.com\/([^#]+)/)?.[1];
  const version = `v${packed.version}`;
  const pictureAddress = `https://raw.githubusercontent.com/${repository}/${version}/`;
  const fileAddress = new RegExp(`^https://github\\.com/${repository}/(?:blob|tree)/${version}/`);
  let pictures = 0;
  let linked = 0;
  for (const page of pages) {
    for (const [, mark, to = ''] of (await textOf(page)).matchAll(/(!?)\[[^\]]*\]\(([^)#]+)/g)) {
      const place = `${page} leads to ${to}`;
      if (mark === '!') {
        expect(to, place).toContain(pictureAddress);
        await access(join(ROOT, to.slice(pictureAddress.length)));
        pictures += 1;
      } else if (fileAddress.test(to)) {
        const path = to.replace(fileAddress, '');
        expect((await stat(join(ROOT, path))).isDirectory(), place).toBe(to.includes('/tree/'));
        expect(packedFiles, place).not.toContain(path);
        linked += 1;
      } else if (!/^[a-z]+:/.test(to)) {
        expect(packedFiles, place).toContain(posix.join(dirname(page), to));
      }
    }
  }
  expect(pictures).toBeGreaterThan(1);
  expect(linked).toBeGreaterThan(10);

  await tool('restore');
  expect(await Promise.all(files.map(textOf))).toEqual(originals);
});

test('a bundler keeps an entry that is imported only for the matchers that it adds', async () => {
  const contents = ['vitest', 'jest'].map((name) => `import 'jitney/${name}';`).join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    external: ['vitest', '@azure/service-bus', './testing-kit.cjs', './chunks/*'],
    logLevel: 'error',
  });
  const text = outputFiles[0]?.text ?? '';
  expect(text).toContain('// dist/vitest.js');
  expect(text).toContain('// dist/jest.cjs');
});

test('the `jitney` command loads nothing before it has looked at the version of Node', async () => {
  const main = await readFile(join(ROOT, 'dist/cli/main.js'), 'utf8');
  expect(main).toContain('JIT1006');
  expect(main).not.toMatch(/^(import|export)\b/m);
  expect(main.length).toBeLessThan(2000);
});

test.skipIf(process.platform === 'win32')(
  'the program may be run as it is packed, by an installer that does not change its mode, too',
  async () => {
    const { mode } = await stat(join(ROOT, 'dist/cli/main.js'));
    expect((mode & 0o777).toString(8)).toBe('755');
  },
);

async function packedPaths(): Promise<string[]> {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    // There it is a script.
    shell: process.platform === 'win32',
  });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  return files.map(({ path }) => path);
}
