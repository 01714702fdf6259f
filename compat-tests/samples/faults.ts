// The first fault in the output of a sample or in what it left, as a sentence; undefined when there is none.

import { inspect, isDeepStrictEqual } from 'node:util';
import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import type { Contents, Expectation, ExpectedMessage, Range, Said } from './expectation.js';
import type { ProgramRun } from './workspace.js';

/** These are compared of every message; a property that stands only in the expectation is compared as well. */
const COMPARED = [
  ...(['body', 'subject', 'contentType', 'correlationId', 'sessionId'] as const),
  ...(['deadLetterReason', 'deadLetterErrorDescription'] as const),
];
const MESSAGE_LENGTH = 300;

export function findEndFault(run: ProgramRun, { runsUntil }: Expectation): string | undefined {
  const hasEndedWell = runsUntil === undefined ? run.exitCode === 0 : run.wasStopped;
  return hasEndedWell ? undefined : describeEnd(run);
}

export function findPrintFault(output: string, { prints = [], says = [] }: Expectation): string | undefined {
  for (const { pattern, times } of prints) {
    const found = countOf(output, pattern);
    if (found < times.from || found > times.to) {
      return `printed ${pattern} ${found} times instead of ${shown(times)}`;
    }
  }
  for (const said of says) {
    const fault = findSaidFault(output, said);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findSaidFault(output: string, { pattern, lines, inAnyOrder }: Said): string | undefined {
  const said = [...output.matchAll(pattern)].map(([, ...groups]) => groups.join(' '));
  const wanted = [...lines];
  if (inAnyOrder === true) {
    said.sort();
    wanted.sort();
  }
  if (said.length !== wanted.length) {
    return `said ${said.length} lines of ${pattern} instead of ${wanted.length}: ${brief(said)}`;
  }
  const at = wanted.findIndex((line, index) => line !== said[index]);
  return at < 0
    ? undefined
    : `said ${inspect(said[at])} instead of ${inspect(wanted[at])}, as line ${at + 1} of ${pattern}`;
}

/** `where` begins the sentence. */
export function findContentsFault(
  where: string,
  messages: readonly ServiceBusReceivedMessage[],
  contents: Contents,
): string | undefined {
  const count = `${where} holds ${messages.length} messages instead of ${contents.length}`;
  if (messages.length !== contents.length) return count;
  for (const [index, expected] of contents.entries()) {
    const message = messages[index];
    if (message === undefined) return count;
    const is = traitsOf(message, expected);
    const shouldBe = { ...expected, state: 'active' };
    if (!isDeepStrictEqual(is, shouldBe)) {
      return `${where} holds, as message ${index + 1}, ${brief(is)} instead of ${brief(shouldBe)}`;
    }
  }
  return undefined;
}

function traitsOf(message: ServiceBusReceivedMessage, expected: ExpectedMessage): Record<string, unknown> {
  const names = new Set([...COMPARED, ...(Object.keys(expected) as (keyof ExpectedMessage)[])]);
  const traits = [...names].map((name) => [name, message[name]] as const);
  return Object.fromEntries([...traits.filter(([, value]) => value !== undefined), ['state', message.state]]);
}

function brief(value: unknown): string {
  return inspect(value, { breakLength: Number.POSITIVE_INFINITY }).slice(0, MESSAGE_LENGTH);
}

export function countOf(output: string, pattern: RegExp): number {
  return output.match(pattern)?.length ?? 0;
}

function shown({ from, to }: Range): string {
  return from === to ? String(from) : `${from} to ${to}`;
}

export function describeEnd({ exitCode, elapsedMs }: ProgramRun): string {
  return exitCode === undefined
    ? `was still running after ${Math.round(elapsedMs / 1000)} s`
    : `ended with exit code ${exitCode}`;
}
