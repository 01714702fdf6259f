// `jitney fault`: lists, adds and removes faults of the running emulator.

import type { Command } from 'commander';
import { flagName } from '../../config/environment.js';
import { parseSpan } from '../../description/duration.js';
import type {
  AddedFaultAnswer,
  ClearedAnswer,
  EndedAnswer,
  FaultsAnswer,
} from '../../http/control/control-schemas.js';
import { JitneyError } from '../../jitney-error.js';
import { LONGEST_FAULT_MS } from '../../steer/fault.js';
import type { Paint } from '../output/colour.js';
import type { CommandOutput } from '../output/command-context.js';
import { usageError } from '../output/error-report.js';
import { oneLine } from '../output/one-line.js';
import { type Column, formatTable } from '../output/text-table.js';
import type { ControlClient } from './control-client.js';
import { hintInFull, ownerOf, subscriptionIn } from './full-path.js';

export const FAULT_WORDS = ['list', 'add', 'preset', 'remove', 'clear'] as const;

/** The flags of a fault, as they are typed. */
export type FaultFlags = Readonly<Record<string, string | boolean | undefined>>;

/** The words after `jitney fault`. */
export type GivenFault = {
  readonly word: string | undefined;
  readonly value: string | undefined;
  readonly fault: FaultFlags;
};

type Answer = FaultsAnswer | AddedFaultAnswer | EndedAnswer | ClearedAnswer;

const TEXTS = ['entity', 'match', 'error', 'text'] as const;
const NUMBERS = ['status', 'nth', 'times', 'probability', 'seed', 'above', 'perSecond'] as const;
const SPANS = ['delay', 'jitter', 'for'] as const;
const SWITCHES = ['reset', 'silence', 'loseAnswer', 'deliverTwice', 'endLock'] as const;
const WITH_CONDITION = ['detach', 'close'] as const;
const FLAGS = ['on', ...TEXTS, ...NUMBERS, ...SPANS, ...SWITCHES, ...WITH_CONDITION] as const;
const OF_PRESETS: readonly string[] = ['entity', 'perSecond', 'seed'];

export function describeFault(command: Command): Command {
  return command
    .option(
      '--on <operations>',
      'the operations that it hits: send, receive, complete and others, separated by commas, or any',
    )
    .option('--entity <path>', 'only in this entity; * stands for any text')
    .option('--match <filter>', "only for messages that match this SQL, as in a rule: region = 'EU'")
    .option('--error <condition>', 'fails with this AMQP condition, such as server-busy')
    .option('--text <text>', 'the description of the error')
    .option('--status <n>', 'fails a request over HTTP with this status')
    .option('--detach [condition]', 'detaches the link')
    .option('--close [condition]', 'closes the connection')
    .option('--reset', 'cuts the connection')
    .option('--silence', 'neither reads nor writes on the connection any more')
    .option('--lose-answer', 'carries the operation out, but never answers')
    .option('--deliver-twice', 'on receive: the message comes again after its completion')
    .option('--end-lock', 'on receive: the lock ends at once, or after --delay')
    .option('--delay <time>', 'holds the operation back: a duration, or a number of seconds')
    .option('--jitter <time>', 'adds a random time up to this to the delay')
    .option('--nth <n>', 'begins with the nth operation; then once, unless --times says more')
    .option('--times <n>', 'how often it happens')
    .option('--probability <p>', 'how likely it is to happen, up to 1')
    .option('--seed <n>', 'the seed of its random numbers [1]')
    .option('--above <n>', 'lets so many operations pass in each second')
    .option('--per-second <n>', 'for the preset throttled: how many operations pass in a second [10]')
    .option('--for <time>', 'ends the fault after this time');
}

export async function changeFaults(
  client: ControlClient,
  given: GivenFault,
  { stdout, stderr, isJson, paint }: CommandOutput,
): Promise<void> {
  const { entity } = given.fault;
  const path = typeof entity === 'string' ? await pathToHit(entity, client) : undefined;
  const named = path === undefined ? {} : { entity: path };
  const answer = await ask(client, { ...given, fault: { ...given.fault, ...named } });
  const inFull = path === undefined ? [] : hintInFull(path);
  for (const note of notesOf(answer)) stderr(`${oneLine([note, ...inFull].join(' '))}\n`);
  if (isJson) stdout(`${JSON.stringify(answer)}\n`);
  else if ('faults' in answer) stdout(listed(answer.faults, given, paint));
  else if ('count' in answer) stdout(`${answer.count} ${answer.count === 1 ? 'fault' : 'faults'} removed.\n`);
  else if ('ended' in answer && answer.ended) stdout('Removed.\n');
  else if ('id' in answer) stdout(`Added fault ${answer.id}: ${describe(answer.fault)}.\n`);
  if ('ended' in answer && !answer.ended) {
    const hints = [`List the faults:  jitney fault${client.options}`];
    throw new JitneyError('call-refused', `There is no fault ${given.value}.`, { problems: hints });
  }
}

