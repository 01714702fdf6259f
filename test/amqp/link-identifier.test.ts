// Where each SDK sends the identifier of a sender or receiver, by its recorded bytes.

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chosenIdentifier, identifierOf } from '../../src/amqp/link-identifier.js';
import type { Link } from '../../src/amqp/protocol/link-table.js';
import { type Attach, readPerformative } from '../../src/codec/performatives.js';
import { decodeTerminus } from '../../src/codec/terminus.js';
import { isProtocolHeader, readRecording, splitFrame } from '../support/recording.js';

const GUID = '[\\da-f]{8}(-[\\da-f]{4}){3}-[\\da-f]{12}';

/** The first sender and the first receiver of the entity `plain`, with the name of their connection. */
function recorded(
  sdk: string,
): Readonly<Record<'sender' | 'receiver', { attach: Attach; connection: string }>> {
  const file = new URL(`recordings/${sdk}.txt`, import.meta.url);
  const found: Record<string, { attach: Attach; connection: string }> = {};
  const names = new Map<number, string>();
  for (const { from, bytes, connection } of readRecording(readFileSync(file, 'utf8')).frames) {
    if (from !== 'client' || isProtocolHeader(bytes)) continue;
    const { body } = splitFrame(bytes);
    if (body.length === 0) continue;
    const { performative } = readPerformative(body);
    if (performative.kind === 'open') names.set(connection, performative.containerId);
    if (performative.kind !== 'attach') continue;
    const { role: isReceiver, source, target } = performative;
    const role = isReceiver ? 'receiver' : 'sender';
    const node = decodeTerminus(isReceiver ? source : target)?.address ?? '';
    if (/(^|\/)plain$/.test(node))
      found[role] ??= { attach: performative, connection: names.get(connection) ?? '' };
  }
  return found as ReturnType<typeof recorded>;
}

const linkOf = (role: 'sender' | 'receiver', attach: Attach) => ({ role, attach }) as unknown as Link;

describe.each([
  ['javascript', `^plain-${GUID}$`],
  ['dotnet', `^plain-${GUID}$`],
  ['java', `^${GUID}$`],
  ['python', `^SB(Sender|Receiver)-${GUID}$`],
  ['uamqp', `^SB(Sender|Receiver)-${GUID}$`],
])('%s sends the identifier', (sdk, pattern) => {
  const links = recorded(sdk);
  test.each(['sender', 'receiver'] as const)('of a %s, which it makes up if a program gives none', (role) => {
    const { attach, connection } = links[role];
    const identifier = identifierOf(linkOf(role, attach), connection);
    expect(identifier).toMatch(new RegExp(pattern));
    expect(chosenIdentifier(identifier)).toBe(undefined);
  });
});

test('Go sends none', () => {
  const { sender, receiver } = recorded('go');
  expect(identifierOf(linkOf('sender', sender.attach), sender.connection)).toBe(undefined);
  expect(identifierOf(linkOf('receiver', receiver.attach), receiver.connection)).toBe(undefined);
});
