// `jitney purge`, `move` and `resubmit` with another service than a Jitney, such as Azure: over AMQP, after saying how many messages it is.

import { randomUUID } from 'node:crypto';
import type { AmqpClient } from '../../client/amqp-client.js';
import { encodeResent } from '../../content/resent-message.js';
import { JitneyError } from '../../jitney-error.js';
import { ageOf, type ChangedStore, DONE, QUESTION, storesOf, WOULD } from '../control/manage-command.js';
import type { ManageFlags, ManagingWord } from '../control/manage-commands.js';
import { isDeadLetterPath, resubmitPath } from '../messages/dead-letter-path.js';
import { FINISH_MS } from '../messages/receive-command.js';
import type { CommandContext } from '../output/command-context.js';
import { INTERRUPTED, usageError } from '../output/error-report.js';
import { oneLine } from '../output/one-line.js';
import { countOf } from '../output/output.js';
import { progressLines } from '../output/progress.js';
import { confirmed } from '../output/question.js';
import { deleteOldest, receiveAndDelete } from './delete-in-bulk.js';
import {
  compileTest,
  type MessageTest,
  type PeekedState,
  type PeekSelection,
  type SelectedMessage,
  selectMessages,
} from './selected-messages.js';
import { type TakeTally, type Taking, takeMessages } from './take-messages.js';

export type OtherContext = Pick<
  CommandContext,
  'stdout' | 'stderr' | 'isTerminal' | 'readAnswer' | 'now' | 'interrupted'
>;

export type Managing = {
  readonly word: ManagingWord;
  readonly entity: string;
  readonly flags: ManageFlags;
  readonly isJson: boolean;
};

type Plan = Managing & {
  readonly stores: readonly ChangedStore[];
  readonly filter: MessageTest | undefined;
  readonly enqueuedBefore: number | undefined;
  /** The queue or topic that takes the messages; undefined if they are deleted. */
  readonly target: string | undefined;
};

const COUNTS_DELIVERIES =
  'The service delivers every message before them too, counts that, and dead-letters a message at its most deliveries';

/** Reads the options before anything is connected. Throws a JitneyError. */
export function planManaging(managing: Managing, now: number): Plan {
  const { word, entity, flags } = managing;
  if (flags.state?.includes('locked') === true) {
    throw usageError('--state locked works with Jitney only: another service does not tell what is locked');
  }
  const stores = storesOf(word, entity, flags);
  const target = word === 'move' ? flags.to : word === 'resubmit' ? resubmitPath(entity) : undefined;
  if (target !== undefined && stores.some((store) => store.entity.toLowerCase() === target.toLowerCase())) {
    throw usageError(
      `--to must name another queue or topic: the messages are in '${oneLine(target)}' already`,
    );
  }
  const olderThanMs = ageOf(flags);
  return {
    ...managing,
    stores,
    filter: flags.filter === undefined ? undefined : compileTest(flags.filter),
    enqueuedBefore: olderThanMs === undefined ? undefined : now - olderThanMs,
    target,
  };
}

/** Resolves with the exit code: 1 if the answer is no, or some messages stay as they are. Throws a JitneyError. */
export async function manageOther(client: AmqpClient, plan: Plan, context: OtherContext): Promise<number> {
  const { word, flags, isJson } = plan;
  const { stdout, stderr, interrupted } = context;
  if (flags.dryRun === true || flags.yes !== true) {
    const { count, activeCount } = await countSelected(client, plan, context);
    const what = `${countOf(count, 'message')} of '${nameOf(plan)}'${targetText(plan)}`;
    if (flags.dryRun === true) {
      stdout(isJson ? `${JSON.stringify({ count })}\n` : `${WOULD[word]} ${what}\n`);
      if (activeCount > 0) stderr(`${refusalOfActive(activeCount)}\n`);
      return 0;
    }
    if (activeCount > 0) throw activeRefused(activeCount);
    if (count > 0 && !(await confirmed(`${QUESTION[word]} ${what}?`, context))) return 1;
  }
  client.finishWithin(FINISH_MS);
  const tally: TakeTally = { done: 0, inBoth: 0, gone: 0, held: 0 };
  let hasFailed = true;
  try {
    await changeAll(client, plan, tally, context);
    hasFailed = false;
  } finally {
    // Beside an error, "Removed 0 messages" would look like a success.
    if (!hasFailed || tally.done + tally.inBoth > 0) printSummary(tally, plan, context);
  }
  if (interrupted.aborted) return INTERRUPTED;
  return tally.inBoth + tally.gone + tally.held === 0 ? 0 : 1;
}

async function countSelected(
  client: AmqpClient,
  plan: Plan,
  context: OtherContext,
): Promise<{
  readonly count: number /** Active ones that may not be looked at. */;
  readonly activeCount: number;
}> {
  let count = 0;
  let activeCount = 0;
  const onLooked = lookedAt(context);
  for (const store of plan.stores) {
    const isRefused = needsConsent(plan, store) && !deletesOldest(plan, store);
    const selected = selectMessages(client, store.entity, selectionOf(plan, store), onLooked);
    for await (const { state } of selected) {
      count += 1;
      if (isRefused && state === 'active') activeCount += 1;
    }
  }
  return { count, activeCount };
}

function lookedAt(context: OtherContext): () => void {
  const progress = progressLines(context);
  let count = 0;
  return () => {
    count += 1;
    progress(() => `${countOf(count, 'message')} looked at so far`);
  };
}

