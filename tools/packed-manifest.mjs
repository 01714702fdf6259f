// Changes files for the time of a packing, `trim` before it and `restore` afterwards: leaves out of `package.json` what only a clone
// needs, and gives links to pictures and files that are not packed their addresses on GitHub.
// @ts-check

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');
const MANIFEST = 'package.json';
/** The files as they were. */
const ORIGINALS = join(ROOT, 'node_modules/.jitney-packed');
const PICTURE = /(?<=!\[[^\]]*\]\()(?![a-z]+:)[^)\s]+(?=\))/g;
/** The file or folder of a link; an anchor may follow it. */
const LINKED = /(?<=\]\()(?![a-z]+:)[^)\s#]+(?=[#)])/g;
/** npm packs these whatever `files` in `package.json` says. */
const ALWAYS_PACKED = [MANIFEST, 'LICENSE'];

const { scripts, devDependencies, packageManager, ...packed } = JSON.parse(read(MANIFEST));
const docs = existsSync(join(ROOT, 'docs')) ? readdirSync(join(ROOT, 'docs')) : [];
/** The packed pages. */
const pages = [
  'README.md',
  'AGENTS.md',
  'llms.txt',
  ...docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`),
];

if (process.argv[2] === 'restore') restore();
else trim();

function trim() {
  mkdirSync(ORIGINALS, { recursive: true });
  replace(MANIFEST, `${JSON.stringify(packed, null, 2)}\n`);
  for (const page of pages) replace(page, withAddresses(page, read(page)));
}

function restore() {
  for (const path of [MANIFEST, ...pages]) {
    const original = originalOf(path);
    if (existsSync(original)) copyFileSync(original, join(ROOT, path));
  }
  rmSync(ORIGINALS, { recursive: true });
}

/**
 * @param {string} path
 * @param {string} text
 */
function replace(path, text) {
  // When an earlier packing was broken off, the file is replaced already and its original is kept.
  if (text === read(path)) return;
  copyFileSync(join(ROOT, path), originalOf(path));
  writeFileSync(join(ROOT, path), text);
}

/**
 * The tag of a version never moves, so the packed page leads to the pictures and files of its own version.
 *
 * @param {string} page
 * @param {string} text
 */
function withAddresses(page, text) {
  const [, repository] = /github\.com\/([^/]+\/[^/]+)\.git$/.exec(packed.repository.url) ?? [];
  const pictures = `https://raw.githubusercontent.com/${repository}/v${packed.version}`;
  return text
    .replace(PICTURE, (picture) => `${pictures}/${posix.join(dirname(page), picture)}`)
    .replace(LINKED, (link) => {
      const path = posix.join(dirname(page), link);
      if (isPacked(path)) return link;
      const kind = path.endsWith('/') ? 'tree' : 'blob';
      return `https://github.com/${repository}/${kind}/v${packed.version}/${path}`;
    });
}

/** @param {string} path */
function isPacked(path) {
  if (pages.includes(path) || ALWAYS_PACKED.includes(path)) return true;
  return packed.files.some((/** @type {string} */ name) => `${path}/`.startsWith(`${name}/`));
}

/** @param {string} path */
function originalOf(path) {
  return join(ORIGINALS, path.replaceAll('/', '+'));
}

/** @param {string} path */
function read(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}
