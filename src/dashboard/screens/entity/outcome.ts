// The outcome of an act on messages: how the emulator's answers add up to one sentence, and whether it can be undone.

import type { ManagedAnswer } from '../../../http/control/control-schemas.js';
import { numberText, spokenPath } from '../../state/format.js';
import type { Listed } from '../../state/model.js';
import type { Place } from './read-messages.js';

/** The most messages that are kept for an undo. */
const MOST_KEPT = 250;

export type ActName = 'delete' | 'dead-letter' | 'resubmit' | 'move' | 'activate' | 'end-lock';

export type Outcome = {
  readonly count: number;
  readonly skippedCount: number;
  /** The first of those that stayed. */
  readonly skippedNumbers: ReadonlySet<number>;
  /** The first message of each cause why some stayed. */
  readonly reasons: ReadonlyMap<string, string>;
};

const DONE: Readonly<Record<ActName, string>> = {
  delete: 'Deleted',
  'dead-letter': 'Dead-lettered',
  resubmit: 'Resubmitted',
  move: 'Moved',
  activate: 'Activated',
  'end-lock': 'Freed',
};

export const NOTHING: Outcome = { count: 0, skippedCount: 0, skippedNumbers: new Set(), reasons: new Map() };

export function sum(
  { count, skippedCount, skippedNumbers, reasons }: Outcome,
  answer: Pick<ManagedAnswer, 'count' | 'skippedCount' | 'skipped'>,
): Outcome {
  const all = new Map(reasons);
  for (const { code, message } of answer.skipped) if (!all.has(code)) all.set(code, message);
  return {
    count: count + answer.count,
    skippedCount: skippedCount + answer.skippedCount,
    skippedNumbers: new Set([...skippedNumbers, ...answer.skipped.map((one) => one.sequenceNumber)]),
    reasons: all,
  };
}

/** `Resubmitted 12 of 13 to orders. 1 stayed: 'orders' has no message 7.` */
export function outcomeText(act: ActName, { count, skippedCount, reasons }: Outcome, to?: string): string {
  const of = skippedCount === 0 ? '' : ` of ${numberText(count + skippedCount)}`;
  const where = to === undefined ? '' : ` to ${spokenPath(to)}`;
  const done = `${DONE[act]} ${numberText(count)}${of} ${count + skippedCount === 1 ? 'message' : 'messages'}${where}.`;
  if (skippedCount === 0) return done;
  return `${done} ${numberText(skippedCount)} stayed: ${[...reasons.values()].slice(0, 3).join(' ')}`;
}

/** Says why deleted messages could not be sent again as they were; undefined if they can. The entity is undefined while the page does not know it. */
export function whyNoUndo(
  { path, tab }: Place,
  count: number,
  entity: Listed | undefined,
): string | undefined {
  if (entity === undefined) return `the page does not know ${spokenPath(path)}.`;
  if (count > MOST_KEPT) return `more than ${MOST_KEPT} messages are not kept.`;
  if (entity.kind === 'subscription') return 'a subscription gets messages by its topic alone.';
  if (entity.duplicateDetectionWindowMs !== undefined) {
    return `${spokenPath(path)} would drop a message that is sent again as a duplicate.`;
  }
  if (entity.kind === 'queue' && entity.forwardTo !== undefined) {
    return `${spokenPath(path)} forwards what is sent to it to ${spokenPath(entity.forwardTo)}.`;
  }
  if (tab === 'transfer-dead') return 'a transfer dead letter cannot be made by hand.';
  if (tab === 'dead' && entity.links.receivers > 0) {
    return `a receiver of ${spokenPath(path)} could get them before they are dead letters again.`;
  }
  return undefined;
}
