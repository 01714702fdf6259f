// The text of a failure: what was expected, what is there, the nearest miss, what happened last, and the clock, in the width of a terminal.

import type { EmulatorCounts } from '../inspect/emulator-entities.js';
import type { EmulatorClockState } from '../steer/clock-control.js';
import type { ActivityRecord, Client } from '../watch/activity-record.js';
import { chosenName } from '../watch/client-label.js';
import { deadLetterReason, eventText, shortDuration } from '../watch/record-kinds.js';
import type { Compared, SeenMessage } from './compare.js';
import type { Reason } from './matchers.js';
import { fitted, onOneLine, quotedText, shownValue } from './shown-value.js';
import type { Sight } from './sight.js';

/** The last things that happened, messages that are there, and other dead letters: so many are shown. */
const MOST_EVENTS = 12;
const MOST_THERE = 5;
const MOST_ALSO = 3;
const FIELD = '    ';
/** Frameworks print the name of the error before its first line. */
const NAME_LENGTH = 'AssertionError: '.length;

export type EntityFailure = {
  /** `expect(queue 'orders').toHaveMessages`, and its arguments. */
  readonly call: string;
  readonly given: string;
  readonly waitedMs: number;
  /** Empty: idle. Undefined: nobody looked, because it did not matter. */
  readonly underWay: readonly string[];
  readonly reasons: readonly Reason[];
  /** A sentence for each message that the subscription did not take. */
  readonly notTaken: readonly string[];
  readonly sight: Sight;
  readonly clock: EmulatorClockState;
  /** The time from which the times of records are shown, by the broker's clock. */
  readonly begin: number;
  readonly width: number;
};

export function failureText(failure: EntityFailure): string {
  const { call, given, reasons, notTaken, sight, clock, begin, width } = failure;
  const lines = [
    ...callLines(call, given, width),
    ...(sight.missing === undefined ? [] : wrapped(sight.missing, width)),
    ...waitLines(failure),
    ...reasons.flatMap((reason) => reasonLines(reason, width)),
    ...notTaken.flatMap((sentence) => wrapped(sentence, width)),
    ...alsoLines(sight, reasons),
    ...eventLines(sight.records(), { begin, where: sight.label, most: MOST_EVENTS, width }),
    clockText(clock),
  ];
  return lines.map((line) => fitted(onOneLine(line.trimEnd()), width)).join('\n');
}

/** A sentence on as many lines as it needs; those after the first are indented. */
export function wrapped(sentence: string, width: number): readonly string[] {
  const lines: string[] = [''];
  for (const word of sentence.split(/(?<=\S) /)) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`    ${word}`);
  }
  return lines;
}

function callLines(call: string, given: string, width: number): readonly string[] {
  const line = `${call}(${given})`;
  return line.length <= width - NAME_LENGTH ? [line] : [`${call}(`, ...wrapped(`    ${given})`, width)];
}

/** An entity that is not there does not depend on the work of others. */
function waitLines({ waitedMs, underWay, sight, width }: EntityFailure): readonly string[] {
  const waited = `Waited ${waitedMs.toLocaleString('en-US')} ms`;
  if (sight.counts === undefined) return [`${waited} for it to be created.`];
  const state = underWay.length === 0 ? 'idle' : 'not idle';
  const work = underWay.flatMap((one) => wrapped(`  ${one}`, width));
  return [`${waited}; ${state}. ${countsText(sight.counts, sight.completed().length)}`, ...work];
}

