// Reads a fault that a person or a program has given. Every field is checked, and an error says what is wrong and what is possible.

import { ServiceBusError } from '../broker/contract/service-bus-error.js';
import { RuleCompiler } from '../broker/rules/rule-compiler.js';
import { suggestion } from '../description/suggestion.js';
import { millisecondsOf } from './emulator-clock.js';
import {
  FAULT_OPERATIONS,
  type Fault,
  type FaultEffect,
  FaultError,
  type FaultOperation,
  LONGEST_FAULT_MS,
} from './fault.js';
import { conditionNamed } from './fault-conditions.js';
import { PathPattern } from './path-pattern.js';

type CompiledMatch = ReturnType<RuleCompiler['filter']>;

/** A checked fault with all its defaults. Times are in milliseconds. */
export type CheckedFault = {
  readonly given: Fault;
  readonly operations: ReadonlySet<FaultOperation>;
  /** Undefined: every entity. */
  readonly entity: PathPattern | undefined;
  readonly match: CompiledMatch | undefined;
  readonly effect: FaultEffect;
  readonly delayMs: number;
  readonly jitterMs: number;
  readonly nth: number;
  readonly times: number;
  readonly probability: number;
  readonly seed: number;
  readonly above: number;
  readonly forMs: number;
};

const EFFECTS = [
  'error',
  'status',
  'detach',
  'close',
  'reset',
  'silence',
  'loseAnswer',
  'deliverTwice',
  'endLock',
] as const;
const FIELDS: readonly string[] = [
  ...['on', 'entity', 'match', 'text', ...EFFECTS],
  ...['delay', 'jitter', 'nth', 'times', 'probability', 'seed', 'above', 'for'],
];
/** The operations that have a message with known properties. */
const WITH_MESSAGE: ReadonlySet<FaultOperation> = new Set([
  'send',
  'receive',
  'complete',
  'abandon',
  'dead-letter',
  'defer',
]);
const OVER_HTTP: ReadonlySet<FaultOperation> = new Set([
  'send',
  'receive',
  'complete',
  'abandon',
  'renew-lock',
  'administration',
]);

const compiler = (nextGuid: () => string) => new RuleCompiler({ nextGuid });

/** Throws a FaultError. `nextGuid` is for the function `newid()` of filters. */
export function checkFault(given: unknown, nextGuid: () => string): CheckedFault {
  const fault = knownFields(given);
  const operations = operationsOf(fault);
  const delayMs = span('delay', fault.delay);
  const effect = effectOf(fault, delayMs);
  checkOperations(effect, operations);
  const nth = count('nth', fault.nth) ?? 1;
  return {
    given: fault,
    operations,
    entity: entityOf(fault.entity),
    match: matchOf(fault.match, operations, nextGuid),
    effect,
    delayMs,
    jitterMs: span('jitter', fault.jitter),
    nth,
    times: count('times', fault.times) ?? (fault.nth === undefined ? Number.POSITIVE_INFINITY : 1),
    probability: probabilityOf(fault.probability),
    seed: seedOf(fault.seed),
    above: count('above', fault.above) ?? 0,
    forMs: fault.for === undefined ? Number.POSITIVE_INFINITY : span('for', fault.for),
  };
}

function knownFields(given: unknown): Fault {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new FaultError(
      `A fault is an object such as { on: 'send', error: 'com.microsoft:server-busy' }, not ${shown(given)}.`,
    );
  }
  for (const name of Object.keys(given)) {
    if (FIELDS.includes(name)) continue;
    const hint = suggestion(name, FIELDS) || ` It may have: ${FIELDS.join(', ')}.`;
    throw new FaultError(`A fault has no '${name.slice(0, 100)}'.${hint}`);
  }
  return given as Fault;
}

/** The operations of a fault. `any` stands for all that it can hit: with a filter, all with a message; with a status, all over HTTP. */
function operationsOf({ on, match, status, deliverTwice, endLock }: Fault): ReadonlySet<FaultOperation> {
  if (on === 'any' || (Array.isArray(on) && on.length === 1 && on[0] === 'any')) {
    if (deliverTwice !== undefined || endLock !== undefined) return RECEIVE;
    const isPossible = (each: FaultOperation) =>
      (match === undefined || WITH_MESSAGE.has(each)) && (status === undefined || OVER_HTTP.has(each));
    return new Set(FAULT_OPERATIONS.filter(isPossible));
  }
  const names: readonly unknown[] = Array.isArray(on) ? on : [on];
  if (on === undefined || names.length === 0) {
    throw new FaultError(`A fault needs 'on', its operation: any, ${FAULT_OPERATIONS.join(', ')}.`);
  }
  return new Set(names.map(operationNamed));
}

function operationNamed(given: unknown): FaultOperation {
  const found = FAULT_OPERATIONS.find((each) => each === given);
  if (found !== undefined) return found;
  const near = typeof given === 'string' ? suggestion(given, FAULT_OPERATIONS) : '';
  throw new FaultError(
    `'on' is ${shown(given)}, which is not an operation.${near || ` Possible are: any, ${FAULT_OPERATIONS.join(', ')}.`}`,
  );
}

