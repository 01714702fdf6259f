// The rules of the house, enforced on every source file; each rule is first shown to catch what it forbids.

import { expect, test } from 'vitest';
import { findImportCircles, findUnimportedFiles } from './support/import-graph.js';
import { RoomImports } from './support/room-imports.js';
import { findSharedNames, findUnseenExports } from './support/shared-names.js';
import { readSourceFiles, SourceFile } from './support/source-file.js';
import {
  findBrokerImpurities,
  findLongFunctions,
  findMissingHeader,
  findOddComments,
  findPrivateWords,
  findRefusedWords,
  findUnconventionalName,
} from './support/tidy-rules.js';

const files = readSourceFiles();
const rooms = RoomImports.read();

function linesOf(count: number): string {
  return 'work();\n'.repeat(count);
}

test.each([
  ['rooms import only what their imports.txt allows', (file: SourceFile) => rooms.findForbiddenImports(file)],
  ['files start with a comment that says in a sentence what they are for', findMissingHeader],
  ['comments open with a noun phrase or a verb', findOddComments],
  ['functions have at most 60 lines', findLongFunctions],
  ['files are named in kebab-case', findUnconventionalName],
  ['words of other brokers are not used', findRefusedWords],
  ['names are words of the field, not of this house', findPrivateWords],
  ['an export declares its name', findUnseenExports],
  ['the broker is pure', findBrokerImpurities],
])('%s', (_, findProblems) => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.flatMap(findProblems)).toEqual([]);
});

test.each([
  ['files do not import each other in circles, not even types', findImportCircles],
  ['every file but the entries is imported by another', findUnimportedFiles],
  ['an exported name is declared in one file', findSharedNames],
  ['each line of an imports.txt is needed', (all: readonly SourceFile[]) => rooms.findUnusedLines(all)],
])('%s', (_, findProblems) => {
  expect(findProblems(files)).toEqual([]);
});

test.each([
  ['broker/a.ts', "import assert from 'node:assert';"],
  ['broker/a.ts', "import { Engine } from '../engine/engine.js';"],
  ['broker/a.ts', "import type { Clock } from '../engine/ports.js';"],
  ['broker/rules/a.ts', "export { x } from 'long';"],
  ['codec/a.ts', "import rhea from 'rhea';"],
  ['amqp/a.ts', "import types from 'rhea/lib/types.js';"],
  ['amqp/protocol/a.ts', "import { x } from '../link-router.js';"],
  ['amqp/protocol/a.ts', "import type { Command } from '../../broker/command.js';"],
  ['amqp/a.ts', "import { Broker } from '../broker/broker.js';"],
  ['amqp/a.ts', "import {\n  type A,\n  b,\n} from '../http/health.js';"],
  ['http/a.ts', "const x = await import('../amqp/amqp-server.js');"],
  ['gateway/a.ts', "import type { Emulator } from '../emulator.js';"],
  ['config/a.ts', "import 'commander';"],
  ['engine/a.ts', "import { startEmulator } from '../emulator.js';"],
  ['cli/a.ts', "import { Port } from '../gateway/port.js';"],
  ['broker/queue/a.ts', "import type { Topic } from '../topics/topic.js';"],
  ['cli/output/a.ts', "import { jitney } from '../start/start-command.js';"],
  ['utilities/a.ts', "import { x } from './b.js';"],
])('in %s imports.txt forbids %s', (path, text) => {
  expect(rooms.findForbiddenImports(new SourceFile(path, text))).toHaveLength(1);
});

test.each([
  ['broker/queue/a.ts', "import { NEVER } from '../contract/instant.js';"],
  ['engine/a.ts', "import { Broker } from '../broker/broker.js';"],
  ['codec/a.ts', "import types from 'rhea/lib/types.js';"],
  ['amqp/a.ts', "import type { Command } from '../broker/command.js';"],
  ['amqp/a.ts', "import { ServiceBusError } from '../broker/contract/service-bus-error.js';"],
  ['amqp/management/a.ts', "import { x } from '../protocol/link.js';"],
  ['broker/topics/a.ts', "import { Queue } from '../queue/queue.js';"],
  ['broker/rules/a.ts', "import { limit } from '../contract/limits.js';"],
  ['emulator.ts', "import { Port } from './gateway/port.js';"],
  ['cli/a.ts', "await import('../emulator.js');"],
  ['broker/a.ts', "// import x from 'node:fs'\nconst text = 1;"],
])('in %s imports.txt allows %s', (path, text) => {
  expect(rooms.findForbiddenImports(new SourceFile(path, text))).toEqual([]);
});

