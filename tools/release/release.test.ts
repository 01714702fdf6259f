// A release goes on only when tag, manifest and changelog name the same version, and its notes are the changelog's.

import { expect, test } from 'vitest';
import { readRelease, withAddresses } from './release.js';

const CHANGELOG = `# Changes

## [Unreleased]

## [1.1.0-beta.1] - 2026-12-03

Tried out.

## [1.0.0] - 2026-12-01

### Added

- All of it ([page](docs/page.md)).

## [0.9.0] - soon

Early.
`;
const sources = { tag: 'v1.0.0', manifestVersion: '1.0.0', changelog: CHANGELOG };

test('the notes are the section of the version, without its heading and without the next one', () => {
  expect(readRelease(sources)).toEqual({
    version: '1.0.0',
    channel: 'latest',
    notes: '### Added\n\n- All of it ([page](docs/page.md)).\n',
  });
});

test('a version that is not final is found as next, and not as latest', () => {
  const release = readRelease({ ...sources, tag: 'v1.1.0-beta.1', manifestVersion: '1.1.0-beta.1' });
  expect(release).toMatchObject({ channel: 'next', notes: 'Tried out.\n' });
});

test.each([
  ['a tag without v', { tag: '1.0.0' }, "The tag is '1.0.0'. Name it v"],
  ['a tag that is a branch', { tag: 'v1.0' }, "The tag is 'v1.0'. Name it v"],
  ['another manifest', { manifestVersion: '1.0.1' }, 'package.json has the version 1.0.1'],
  ['no section', { tag: 'v2.0.0', manifestVersion: '2.0.0' }, "no section '## [2.0.0] - <date>'"],
  ['no date', { tag: 'v0.9.0', manifestVersion: '0.9.0' }, "the date 'soon'"],
  ['an empty section', { changelog: '## [1.0.0] - 2026-12-01\n\n## [0.1.0] - 2026-11-01\n' }, 'says nothing'],
])('%s is refused', (_, change, message) => {
  expect(() => readRelease({ ...sources, ...change })).toThrow(message);
});

test('links of the notes lead to the files of the tag', () => {
  const text = '[a](docs/a.md), [b](https://example.org), [c](docs/c.md#d)';
  expect(withAddresses(text, 'https://example.org/blob/v1')).toBe(
    '[a](https://example.org/blob/v1/docs/a.md), [b](https://example.org), [c](https://example.org/blob/v1/docs/c.md#d)',
  );
});
