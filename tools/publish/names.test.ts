// The names of publishing: each place has the present ones, and the command replaces them all and can be undone.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Names, placesOf, problemsOf, renamed, straysOf } from './names.js';
import { PROJECT, readProjectFiles } from './project-files.js';

const names: Names = JSON.parse(readFileSync(join(PROJECT, 'tools/publish/names.json'), 'utf8'));
const OLD: Names = { repository: 'your-name/jitney', image: 'ghcr.io/your-name/jitney' };
const NEW: Names = { repository: 'Some-One/bus', image: 'quay.io:443/some-one/jitney' };

test('every place of the project that names it has the names of `tools/publish/names.json`', () => {
  const files = readProjectFiles();
  expect(straysOf(names, files), 'run `npm run names -- --owner ...`, or mend the place').toEqual([]);
  expect(problemsOf(names)).toEqual([]);
  const paths = placesOf(names, files).map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['Dockerfile', 'docs/ci.md', 'package.json']));
});

test('the manifest names the repository, its pages and its issues', () => {
  const manifest = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  const home = `https://github.com/${names.repository}`;
  expect(manifest).toMatchObject({
    repository: { type: 'git', url: `git+${home}.git` },
    homepage: `${home}#readme`,
    bugs: { url: `${home}/issues` },
  });
});

test('all names are replaced, an image is not taken for a repository, and the way back restores every file', () => {
  const files = [
    { path: 'a', text: 'git+https://github.com/your-name/jitney.git, uses: your-name/jitney@v1' },
    { path: 'b', text: 'image: ghcr.io/your-name/jitney:1 and your-name/jitney-more, of your-name/jitney.' },
    { path: 'c', text: 'nothing' },
  ];
  const changed = renamed(files, OLD, NEW);
  expect(changed).toEqual([
    { path: 'a', text: 'git+https://github.com/Some-One/bus.git, uses: Some-One/bus@v1' },
    { path: 'b', text: 'image: quay.io:443/some-one/jitney:1 and your-name/jitney-more, of Some-One/bus.' },
  ]);
  expect(renamed(changed, NEW, OLD)).toEqual(files.slice(0, 2));
  expect(renamed(changed, NEW, NEW)).toEqual([]);
});

test('a place with another owner is found, and other projects are let pass', () => {
  const text = [
    'https://github.com/another/jitney/issues',
    'docker push ghcr.io/<name>/jitney',
    'uses: another/jitney@v1',
    'https://github.com/your-name/jitney.git',
    'https://github.com/Azure/azure-sdk-for-js uses: actions/checkout@v4 ghcr.io/your-name/jitney:1',
  ].join('\n');
  expect(straysOf(OLD, [{ path: 'a', text }])).toEqual([
    { path: 'a', line: 1, name: 'another/jitney' },
    { path: 'a', line: 2, name: '<name>/jitney' },
    { path: 'a', line: 3, name: 'another/jitney' },
  ]);
});

test.each<[Partial<Names>, string]>([
  [{ repository: 'jitney' }, 'The repository is "jitney".'],
  [{ repository: 'https://github.com/a/b' }, 'The repository is "https://github.com/a/b".'],
  [{ repository: '-a/b' }, 'The repository is "-a/b".'],
  [{ image: 'someone/jitney' }, 'The image is "someone/jitney".'],
  [{ image: 'ghcr.io/Someone/jitney' }, 'The image is "ghcr.io/Someone/jitney".'],
  [{ image: 'ghcr.io/someone/jitney:1' }, 'The image is "ghcr.io/someone/jitney:1".'],
])('%j is refused', (changed, sentence) => {
  expect(problemsOf({ ...OLD, ...changed })).toEqual([expect.stringContaining(sentence)]);
});