test('a line of an imports.txt that no import needs is found, and one that an import needs is not', () => {
  const own = new RoomImports({
    'a/': '# Words.\nb/\ntypes of c/\nnode:fs\n',
    'b/': '',
    'c/': 'words c/e.ts\n',
  });
  const files = [new SourceFile('a/d.ts', "import { e } from '../c/e.js';\nimport fs from 'node:fs';")];
  expect(own.findUnusedLines(files)).toEqual(['a/imports.txt allows b/, which no file there imports']);
});

test.each<[string, (file: SourceFile) => string[], string, string]>([
  ['a header that comes late', findMissingHeader, 'a.ts', "import 'x';\n// Too late."],
  ['a header that is no sentence', findMissingHeader, 'a.ts', '// no sentence\n'],
  ['a script without a header', findMissingHeader, 'a.ts', '#!/usr/bin/env node\n'],
  ['a header that opens oddly', findOddComments, 'a.ts', '// What is read.\n// And written.\n'],
  ['a comment on one line that opens oddly', findOddComments, 'a.ts', 'type A = {\n  /** Of the link. */\n'],
  ['a comment on several lines that opens oddly', findOddComments, 'a.ts', '/**\n * Whence it came.\n */\n'],
  ['a comment that opens with a demonstrative', findOddComments, 'a.ts', '/** That of the link. */\n'],
  ['an export of a list', findUnseenExports, 'a.ts', 'const x = 1;\nexport { x };'],
  ['an ambient export', findUnseenExports, 'a.ts', 'export declare const x: number;'],
  ['an export of parts', findUnseenExports, 'a.ts', 'export const { x } = y;'],
  ['the plural of a private word', findPrivateWords, 'a.ts', 'const tlsDoors = 1;'],
  ['a function of 61 lines', findLongFunctions, 'a.ts', `export function f(): void {\n${linesOf(59)}}\n`],
  [
    'the same with a long signature',
    findLongFunctions,
    'a.ts',
    `async function f(\n): Promise<void> {\n${linesOf(60)}}\n`,
  ],
  [
    'a method of 61 lines',
    findLongFunctions,
    'a.ts',
    `class A {\n  #f(a: number): void {\n${linesOf(59)}  }\n}\n`,
  ],
  [
    'an arrow function of 61 lines',
    findLongFunctions,
    'a.ts',
    `const f = (a: number) => {\n${linesOf(59)}};\n`,
  ],
  ['a file in camel case', findUnconventionalName, 'broker/brokerDoor.ts', ''],
  ['a file with a capital', findUnconventionalName, 'broker/Broker.ts', ''],
  ['a file in snake case', findUnconventionalName, 'broker/message_log.ts', ''],
  ['a refused word as the name of a file', findRefusedWords, 'broker/lease.ts', ''],
  ['a refused word inside of a name', findRefusedWords, 'a.ts', 'const visibilityTimeoutMs = 1;'],
  ['a refused abbreviation', findRefusedWords, 'a.ts', 'class DlqMessage {}'],
  ['a refused word computed in a template', findRefusedWords, 'a.ts', 'say(`in $' + '{envelope.size}`);'],
  ['a private word as the name of a file', findPrivateWords, 'gateway/tls-door.ts', ''],
  ['a private word inside of a name', findPrivateWords, 'a.ts', 'const messageLuggage = 1;'],
  ['two words that are private together', findPrivateWords, 'a.ts', 'class SessionTable {}'],
  ['a clock in the broker', findBrokerImpurities, 'broker/a.ts', 'const now = Date.now();'],
  ['a new date without a time in the broker', findBrokerImpurities, 'broker/a.ts', 'const now = new Date();'],
  ['a date without new in the broker', findBrokerImpurities, 'broker/a.ts', 'const now = Date();'],
  ['a clock with another name in the broker', findBrokerImpurities, 'broker/a.ts', 'const { now } = Date;'],
  ['the time zone of the machine in the broker', findBrokerImpurities, 'broker/a.ts', 'date.getHours();'],
  ['a Node type in the broker', findBrokerImpurities, 'broker/a.ts', 'const bytes = Buffer.from(text);'],
  ['waiting in the broker', findBrokerImpurities, 'broker/a.ts', 'await journal.append();'],
  ['a word of AMQP in the broker', findBrokerImpurities, 'broker/a.ts', 'const linkCredit = 1;'],
  ['an AMQP condition in the broker', findBrokerImpurities, 'broker/a.ts', "fail('amqp:not-found');"],
])('%s is caught', (_, findProblems, path, text) => {
  expect(findProblems(new SourceFile(path, text))).toHaveLength(1);
});