function countsText(counts: EmulatorCounts, completedCount: number): string {
  const { active, locked, scheduled, deferred, deadLetter } = counts;
  const parts = [
    [active, 'active'],
    [locked, 'locked'],
    [scheduled, 'scheduled'],
    [deferred, 'deferred'],
    [deadLetter, deadLetter === 1 ? 'dead letter' : 'dead letters'],
    [completedCount, 'completed'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`);
  return shown.length === 0 ? 'No message.' : `${shown.join(', ')}.`;
}

function reasonLines(reason: Reason, width: number): readonly string[] {
  switch (reason.kind) {
    case 'text':
      return wrapped(reason.text, width);
    case 'nearest':
      return [
        `Nearest${reason.of === undefined ? '' : ` to ${fitted(reason.of, width / 2)}`}: ${reason.name}`,
        ...comparedLines(reason.compared, width),
      ];
    case 'there': {
      const { candidates } = reason;
      const shown = candidates.slice(-MOST_THERE);
      const before = candidates.length - shown.length;
      if (candidates.length === 0) return [];
      return [
        before > 0 ? `There, the last ${MOST_THERE} of ${candidates.length}:` : 'There:',
        ...shown.map(({ name, message }) => `  ${name}: ${bodyText(message)}`),
      ];
    }
    default:
      return reason satisfies never;
  }
}

function bodyText({ body }: SeenMessage): string {
  return body === undefined ? 'no body' : shownValue(body);
}

/** The fields that are as expected first, and then each other one twice. */
function comparedLines(compared: readonly Compared[], width: number): readonly string[] {
  const names = Math.max(0, ...compared.map(({ name }) => name.length));
  const most = width - FIELD.length - names - '  '.length - '  expected'.length;
  const textOf = (value: unknown) => fitted(shownValue(value), Math.max(most, 8));
  const differing = compared.filter(({ isSame }) => !isSame);
  const values = differing.flatMap(({ expected, there }) => [textOf(expected), textOf(there)]);
  const column = Math.max(0, ...values.map((value) => value.length));
  return [
    ...compared
      .filter(({ isSame }) => isSame)
      .map(({ name, there }) => `${FIELD}${name.padEnd(names)}  ${textOf(there)}`),
    ...differing.flatMap(({ name, expected, there }) => [
      `  - ${name.padEnd(names)}  ${textOf(expected).padEnd(column)}  expected`,
      `  + ${name.padEnd(names)}  ${textOf(there).padEnd(column)}  there`,
    ]),
  ];
}

/** The dead letters of which nothing was said yet: they are where a missing message often is. */
function alsoLines({ deadLetters }: Sight, reasons: readonly Reason[]): readonly string[] {
  const named = reasons.flatMap((reason) => {
    if (reason.kind === 'there') return reason.candidates.map(({ name }) => name);
    return reason.kind === 'nearest' ? [reason.name] : [];
  });
  const others = deadLetters.filter(
    ({ sequenceNumber }) => !named.some((name) => name.startsWith(`#${sequenceNumber} dead letter`)),
  );
  const shown = others.slice(-MOST_ALSO).map(({ sequenceNumber, messageId, ...one }) => {
    const id = messageId === undefined ? '' : ` ${quotedText(messageId)}`;
    const held = one.lastHolder === undefined ? '' : `, held by ${one.lastHolder}`;
    return `Also: #${sequenceNumber} dead letter${id}, ${one.deadLetterReason ?? 'without a reason'}${held}`;
  });
  const more = others.length - shown.length;
  return more > 0 ? [...shown, `Also: ${more} more dead letters`] : shown;
}

type EventOptions = {
  readonly begin: number;
  readonly where: string;
  readonly most: number;
  /** The characters of a line; what is longer goes on in the next. */
  readonly width: number;
  /** Whether each line names its entity. */
  readonly hasPaths?: boolean;
};

/** The last records, oldest first; the end of a delivery and the dead letter that it leads to are one line. */
export function eventLines(
  records: readonly ActivityRecord[],
  { begin, where, most, width, hasPaths = false }: EventOptions,
): readonly string[] {
  const events: { readonly time: number; readonly about: string; text: string }[] = [];
  for (const record of records) {
    const about = aboutText(record, hasPaths);
    const last = events.at(-1);
    const isEnd = last !== undefined && /^(abandoned|lock ran)/.test(last.text);
    if (isEnd && record.kind === 'dead-lettered' && last.about === about) {
      last.text = `${last.text.replace(/,.*$/, '')}, dead-lettered`;
    } else events.push({ time: record.time, about, text: eventWords(record) });
  }
  if (events.length === 0) return [`Nothing has happened in ${where}.`];
  const shown = events.slice(-most);
  const times = shown.map(({ time }) => relativeTime(time - begin));
  const column = Math.max(...times.map((time) => time.length));
  return [
    `Last ${shown.length} of ${events.length} in ${where}:`,
    ...shown.flatMap(({ about, text }, index) =>
      wrapped(`  ${(times[index] ?? '').padStart(column)}  ${onOneLine(`${about}${text}`)}`, width),
    ),
  ];
}

function aboutText(record: ActivityRecord, hasPath: boolean): string {
  const path = hasPath && 'path' in record && record.path ? `'${record.path}' ` : '';
  return 'sequenceNumber' in record ? `${path}#${record.sequenceNumber} ` : path;
}

function relativeTime(ms: number): string {
  return `${ms < 0 ? '-' : '+'}${shortDuration(Math.abs(ms))}`;
}

/** Says in few words what happened, and who did it. */
function eventWords(record: ActivityRecord): string {
  const by = record.client === undefined ? '' : ` by ${shortNameOf(record.client)}`;
  switch (record.kind) {
    case 'accepted':
    case 'enqueued':
      return `accepted${record.client === undefined ? '' : ` from ${shortNameOf(record.client)}`}`;
    case 'locked':
      return `locked${by}, delivery ${record.deliveryCount + 1}`;
    case 'completed':
      return `completed${by}`;
    case 'consumed':
      return `received and deleted${by}`;
    case 'abandoned':
      return `abandoned${by}, delivery ${record.deliveryCount} of ${record.maxDeliveryCount}`;
    case 'lock-expired':
      return `lock ran out after ${shortDuration(record.heldMs)}, delivery ${record.deliveryCount} of ${record.maxDeliveryCount}`;
    case 'dead-lettered':
      return `dead-lettered${by}: ${deadLetterReason(record)}`;
    case 'routed': {
      const to = record.path.replace(/^.*\//, '');
      return `copied to '${to}' by rule '${record.rule}', from #${record.acceptedNumber}`;
    }
    default: {
      const said = eventText(record);
      const words = `${said.charAt(0).toLowerCase()}${said.slice(1)}`;
      const isSentence = words.endsWith('.') && record.client !== undefined;
      return isSentence ? `${words} (${shortNameOf(record.client)})` : `${words}${by}`;
    }
  }
}

/** The shortest name that people know a client by. */
function shortNameOf(client: Client): string {
  return client.identifier ?? chosenName(client) ?? client.label;
}

function clockText({ mode, time, nextDue }: EmulatorClockState): string {
  const kind = mode === 'frozen' ? 'virtual' : mode;
  const due =
    nextDue === undefined
      ? 'nothing due'
      : `next due in ${shortDuration(nextDue.getTime() - time.getTime())}`;
  return `Clock: ${kind} ${time.toISOString().slice(11, 19)}; ${due}.`;
}