/** The path in full, also of a subscription that is not there yet if its topic is: the fault would never hit the short one. */
async function pathToHit(entity: string, client: ControlClient): Promise<string> {
  const path = await client.fullPath(entity);
  const owner = ownerOf(path);
  const subscription = entity.includes('*') ? undefined : subscriptionIn(owner);
  if (subscription === undefined || (await client.lookFor(owner))?.isThere !== false) return path;
  const topic = owner.slice(0, owner.lastIndexOf('/'));
  if ((await client.subscriptionsOf(topic)) === undefined) return path;
  return subscription + path.slice(owner.length);
}

function notesOf(answer: Answer): ReadonlySet<string> {
  const added = 'faults' in answer ? answer.faults : 'id' in answer ? [answer] : [];
  return new Set(added.flatMap(({ note = [] }) => note));
}

function ask(client: ControlClient, { word = 'list', value, fault }: GivenFault): Promise<Answer> {
  const known = FAULT_WORDS.find((each) => each === word);
  if (known === undefined)
    throw usageError(`'fault ${word}' is not known: give one of ${FAULT_WORDS.join(', ')}.`);
  if (value !== undefined && known !== 'preset' && known !== 'remove') {
    throw usageError(`'fault ${known}' takes no value: leave out '${value}'.`);
  }
  const flags = fieldsOf(fault);
  const post = (name: string, body: object) => client.call<Answer>({ method: 'POST', name, body });
  switch (known) {
    case 'list':
      return client.call<Answer>({ name: 'faults' });
    case 'add':
      if ('perSecond' in flags)
        throw usageError("'--per-second' is for a preset; for a fault, use '--above'.");
      return post('faults', flags);
    case 'preset':
      return post('faults:preset', { name: value, ...presetFields(flags) });
    case 'remove':
      return post('faults:remove', { id: numberOf('the number of a fault', value) });
    case 'clear':
      return post('faults:clear', {});
  }
}

function presetFields(flags: object): object {
  const wrong = Object.keys(flags).find((name) => !OF_PRESETS.includes(name));
  if (wrong === undefined) return flags;
  throw usageError(`A preset takes --entity, --per-second and --seed, not '${flagName(wrong)}'.`);
}

/** The fields of a fault from its flags. The emulator checks what they mean. */
function fieldsOf(given: FaultFlags): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const name of FLAGS) {
    const value = given[name];
    if (value !== undefined) fields[name] = fieldOf(name, value);
  }
  return fields;
}

function fieldOf(name: (typeof FLAGS)[number], value: string | boolean): unknown {
  if (typeof value === 'boolean') return value;
  if (name === 'on') {
    const operations = value.split(',').map((each) => each.trim());
    return operations.length === 1 ? operations[0] : operations;
  }
  if (NUMBERS.some((each) => each === name)) return numberOf(flagName(name), value);
  return SPANS.some((each) => each === name) ? spanOf(flagName(name), value) : value;
}

function numberOf(what: string, value: string | undefined): number {
  const number = Number(value);
  if (value !== undefined && value.trim() !== '' && Number.isFinite(number)) return number;
  throw usageError(`'${what}' must be a number, not ${value === undefined ? 'nothing' : `'${value}'`}.`);
}

function spanOf(flag: string, value: string): number {
  try {
    return parseSpan(value, { longestMs: LONGEST_FAULT_MS });
  } catch (error) {
    throw usageError(`'${flag}' ${(error as Error).message}.`);
  }
}

const COLUMNS: readonly Column[] = [
  { title: 'ID', isNumber: true },
  { title: 'STATE' },
  { title: 'HAPPENED', isNumber: true },
  { title: 'FAULT' },
];

function listed(
  faults: readonly AddedFaultAnswer[],
  { word, value }: GivenFault,
  paint: Paint | undefined,
): string {
  if (faults.length === 0) {
    return word === 'preset' ? `The preset ${value} took effect at once.\n` : 'There are no faults.\n';
  }
  const rows = faults.map(({ id, fault, matchedCount, firedCount, isActive }) => [
    String(id),
    isActive ? 'active' : 'over',
    `${firedCount} of ${matchedCount}`,
    describe(fault),
  ]);
  return formatTable(COLUMNS, rows, paint);
}

function describe(fault: Readonly<Record<string, unknown>>): string {
  return Object.entries(fault)
    .map(([name, value]) => (value === true ? name : `${name} ${oneLine(String(value))}`))
    .join(', ');
}