function entityOf(entity: unknown): CheckedFault['entity'] {
  if (entity === undefined) return undefined;
  return new PathPattern(nonEmptyText('entity', entity, 'the path of an entity'));
}

function matchOf(
  match: unknown,
  operations: ReadonlySet<FaultOperation>,
  nextGuid: () => string,
): CompiledMatch | undefined {
  if (match === undefined) return undefined;
  const expression = nonEmptyText('match', match, "a filter such as region = 'EU'");
  const other = [...operations].find((each) => !WITH_MESSAGE.has(each));
  if (other !== undefined) {
    throw new FaultError(
      `'match' is for ${[...WITH_MESSAGE].join(', ')}; the message of '${other}' is not known, so leave 'match' out.`,
    );
  }
  try {
    return compiler(nextGuid).filter({ kind: 'sql', expression });
  } catch (error) {
    if (!(error instanceof ServiceBusError)) throw error;
    throw new FaultError(`'match' cannot be read: ${error.message}`);
  }
}

function effectOf(fault: Fault, delayMs: number): FaultEffect {
  const given = EFFECTS.filter((name) => fault[name] !== undefined);
  const [name, second] = given;
  if (second !== undefined) {
    throw new FaultError(
      `A fault does only one thing, but this one has '${name}' and '${second}'. Leave one out, or add two faults: if both are for the same operation, the first happens until its 'times' are used up, then the second.`,
    );
  }
  if (name === undefined) {
    if (fault.text !== undefined) throw new FaultError("'text' needs the 'error' that it describes.");
    if (delayMs > 0 || fault.jitter !== undefined) return { kind: 'delay' };
    throw new FaultError(`A fault needs an effect: ${EFFECTS.join(', ')} or delay.`);
  }
  const text = fault.text === undefined ? undefined : nonEmptyText('text', fault.text, 'a sentence');
  switch (name) {
    case 'error':
      return { kind: name, condition: conditionNamed(nonEmptyText(name, fault.error, 'a condition')), text };
    case 'status':
      return { kind: name, status: statusOf(fault.status), text };
    case 'detach':
      return { kind: name, condition: conditionOr('amqp:link:detach-forced', name, fault.detach), text };
    case 'close':
      return { kind: name, condition: conditionOr('amqp:connection:forced', name, fault.close), text };
    default:
      if (fault[name] !== true)
        throw new FaultError(`'${name}' must be true or left out, not ${shown(fault[name])}.`);
      if (text !== undefined) throw new FaultError(`'text' is for an error, but '${name}' gives none.`);
      return { kind: KINDS[name] };
  }
}

const KINDS = {
  reset: 'reset',
  silence: 'silence',
  loseAnswer: 'lose-answer',
  deliverTwice: 'deliver-twice',
  endLock: 'end-lock',
} as const;

function checkOperations({ kind }: FaultEffect, operations: ReadonlySet<FaultOperation>): void {
  const allowed = kind === 'status' ? OVER_HTTP : ONLY_ON_RECEIVE.get(kind);
  const other = allowed && [...operations].find((each) => !allowed.has(each));
  if (allowed === undefined || other === undefined) return;
  throw new FaultError(`'${nameOf(kind)}' is for ${[...allowed].join(', ')}, not for '${other}'.`);
}

const RECEIVE: ReadonlySet<FaultOperation> = new Set(['receive'] as const);
const ONLY_ON_RECEIVE: ReadonlyMap<FaultEffect['kind'], ReadonlySet<FaultOperation>> = new Map([
  ['deliver-twice', RECEIVE],
  ['end-lock', RECEIVE],
]);

function nameOf(kind: FaultEffect['kind']): string {
  return Object.entries(KINDS).find(([, each]) => each === kind)?.[0] ?? kind;
}

function conditionOr(standard: string, name: string, given: unknown): string {
  return given === true ? standard : conditionNamed(nonEmptyText(name, given, 'true or a condition'));
}

function statusOf(status: unknown): number {
  if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status;
  throw new FaultError(`'status' must be an HTTP status from 400 to 599, not ${shown(status)}.`);
}

function span(name: string, given: unknown): number {
  if (given === undefined) return 0;
  try {
    return millisecondsOf(given as string | number, LONGEST_FAULT_MS);
  } catch (error) {
    throw new FaultError(`'${name}' ${(error as Error).message}.`);
  }
}

function count(name: string, given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'number' && Number.isSafeInteger(given) && given >= 1) return given;
  throw new FaultError(`'${name}' must be a whole number of at least 1, not ${shown(given)}.`);
}

function probabilityOf(given: unknown): number {
  if (given === undefined) return 1;
  if (typeof given === 'number' && given > 0 && given <= 1) return given;
  throw new FaultError(`'probability' must be above 0 and at most 1, not ${shown(given)}.`);
}

function seedOf(given: unknown): number {
  if (given === undefined) return 1;
  if (typeof given === 'number' && Number.isSafeInteger(given)) return given;
  throw new FaultError(`'seed' must be a whole number, not ${shown(given)}.`);
}

function nonEmptyText(name: string, given: unknown, what: string): string {
  if (typeof given === 'string' && given !== '') return given;
  throw new FaultError(`'${name}' must be ${what}, not ${shown(given)}.`);
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 100);
}
