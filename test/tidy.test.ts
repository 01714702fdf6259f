// The rules of the house, enforced on every source file; each rule is first shown to catch what it forbids.

import { expect, test } from 'vitest';
import { findForbiddenImports } from './support/import-table.js';
import { readSourceFiles, SourceFile } from './support/source-file.js';
import {
  findBrokerImpurities,
  findLongFile,
  findLongFunctions,
  findMissingHeader,
  findRefusedWords,
  findUnconventionalName,
} from './support/tidy-rules.js';

const files = readSourceFiles();

function linesOf(count: number): string {
  return 'work();\n'.repeat(count);
}

test.each([
  ['rooms import only what the table allows', findForbiddenImports],
  ['files start with a comment that says in a sentence what they are for', findMissingHeader],
  ['files have at most 400 lines', findLongFile],
  ['functions have at most 60 lines', findLongFunctions],
  ['files are named in kebab-case', findUnconventionalName],
  ['words of other brokers are not used', findRefusedWords],
  ['the broker is pure', findBrokerImpurities],
])('%s', (_, findProblems) => {
  expect(files.length).toBeGreaterThan(0);
  expect(files.flatMap(findProblems)).toEqual([]);
});

test.each([
  ['broker/a.ts', "import assert from 'node:assert';"],
  ['broker/a.ts', "import { Engine } from '../engine/engine.js';"],
  ['broker/a.ts', "import type { Clock } from '../engine/ports.js';"],
  ['broker/entity/a.ts', "export { x } from 'long';"],
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
  ['utilities/a.ts', "import { x } from './b.js';"],
])('in %s the import table catches %s', (path, text) => {
  expect(findForbiddenImports(new SourceFile(path, text))).toHaveLength(1);
});

test.each([
  ['broker/entity/a.ts', "import { NEVER } from '../instant.js';"],
  ['engine/a.ts', "import { Broker } from '../broker/broker.js';"],
  ['codec/a.ts', "import types from 'rhea/lib/types.js';"],
  ['amqp/a.ts', "import type { Command } from '../broker/command.js';"],
  ['amqp/a.ts', "import { ServiceBusError } from '../broker/service-bus-error.js';"],
  ['amqp/management/a.ts', "import { x } from '../protocol/link.js';"],
  ['emulator.ts', "import { Port } from './gateway/port.js';"],
  ['cli/a.ts', "await import('../emulator.js');"],
  ['broker/a.ts', "// import x from 'node:fs'\nconst text = 1;"],
])('in %s the import table allows %s', (path, text) => {
  expect(findForbiddenImports(new SourceFile(path, text))).toEqual([]);
});

test.each<[string, (file: SourceFile) => string[], string, string]>([
  ['a header that comes late', findMissingHeader, 'a.ts', "import 'x';\n// Too late."],
  ['a header that is no sentence', findMissingHeader, 'a.ts', '// no sentence\n'],
  ['a script without a header', findMissingHeader, 'a.ts', '#!/usr/bin/env node\n'],
  ['a file of 401 lines', findLongFile, 'a.ts', linesOf(401)],
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
  ['a clock in the broker', findBrokerImpurities, 'broker/a.ts', 'const now = Date.now();'],
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
  ['a file of 400 lines', findLongFile, 'a.ts', linesOf(400)],
  ['a function of 60 lines', findLongFunctions, 'a.ts', `export function f(): void {\n${linesOf(58)}}\n`],
  ['a long class', findLongFunctions, 'a.ts', `class A {\n${linesOf(99)}}\n`],
  ['a long table', findLongFunctions, 'a.ts', `const table = {\n${linesOf(99)}};\n`],
  ['a declaration file', findUnconventionalName, 'codec/rhea-lib.d.ts', ''],
  ['a refused word in a comment or a text', findRefusedWords, 'a.ts', "// A lease.\nrelease('requeue');"],
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
