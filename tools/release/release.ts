// What a tag, the manifest and the changelog say of a release, which must be the same.

/** A version as npm takes it, behind the `v` of a tag. */
const TAG = /^v(\d+\.\d+\.\d+(-[\w.]+)?)$/;
const HEADING = /^## \[([^\]]+)\](?: - (\S+))?$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

export type Release = {
  readonly version: string;
  /** The dist-tag of npm and the tag of the image that lead to it. */
  readonly channel: 'latest' | 'next';
  /** The changelog's section without its heading. */
  readonly notes: string;
};

type Sources = { readonly tag: string; readonly manifestVersion: string; readonly changelog: string };

/** Throws an Error that says which of the three has another version, or none. */
export function readRelease({ tag, manifestVersion, changelog }: Sources): Release {
  const [, version = '', prerelease] = TAG.exec(tag) ?? [];
  if (version === '') throw new Error(`The tag is '${tag}'. Name it v and a version, such as v0.1.0.`);
  if (version !== manifestVersion) {
    throw new Error(
      `The tag is '${tag}', but package.json has the version ${manifestVersion}. Change one of them.`,
    );
  }
  const notes = sectionOf(changelog, version);
  return { version, channel: prerelease === undefined ? 'latest' : 'next', notes };
}

function sectionOf(changelog: string, version: string): string {
  const lines = changelog.split('\n');
  const at = lines.findIndex((line) => HEADING.exec(line)?.[1] === version);
  if (at < 0) {
    throw new Error(`CHANGELOG.md has no section '## [${version}] - <date>'. Rename "Unreleased" to it.`);
  }
  const date = HEADING.exec(lines[at] ?? '')?.[2] ?? '';
  if (!DATE.test(date)) {
    throw new Error(`CHANGELOG.md gives ${version} the date '${date}'. Write it as 2026-11-28.`);
  }
  const rest = lines.slice(at + 1);
  const end = rest.findIndex((line) => HEADING.test(line));
  const notes = (end < 0 ? rest : rest.slice(0, end)).join('\n').trim();
  if (notes === '') throw new Error(`CHANGELOG.md says nothing of ${version}. Say what it brings.`);
  return `${notes}\n`;
}

/** Makes links to files of the project lead to them from anywhere. */
export function withAddresses(notes: string, files: string): string {
  return notes.replace(/\]\((?!https?:|#)([^)]+)\)/g, (_, path) => `](${files}/${path})`);
}