test.each<[string, (file: SourceFile) => string[], string, string]>([
  ['a header below a script line', findMissingHeader, 'a.ts', '#!/usr/bin/env node\n// What this is for.\n'],
  ['a header of two lines', findMissingHeader, 'a.ts', '// What this is\n// for.\n\n// And then'],
  ['an odd word that opens no comment', findOddComments, 'a.ts', '// The kind\n// Of a link.\nwork(); // Of'],
  ['a word that begins like an odd one', findOddComments, 'a.ts', '/** Offset of a row. */\n'],
  ['a function of 60 lines', findLongFunctions, 'a.ts', `export function f(): void {\n${linesOf(58)}}\n`],
  [
    'the calendar in the broker',
    findBrokerImpurities,
    'broker/a.ts',
    'new Date(Date.UTC(2026, 0)).getUTCDate();',
  ],
  ['a long class', findLongFunctions, 'a.ts', `class A {\n${linesOf(99)}}\n`],
  ['a long table', findLongFunctions, 'a.ts', `const table = {\n${linesOf(99)}};\n`],
  ['a declaration file', findUnconventionalName, 'codec/rhea-lib.d.ts', ''],
  ['a refused word in a comment or a text', findRefusedWords, 'a.ts', "// A lease.\nrelease('requeue');"],
  ['a private word in a comment or a text', findPrivateWords, 'a.ts', "// Told.\nlog('told');"],
  ['a word that a private one is part of', findPrivateWords, 'a.ts', 'const outdoors = tableOfSessions;'],
  [
    'a word of AMQP in a comment of the broker',
    findBrokerImpurities,
    'broker/a.ts',
    '// Like link-credit in AMQP.\n',
  ],
  ['waiting outside of the broker', findBrokerImpurities, 'engine/a.ts', 'await journal.append();'],
])('%s is let pass', (_, findProblems, path, text) => {
  expect(findProblems(new SourceFile(path, text))).toEqual([]);
});

/** A file without a word but these imports. */
function importing(path: string, ...targets: string[]): SourceFile {
  return new SourceFile(path, targets.map((target) => `import type { A } from '${target}';`).join('\n'));
}

test('two files that import types of each other are a circle', () => {
  const circle = [importing('amqp/a.ts', '../codec/b.js'), importing('codec/b.ts', '../amqp/a.js')];
  expect(findImportCircles(circle)).toEqual(['amqp/a.ts imports codec/b.ts imports amqp/a.ts']);
});

test('a circle of three is found once, and not by the files that lead to it', () => {
  const circle = [importing('c.ts', './a.js'), importing('a.ts', './b.js'), importing('b.ts', './c.js')];
  const outside = importing('d.ts', './a.js', './c.js');
  expect(findImportCircles([outside, ...circle])).toEqual(['a.ts imports b.ts imports c.ts imports a.ts']);
});

test('a file that is imported on two ways is in no circle', () => {
  const files = [importing('a.ts', './b.js', './c.js'), importing('b.ts', './c.js'), importing('c.ts')];
  expect(findImportCircles(files)).toEqual([]);
});

test('a file that is imported by no other is found, but an entry may be', () => {
  const files = [importing('emulator.ts', './a.js'), importing('a.ts'), importing('b.ts', './a.js')];
  expect(findUnimportedFiles(files)).toEqual(['b.ts is imported by no file']);
});

test('a file that is imported when it is needed is imported', () => {
  const files = [new SourceFile('cli/main.ts', "await import('./a.js');"), importing('cli/a.ts')];
  expect(findUnimportedFiles(files)).toEqual([]);
});

test('a name that two files export is found', () => {
  const files = [
    new SourceFile('http/a.ts', 'export async function readRule() {}'),
    new SourceFile('config/b.ts', 'export const readRule = 1;'),
  ];
  expect(findSharedNames(files)).toEqual(['readRule is exported by config/b.ts and http/a.ts']);
});

test('a type and a value of one name in one file are let pass, and a name that is exported again', () => {
  const files = [
    new SourceFile('a.ts', 'export type Kind = string;\nexport const Kind = 1;'),
    new SourceFile('b.ts', "export type { Kind } from './a.js';\nconst Kind = 1;\n// export const Kind"),
  ];
  expect(findSharedNames(files)).toEqual([]);
});
