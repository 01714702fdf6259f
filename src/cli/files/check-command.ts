// `jitney check`: reports whether the journal of a data directory is intact, and if not, what is lost. Can write a repaired copy into
// another directory.

import {
  type CheckedJournal,
  type CheckReport,
  checkJournal,
  isIntact,
  type LostEntry,
} from '../../journal/check/check-journal.js';
import { withJournalSource } from '../../journal/check/journal-source.js';
import { refuseFilled, writeRepaired } from '../../journal/check/repair-directory.js';
import type { Repaired } from '../../journal/check/repair-journal.js';
import type { CommandContext } from '../output/command-context.js';
import { printError } from '../output/error-report.js';
import { countOf } from '../output/output.js';

export type CheckFlags = { readonly repair?: string; readonly json?: boolean };

export type CheckContext = Pick<CommandContext, 'stdout' | 'stderr' | 'isTerminal'>;

const MAX_LISTED = 100;
const CLEAR_LINE = '\r\u001b[K';

/** Resolves with the exit code: 0 if the journal is intact, 1 if it is damaged or cannot be checked. */
export async function runCheck(directory: string, flags: CheckFlags, context: CheckContext): Promise<number> {
  const { stdout, stderr, isTerminal } = context;
  const progress = (text: string) => {
    if (isTerminal) stderr(`${CLEAR_LINE}${text}`);
  };
  try {
    if (flags.repair !== undefined) await refuseFilled(flags.repair);
    return await withJournalSource(directory, async (source) => {
      const checked = await checkJournal(source, progress);
      const repaired = await repair(checked, flags.repair, progress);
      progress('');
      stdout(flags.json ? asJson(checked.report, repaired) : asText(checked.report, repaired, flags));
      return isIntact(checked.report) ? 0 : 1;
    });
  } catch (error) {
    progress('');
    return printError(error, undefined, { stderr, command: 'check', isJson: flags.json });
  }
}

async function repair(
  checked: CheckedJournal,
  directory: string | undefined,
  progress: (text: string) => void,
): Promise<Repaired | undefined> {
  if (directory === undefined) return undefined;
  progress(`writing ${directory}`);
  return writeRepaired(checked, directory);
}

function asJson(report: CheckReport, repaired: Repaired | undefined): string {
  return `${JSON.stringify({ isIntact: isIntact(report), ...report, ...(repaired && { repaired }) })}\n`;
}

function asText(report: CheckReport, repaired: Repaired | undefined, { repair }: CheckFlags): string {
  const lost = report.lost.map((entry) => `lost: ${nameOf(entry)}: ${entry.seen}`);
  return [
    `${report.location}: ${contentsOf(report)}`,
    ...report.notes.map((note) => `note: ${note}`),
    ...listed(report.damage.map((damage) => `damaged: ${damage}`)),
    ...listed(lost),
    ...summaryOf(report),
    ...(repaired === undefined ? advice(report) : outcome(repaired, repair ?? '')),
    '',
  ].join('\n');
}

function contentsOf(report: CheckReport): string {
  return [
    countOf(report.queueCount, 'queue'),
    countOf(report.topicCount, 'topic'),
    countOf(report.subscriptionCount, 'subscription'),
    countOf(report.messageCount, 'message'),
    `${countOf(report.messageBytes, 'byte')} in ${countOf(report.segmentCount, 'segment')}`,
  ].join(', ');
}

function summaryOf(report: CheckReport): string[] {
  if (isIntact(report)) return ['It is intact.'];
  const contents = report.lost.length === 0 ? 'no needed content is lost' : lostOf(report);
  const loss = report.refusal === undefined ? contents : `${contents}; rows may be lost`;
  const start =
    report.refusal === undefined
      ? 'An emulator starts with it.'
      : `An emulator does not start with it: ${report.refusal}.`;
  return [`It is damaged: ${loss}. ${start}`];
}

function lostOf({ lost }: CheckReport): string {
  return `${countOf(lost.length, 'content')} that messages or session states need ${lost.length === 1 ? 'is' : 'are'} lost`;
}

function advice(report: CheckReport): string[] {
  if (isIntact(report)) return [];
  return [`To save what can be read:  jitney check ${report.location} --repair <new directory>`];
}

function outcome({ keptCount, deadLetteredCount, leftOut }: Repaired, directory: string): string[] {
  return [
    `Written to ${directory}: ${countOf(keptCount, 'message')} unchanged, ${deadLetteredCount} as dead letters without a body.`,
    ...listed(leftOut.map((what) => `left out: ${what}`)),
    `Start with it:  jitney --data ${directory}`,
  ];
}

function nameOf({ entity, sequenceNumber, messageId, sessionId }: LostEntry): string {
  if (sessionId !== undefined) return `${entity}, the state of session ${JSON.stringify(sessionId)}`;
  const id = messageId === undefined ? '' : ` (id ${JSON.stringify(messageId)})`;
  return `${entity}, message ${sequenceNumber}${id}`;
}

function listed(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LISTED) return lines;
  return [...lines.slice(0, MAX_LISTED), `and ${lines.length - MAX_LISTED} more`];
}
