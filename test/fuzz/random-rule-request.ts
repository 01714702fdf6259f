// Random bodies of requests about rules: filters and actions that are right, nearly right, and nothing of the kind.

import type { Random } from '../simulation/random.js';
import { type Encoded, int, map, str, uint } from '../support/frame-encoder.js';
import { hostileValue, randomMap, randomText, randomValue } from './random-value.js';

export const RULE_OPERATIONS = ['add-rule', 'add-rule', 'remove-rule', 'enumerate-rules'] as const;
export type RuleOperation = (typeof RULE_OPERATIONS)[number];

/** Few, so that rules are there already and their number stays small. */
const NAMES = ['$Default', 'a', 'A', 'b', 'c'] as const;
const FILTERS = [
  '1=1',
  '1=0',
  "a = 'q' AND NOT (constructor IS NULL OR toString LIKE '%\\_%' ESCAPE '\\')",
  'sys.Label IN (\'a\', "b", @c) OR EXISTS([x y]) AND -a / 0 <> 1e308 % 2',
  "property('a') + newid() >= user.__proto__",
  `${'('.repeat(200)}a = 1`,
] as const;
const ACTIONS = [
  "SET a = a + 1; REMOVE b, SET sys.Label = 'x'",
  'SET sys.SessionId = newid(); SET a = 1 / 0',
  "SET sys.TimeToLive = '__proto__'",
  'SET sys.MessageId = NULL',
] as const;
const MARKS = [
  "'",
  '"',
  '[',
  ')',
  '(',
  '--',
  '/*',
  '@',
  '%',
  '\u0000',
  '😀',
  ' AND ',
  '.',
  '9'.repeat(30),
] as const;
const CORRELATION_FIELDS = ['correlation-id', 'message-id', 'to', 'label', 'session-id'] as const;

type Entry = readonly [Encoded, Encoded];

export function ruleRequestBody(random: Random, operation: RuleOperation): Encoded {
  const name: Entry = [str('rule-name'), mostly(random, (inner) => str(inner.pick(NAMES)))];
  switch (operation) {
    case 'add-rule':
      return map([name, [str('rule-description'), mostly(random, description)]]);
    case 'remove-rule':
      return map([name]);
    case 'enumerate-rules':
      return map([
        [str('top'), mostly(random, (inner) => int(inner.integer(5)))],
        [str('skip'), mostly(random, (inner) => int(inner.integer(5)))],
      ]);
    default:
      return operation satisfies never;
  }
}

function description(random: Random): Encoded {
  const entries: Entry[] = [];
  if (random.chance(0.7)) entries.push([str('sql-filter'), mostly(random, (inner) => sql(inner, FILTERS))]);
  else entries.push([str('correlation-filter'), mostly(random, correlation)]);
  if (random.chance(0.3)) {
    entries.push([str('sql-rule-action'), mostly(random, (inner) => sql(inner, ACTIONS))]);
  }
  return map(entries);
}

function sql(random: Random, expressions: readonly string[]): Encoded {
  const entries: Entry[] = [[str('expression'), mostly(random, (inner) => str(spoilt(inner, expressions)))]];
  if (random.chance(0.5)) {
    entries.push([str('parameters'), mostly(random, (inner) => map([[str('@c'), randomValue(inner)]]))]);
  }
  if (random.chance(0.2)) entries.push([str('compatibility-level'), uint(20)]);
  return map(entries);
}

/** Half of them as they are, half with something put in or cut out. */
function spoilt(random: Random, expressions: readonly string[]): string {
  const text = random.pick(expressions);
  if (random.chance(0.5)) return text;
  const at = random.integer(text.length + 1);
  const cut = random.integer(4);
  return `${text.slice(0, at)}${random.pick(MARKS)}${text.slice(at + cut)}`;
}

function correlation(random: Random): Encoded {
  const fields = CORRELATION_FIELDS.filter(() => random.chance(0.4)).map(
    (name): Entry => [str(name), mostly(random, (inner) => str(randomText(inner)))],
  );
  return map([...fields, [str('properties'), mostly(random, randomMap)]]);
}

function mostly(random: Random, honest: (random: Random) => Encoded): Encoded {
  if (random.chance(0.93)) return honest(random);
  return random.chance(0.9) ? randomValue(random) : hostileValue(random);
}