function selectionOf({ filter, enqueuedBefore, flags }: Plan, { state }: ChangedStore): PeekSelection {
  const states = state.filter((one): one is PeekedState => one !== 'locked' && one !== 'dead');
  return { states, numbers: flags.number, filter, enqueuedBefore };
}

/** Whether some messages are taken and others, which may lie between them, are not. */
function isSelective({ flags, enqueuedBefore, filter }: Plan): boolean {
  return [flags.number, filter, enqueuedBefore].some((one) => one !== undefined);
}

/** Whether active messages of the store may be selected only with `--raise-delivery-counts`. A dead-letter queue counts nothing (DLV-07). */
function needsConsent(plan: Plan, store: ChangedStore): boolean {
  return isSelective(plan) && plan.flags.raiseDeliveryCounts !== true && !isDeadLetterPath(store.entity);
}

/** Whether the service can delete the active messages in bulk: with the deferred ones, and as far as they are old enough. */
function deletesOldest({ word, flags, filter }: Plan, { state }: ChangedStore): boolean {
  if (word !== 'purge' || flags.number !== undefined || filter !== undefined) return false;
  return state.includes('active') && state.includes('deferred');
}

function activeRefused(count: number): JitneyError {
  const help = [
    `${COUNTS_DELIVERIES}.`,
    'Leave them out:  --state scheduled,deferred   or accept that:  --raise-delivery-counts',
  ];
  return new JitneyError('refused', refusalOfActive(count), { problems: help });
}

function refusalOfActive(count: number): string {
  const are = count === 1 ? 'of them is active, and is' : 'of them are active, and are';
  return `${count} ${are} selected only with --raise-delivery-counts`;
}

async function changeAll(
  client: AmqpClient,
  plan: Plan,
  tally: TakeTally,
  context: OtherContext,
): Promise<void> {
  const { target, word } = plan;
  const { interrupted, now } = context;
  const sender = target === undefined ? undefined : await client.openSender(target);
  const progress = progressLines(context);
  const newId = () => (plan.flags.newMessageId === true ? randomUUID() : undefined);
  const accept =
    sender &&
    ((content: Uint8Array, keepsSchedule: boolean) =>
      sender.send(encodeResent(content, { now: now(), keepsSchedule, messageId: newId() })));
  const missing = new Set(plan.flags.number);
  for (const store of plan.stores) {
    if (interrupted.aborted) return;
    const taking: Taking = {
      client,
      path: store.entity,
      accept,
      isSelective: isSelective(plan),
      tally,
      interrupted,
      onProgress: () => progress(() => `${DONE[word]} ${countOf(tally.done, 'message')} so far`),
    };
    const selected = await changeStore(taking, plan, store, lookedAt(context));
    for (const { number } of selected) missing.delete(number);
  }
  tally.gone += missing.size;
}

/** Resolves with the messages that were selected one by one. */
async function changeStore(
  taking: Taking,
  plan: Plan,
  store: ChangedStore,
  onLooked: () => void,
): Promise<readonly SelectedMessage[]> {
  const { client, interrupted, tally } = taking;
  const isDeleted = await deleteActive(taking, plan, store);
  const selected: SelectedMessage[] = [];
  let activeCount = 0;
  const found = selectMessages(client, store.entity, selectionOf(plan, store), onLooked);
  for await (const one of found) {
    if (interrupted.aborted) return selected;
    if (one.state === 'active') activeCount += 1;
    // A service may leave some when it deletes in bulk, such as those of sessions. Old ones are not looked for between newer ones.
    if (one.state !== 'active' || !isDeleted || !isSelective(plan)) selected.push(one);
  }
  if (isDeleted && isSelective(plan)) tally.held += activeCount;
  else if (!isDeleted && activeCount > 0 && needsConsent(plan, store)) throw activeRefused(activeCount);
  await takeMessages(taking, selected);
  return selected;
}

/** Deletes active messages that need not be chosen one by one; false if there are none such. */
async function deleteActive(taking: Taking, plan: Plan, store: ChangedStore): Promise<boolean> {
  if (deletesOldest(plan, store)) {
    const isDone = await deleteOldest(taking, plan.enqueuedBefore);
    if (isDone) return true;
  }
  if (plan.word !== 'purge' || isSelective(plan) || !store.state.includes('active')) return false;
  return receiveAndDelete(taking);
}

function nameOf({ stores: [only, ...others], entity }: Plan): string {
  return oneLine(others.length === 0 && only !== undefined ? only.entity : entity);
}

function targetText({ word, entity, target }: Plan): string {
  if (target === undefined) return '';
  const isTopic = word === 'resubmit' && /\/subscriptions\//i.test(entity);
  const all = isTopic ? ', and so to all subscriptions of that topic' : '';
  return ` to '${oneLine(target)}'${all}`;
}

function printSummary(tally: TakeTally, plan: Plan, { stdout, stderr, interrupted }: OtherContext): void {
  const { done, inBoth, gone, held } = tally;
  const name = nameOf(plan);
  const skippedCount = inBoth + gone + held;
  stdout(
    plan.isJson
      ? `${JSON.stringify({ count: done, skippedCount })}\n`
      : `${DONE[plan.word]} ${countOf(done, 'message')} from '${name}'.\n`,
  );
  const lines = [
    [held, 'still there: other receivers hold them, or they have come since'],
    [gone, 'not found: they have left, or are in another state now'],
    [inBoth, `sent, and may still be in '${name}': look into both`],
  ] as const;
  for (const [count, text] of lines) if (count > 0) stderr(`${countOf(count, 'message')} ${text}\n`);
  if (interrupted.aborted) stderr('It is not done: the same command goes on from here\n');
}
