// The workflows and the action name only what exists: scripts of the manifest, files of the project, and actions by their commit.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const WORKFLOWS = readdirSync(join(PROJECT, '.github/workflows')).map((file) => `.github/workflows/${file}`);
const FORMS = readdirSync(join(PROJECT, '.github/ISSUE_TEMPLATE')).map(
  (file) => `.github/ISSUE_TEMPLATE/${file}`,
);
const FOLDERS = ['dist', 'tools', 'test', 'compat-tests', 'config', 'docs'];
const NAMED_FILE = new RegExp(`(?<![\\w/.-])(?:${FOLDERS.join('|')})/[\\w./-]+`, 'g');
const NAMED_SCRIPT = /npm run (?:--silent )?([\w-]+)/g;
const PINNED = /^[\w-]+\/[\w./-]+@[0-9a-f]{40}$/;
const VERSION_BEHIND = /uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

type Step = { readonly uses?: string; readonly run?: string };
type Job = { readonly steps: readonly Step[]; readonly 'timeout-minutes'?: number };
type Workflow = { readonly permissions?: unknown; readonly jobs: Readonly<Record<string, Job>> };

const { scripts } = JSON.parse(read('package.json'));
const workflows = WORKFLOWS.map((path) => ({ path, workflow: parse(read(path)) as Workflow }));
const steps = [
  ...workflows.flatMap(({ path, workflow }) =>
    Object.values(workflow.jobs).flatMap((job) => job.steps.map((step) => ({ path, step }))),
  ),
  ...(parse(read('action.yml')).runs.steps as Step[]).map((step) => ({ path: 'action.yml', step })),
];

test('an action of others is named by its commit, with the version behind it', () => {
  const used = steps.flatMap(({ path, step: { uses } }) =>
    uses === undefined || uses === './' ? [] : [{ path, uses }],
  );
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter(({ uses }) => !PINNED.test(uses))).toEqual([]);
  const lines = WORKFLOWS.flatMap((path) => read(path).match(/.*uses: (?!\.\/).*/g) ?? []);
  expect(lines.filter((line) => !VERSION_BEHIND.test(line))).toEqual([]);
});

test('scripts and files that a step runs exist', () => {
  const runs = steps.flatMap(({ path, step: { run = '' } }) => [{ path, run }]);
  const named = (pattern: RegExp) =>
    runs.flatMap(({ run }) => [...run.matchAll(pattern)].map(([whole, group]) => group ?? whole));
  const namedScripts = named(NAMED_SCRIPT);
  const namedFiles = named(NAMED_FILE).filter((path) => !path.startsWith('dist/'));
  expect(Math.min(namedScripts.length - 5, namedFiles.length)).toBeGreaterThan(0);
  expect(namedScripts.filter((name) => !(name in scripts))).toEqual([]);
  expect(namedFiles.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
});

test('a workflow has no rights but those it names, and each job ends at some time', () => {
  for (const { path, workflow } of workflows) {
    expect(workflow.permissions, path).toEqual({ contents: 'read' });
    for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes'], path).toBeGreaterThan(0);
  }
});

test('the forms for issues are such as GitHub takes: each field that must be filled has an id and a label', () => {
  const forms = FORMS.map((path) => parse(read(path))).filter(({ body }) => body !== undefined);
  expect(forms.length).toBe(FORMS.length - 1);
  for (const { name, description, body } of forms) {
    expect([name, description]).toEqual([expect.any(String), expect.any(String)]);
    const fields = body.filter(({ type }: { type: string }) => type !== 'markdown');
    for (const field of fields) {
      expect(field).toMatchObject({ id: expect.any(String), attributes: { label: expect.any(String) } });
    }
    expect(new Set(fields.map(({ id }: { id: string }) => id)).size).toBe(fields.length);
  }
});

function read(path: string): string {
  return readFileSync(join(PROJECT, path), 'utf8');
}
