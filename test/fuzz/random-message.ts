// Random message payloads: sections in and out of order, requests to `$cbs` and `$management`, batches, and what is none of them.

import type { Random } from '../simulation/random.js';
import {
  array,
  bin,
  boolean,
  type Encoded,
  list,
  map,
  NULL,
  str,
  timestamp,
  uint,
  ulong,
  uuid,
} from '../support/frame-encoder.js';
import { composite } from '../support/frame-lists.js';
import { applicationProperties, section, sectionDescriptors } from '../support/frame-message.js';
import { RULE_OPERATIONS, ruleRequestBody } from './random-rule-request.js';
import {
  hostileValue,
  randomBytes,
  randomMap,
  randomNumber,
  randomText,
  randomValue,
} from './random-value.js';

const SECTION_NAMES = [
  'header',
  'deliveryAnnotations',
  'messageAnnotations',
  'properties',
  'applicationProperties',
  'data',
  'sequence',
  'value',
  'footer',
] as const;
type SectionName = (typeof SECTION_NAMES)[number];

/** Names by which the responses of request nodes may be found; links are named so too. */
export const REPLY_NAMES = ['reply 0', 'reply 1', 'reply 2', ''] as const;

/** A payload for a sender link to an address. */
export function randomPayload(random: Random, address: string): Buffer {
  if (random.chance(0.05)) return randomBytes(random, random.integer(200));
  if (random.chance(0.05)) return coordination(random);
  if (address.includes('$cbs')) return cbsRequest(random);
  if (address.includes('$management')) {
    const isAboutRules = random.chance(address.includes('/Subscriptions/') ? 0.8 : 0.05);
    return isAboutRules ? ruleRequest(random) : managementRequest(random);
  }
  return randomMessage(random);
}

/** What a control link takes. */
function coordination(random: Random): Buffer {
  const transactionId = random.chance(0.9) ? bin(randomBytes(random, 16)) : randomValue(random);
  const shape = { descriptor: random.pick(['ulong', 'symbol'] as const) };
  const discharge = composite('discharge', { transactionId, fail: boolean(random.chance(0.5)) }, shape);
  return section('value', random.pick([composite('declare', {}, shape), discharge]));
}

export function randomMessage(random: Random): Buffer {
  const names: SectionName[] = SECTION_NAMES.filter(() => random.chance(0.5));
  if (random.chance(0.1)) names.sort(() => random.integer(3) - 1);
  if (random.chance(0.1)) names.push(random.pick(SECTION_NAMES));
  return Buffer.concat(names.map((name) => randomSection(random, name)));
}

/** A batch of messages, as it is sent with its own message-format. */
export function randomBatch(random: Random): Buffer {
  const inner = Array.from({ length: random.integer(5) }, () => section('data', bin(randomMessage(random))));
  return Buffer.concat([
    random.chance(0.3) ? randomSection(random, 'properties') : Buffer.alloc(0),
    ...inner,
  ]);
}

function randomSection(random: Random, name: SectionName): Encoded {
  const value = random.chance(0.04)
    ? hostileValue(random)
    : random.chance(0.04)
      ? randomValue(random)
      : SECTION_VALUES[name](random);
  return Buffer.concat([Buffer.of(0x00), random.pick(sectionDescriptors(name)), value]);
}

const SECTION_VALUES: Readonly<Record<SectionName, (random: Random) => Encoded>> = {
  header: (random) => listOf(random, 5),
  deliveryAnnotations: (random) => randomMap(random),
  messageAnnotations: (random) => randomMap(random),
  properties: propertiesList,
  applicationProperties: (random) => randomMap(random),
  data: (random) => bin(randomBytes(random, random.integer(300))),
  sequence: (random) => listOf(random, 4),
  value: (random) => randomValue(random),
  footer: (random) => randomMap(random),
};

function listOf(random: Random, maxLength: number): Encoded {
  const length = random.integer(maxLength + 1);
  const isWide = random.pick([false, true]);
  return list(
    Array.from({ length }, () => (random.chance(0.4) ? NULL : randomValue(random))),
    isWide,
  );
}

function propertiesList(random: Random): Encoded {
  const messageId = random.pick([
    NULL,
    str(randomText(random)),
    ulong(randomNumber(random)),
    uuid(randomBytes(random, 16)),
    bin(randomBytes(random, 3)),
  ]);
  const rest = Array.from({ length: random.integer(13) }, (_, index) => {
    if (random.chance(0.5)) return NULL;
    if (random.chance(0.1)) return randomValue(random);
    return index === 7 || index === 8 ? timestamp(randomNumber(random)) : str(randomText(random));
  });
  return list([messageId, ...rest]);
}

function cbsRequest(random: Random): Buffer {
  return request(random, {
    operation: str(random.pick(['put-token', 'put-token', 'delete-token', randomText(random)])),
    type: str(random.pick(['servicebus.windows.net:sastoken', 'jwt', randomText(random)])),
    name: random.chance(0.9) ? str('sb://localhost/q') : randomValue(random),
  });
}

function managementRequest(random: Random): Buffer {
  const operations = [
    'renew-lock',
    'renew-lock',
    'renew-lock',
    'peek-message',
    'schedule-message',
    'set-session-state',
  ];
  const operation = random.chance(0.9)
    ? str(`com.microsoft:${random.pick(operations)}`)
    : randomValue(random);
  return request(random, {
    operation,
    'com.microsoft:tracking-id': str(randomText(random)),
    'com.microsoft:server-timeout': random.chance(0.8) ? uint(60_000) : randomValue(random),
  });
}

function ruleRequest(random: Random): Buffer {
  const operation = random.pick(RULE_OPERATIONS);
  return requestWith(
    random,
    { operation: str(`com.microsoft:${operation}`) },
    ruleRequestBody(random, operation),
  );
}

function request(random: Random, properties: Readonly<Record<string, Encoded>>): Buffer {
  const tokens = array([uuid(randomBytes(random, 16)), uuid(Buffer.alloc(16))]);
  const body = random.pick([
    () => str('a token'),
    () => map([[str('lock-tokens'), tokens]]),
    () => map([[str('lock-tokens'), randomValue(random)]]),
    () => map([[str('lock-tokens'), list([])]]),
    () => map([[str('lock-tokens'), array([str('x'), str('y')])]]),
    () => randomMap(random),
    () => randomValue(random),
    () => hostileValue(random),
  ])();
  return requestWith(random, properties, body);
}

function requestWith(random: Random, properties: Readonly<Record<string, Encoded>>, body: Encoded): Buffer {
  return Buffer.concat([
    composite('properties', {
      messageId: random.chance(0.9) ? str(randomText(random)) : randomValue(random),
      replyTo: random.chance(0.9) ? str(random.pick(REPLY_NAMES)) : randomValue(random),
    }),
    random.chance(0.9) ? applicationProperties(properties) : randomSection(random, 'applicationProperties'),
    random.chance(0.9) ? section('value', body) : randomSection(random, 'data'),
  ]);
}
