// Random performatives: every field of its right type most of the time, with values at which something tips over.

import type { Random } from '../simulation/random.js';
import {
  array,
  bin,
  boolean,
  described,
  type Encoded,
  list,
  NULL,
  str,
  sym,
  ubyte,
  uint,
  ulong,
  ushort,
} from '../support/frame-encoder.js';
import { composite, fieldNamesOf, type ListName } from '../support/frame-lists.js';
import { REPLY_NAMES, randomPayload } from './random-message.js';
import {
  hostileValue,
  randomBytes,
  randomMap,
  randomNumber,
  randomText,
  randomValue,
} from './random-value.js';

export const ADDRESSES = [
  'q',
  'q',
  'q',
  'q',
  'q/$DeadLetterQueue',
  '$cbs',
  'q/$management',
  't',
  't/Subscriptions/s',
  't/Subscriptions/s/$management',
  't/Subscriptions/s/$management',
  'missing',
  'sb://host/q',
  '/q/',
  '',
] as const;

type Generate = (random: Random) => Encoded;

const number: Generate = (random) => uint(random.chance(0.6) ? random.integer(6) : randomNumber(random));
const window: Generate = (random) => uint(random.chance(0.6) ? 2048 : randomNumber(random));
const flag: Generate = (random) => boolean(random.chance(0.5));
const symbols: Generate = (random) =>
  random.chance(0.5) ? sym(randomText(random)) : array([sym('a'), sym('b')]);
const handle: Generate = (random) => uint(random.integer(4));

/** By the name of the field, which means the same in every performative; what is missing is a flag or of any type. */
const FIELDS: Readonly<Record<string, Generate>> = {
  name: linkName,
  handle,
  role: flag,
  source: (random) => randomTerminus(random, 'source'),
  target: (random) => randomTerminus(random, 'target'),
  address: (random) => str(random.pick(ADDRESSES)),
  state: randomState,
  error: randomError,
  properties: randomMap,
  unsettled: randomMap,
  dynamicNodeProperties: randomMap,
  info: randomMap,
  filter: randomMap,
  messageAnnotations: randomMap,
  containerId: text,
  hostname: text,
  description: text,
  condition: (random) => sym(randomText(random)),
  channelMax: channelNumber,
  remoteChannel: channelNumber,
  incomingWindow: window,
  outgoingWindow: window,
  maxMessageSize: (random) => ulong(randomNumber(random)),
  sectionOffset: (random) => ulong(randomNumber(random)),
  sndSettleMode: mode,
  rcvSettleMode: mode,
  code: mode,
  messageFormat: (random) => uint(random.pick([0, 0, 0, 0x80013700, 1])),
  deliveryTag: tag,
  initialResponse: tag,
  additionalData: tag,
  aborted: rarelyTrue,
  dynamic: rarelyTrue,
  defaultOutcome: randomState,
};

const NUMBERS: ReadonlySet<string> = new Set([
  ...['maxFrameSize', 'handleMax', 'idleTimeOut', 'nextOutgoingId', 'nextIncomingId', 'initialDeliveryCount'],
  ...[
    'deliveryCount',
    'linkCredit',
    'available',
    'deliveryId',
    'first',
    'last',
    'durable',
    'timeout',
    'sectionNumber',
  ],
]);
const SYMBOLS: ReadonlySet<string> = new Set([
  ...['outgoingLocales', 'incomingLocales', 'offeredCapabilities', 'desiredCapabilities', 'expiryPolicy'],
  ...['outcomes', 'capabilities', 'distributionMode', 'mechanisms', 'mechanism'],
]);
/** Without these most performatives would come to nothing. */
const SELDOM_LEFT_OUT: ReadonlySet<string> = new Set([
  ...[
    'containerId',
    'nextOutgoingId',
    'incomingWindow',
    'outgoingWindow',
    'name',
    'handle',
    'role',
    'source',
  ],
  ...[
    'target',
    'address',
    'initialDeliveryCount',
    'deliveryCount',
    'linkCredit',
    'deliveryId',
    'deliveryTag',
  ],
  ...['first', 'state', 'mechanism', 'condition'],
]);

const NAMES: readonly (readonly [ListName, number])[] = [
  ['open', 1],
  ['begin', 4],
  ['attach', 25],
  ['flow', 25],
  ['transfer', 25],
  ['disposition', 15],
  ['detach', 6],
  ['end', 2],
  ['close', 1],
  ['sasl-init', 0.3],
  ['sasl-mechanisms', 0.3],
  ['sasl-outcome', 0.3],
];

/** The body of a frame. */
export function randomPerformative(random: Random): Encoded {
  const name = random.pickWeighted(NAMES);
  const body = randomComposite(random, name);
  return name === 'transfer' ? Buffer.concat([body, randomPayload(random, random.pick(ADDRESSES))]) : body;
}

/** A described list of this name with random fields, some of them left out. */
export function randomComposite(random: Random, name: ListName): Encoded {
  const fields: Record<string, Encoded> = {};
  for (const field of fieldNamesOf(name)) {
    if (random.chance(SELDOM_LEFT_OUT.has(field) ? 0.02 : 0.6)) continue;
    fields[field] = randomField(random, field);
  }
  const isWide = random.pick([false, true]);
  const descriptor = random.chance(0.9) ? 'ulong' : 'symbol';
  return composite(name, fields, { isWide, descriptor });
}

function randomField(random: Random, field: string): Encoded {
  if (random.chance(0.01)) return hostileValue(random);
  if (random.chance(0.01)) return randomValue(random);
  if (NUMBERS.has(field)) return number(random);
  if (SYMBOLS.has(field)) return symbols(random);
  return (FIELDS[field] ?? flag)(random);
}

export function randomTerminus(random: Random, name: 'source' | 'target'): Encoded {
  if (random.chance(0.05))
    return random.pick([NULL, randomValue(random), randomComposite(random, 'coordinator')]);
  return random.chance(0.7)
    ? composite(name, { address: str(random.pick(ADDRESSES)) })
    : randomComposite(random, name);
}

export function randomState(random: Random): Encoded {
  const name = random.pick(['accepted', 'accepted', 'released', 'rejected', 'modified', 'received'] as const);
  if (random.chance(0.05)) return transactionalState(random);
  return random.chance(0.05) ? hostileValue(random) : randomComposite(random, name);
}

function transactionalState(random: Random): Encoded {
  const id = random.chance(0.9) ? bin(randomBytes(random, 4)) : randomValue(random);
  const outcome = random.chance(0.5) ? NULL : randomState(random);
  return described(ulong(random.pick([0x33, 0x34])), list(random.chance(0.5) ? [id] : [id, outcome]));
}

function randomError(random: Random): Encoded {
  return random.chance(0.2) ? NULL : randomComposite(random, 'error');
}

function text(random: Random): Encoded {
  return str(randomText(random));
}

function linkName(random: Random): Encoded {
  return str(random.chance(0.8) ? random.pick(REPLY_NAMES) : randomText(random));
}

function channelNumber(random: Random): Encoded {
  return ushort(random.pick([0, 1, 255, 65_535]));
}

function mode(random: Random): Encoded {
  return ubyte(random.integer(4));
}

function tag(random: Random): Encoded {
  return bin(randomBytes(random, random.integer(20)));
}

function rarelyTrue(random: Random): Encoded {
  return boolean(random.chance(0.03));
}
