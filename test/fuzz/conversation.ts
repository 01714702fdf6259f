// What an honest client writes, at random: a handshake, sessions, links, messages and settlements, frame by frame.

import type { Random } from '../simulation/random.js';
import { frameOf, PROTOCOL_HEADER } from '../support/frame-client.js';
import { big, bin, boolean, FALSE, str, sym, TRUE, ubyte, uint } from '../support/frame-encoder.js';
import { composite, type Fields, type ListName } from '../support/frame-lists.js';
import { REPLY_NAMES, randomBatch, randomPayload } from './random-message.js';
import { ADDRESSES, randomState } from './random-performative.js';

const WINDOW = uint(2048);
const BATCH_FORMAT = 0x80013700;

type Talker = { readonly random: Random; readonly pieces: Buffer[] };
type TalkedLink = { readonly handle: number; readonly isReceiver: boolean; readonly address: string };
type TalkedSession = { readonly channel: number; readonly links: TalkedLink[]; nextDeliveryId: number };

/** Protocol headers, SASL now and then, and open. */
export function handshake(random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  if (random.chance(0.2)) {
    const mechanism = random.pick(['ANONYMOUS', 'MSSBCBS', 'PLAIN', 'EXTERNAL']);
    const init = composite('sasl-init', {
      mechanism: sym(mechanism),
      initialResponse: bin(Buffer.from('\0user\0password')),
    });
    pieces.push(PROTOCOL_HEADER.sasl, frameOf(init, { type: 1 }));
  }
  const maxFrameSize = uint(random.pick([512, 513, 4096, 65_536, 2 ** 32 - 1]));
  pieces.push(
    PROTOCOL_HEADER.amqp,
    frameOf(composite('open', { containerId: str('a client'), maxFrameSize })),
  );
  return pieces;
}

/** A whole conversation, cut where an honest client cuts it. */
export function conversation(random: Random): Buffer[] {
  const talker: Talker = { random, pieces: handshake(random) };
  for (let channel = 0; channel === 0 || random.chance(0.2); channel++) talkInSession(talker, channel);
  if (random.chance(0.3)) say(talker, 0, 'close', {});
  return talker.pieces;
}

function talkInSession(talker: Talker, channel: number): void {
  const { random } = talker;
  const session: TalkedSession = { channel, links: [], nextDeliveryId: 0 };
  say(talker, channel, 'begin', {
    nextOutgoingId: uint(0),
    incomingWindow: random.chance(0.8) ? WINDOW : uint(random.integer(4)),
    outgoingWindow: WINDOW,
  });
  for (let handle = 0; handle <= random.integer(3); handle++) attach(talker, session, handle);
  for (let step = random.integer(9); step > 0; step--) act(talker, session);
  if (random.chance(0.3)) say(talker, channel, 'end', {});
}

function attach(talker: Talker, session: TalkedSession, handle: number): void {
  const { random } = talker;
  const isReceiver = random.chance(0.5);
  const address = random.pick(ADDRESSES);
  session.links.push({ handle, isReceiver, address });
  const near = isReceiver ? 'source' : 'target';
  const far = isReceiver ? 'target' : 'source';
  say(talker, session.channel, 'attach', {
    name: str(random.chance(0.5) ? `reply ${handle}` : `${random.pick(REPLY_NAMES)} ${handle}`),
    handle: uint(handle),
    role: boolean(isReceiver),
    sndSettleMode: ubyte(random.integer(3)),
    rcvSettleMode: ubyte(random.integer(2)),
    [near]: composite(near, { address: str(address) }),
    [far]: composite(far, random.chance(0.5) ? {} : { address: str(random.pick(REPLY_NAMES)) }),
    initialDeliveryCount: uint(0),
  });
  if (isReceiver && random.chance(0.9)) giveCredit(talker, session, handle);
}

function act(talker: Talker, session: TalkedSession): void {
  const { random } = talker;
  const link = random.pick(session.links);
  switch (random.integer(8)) {
    case 0:
      return giveCredit(talker, session, link.handle);
    case 1:
    case 2:
      return say(talker, session.channel, 'disposition', {
        role: TRUE,
        first: uint(random.integer(4)),
        last: uint(3 + random.integer(4)),
        settled: boolean(random.chance(0.5)),
        state: randomState(random),
      });
    case 3:
      if (random.chance(0.8)) return say(talker, session.channel, 'flow', windowFields(random));
      return say(talker, session.channel, 'detach', { handle: uint(link.handle), closed: TRUE });
    default:
      if (!link.isReceiver) sendMessage(talker, session, link);
  }
}

function giveCredit(talker: Talker, { channel }: TalkedSession, handle: number): void {
  const { random } = talker;
  say(talker, channel, 'flow', {
    ...windowFields(random),
    handle: uint(handle),
    deliveryCount: uint(0),
    linkCredit: uint(random.integer(30)),
    drain: boolean(random.chance(0.2)),
  });
}

function windowFields(random: Random): Fields<'flow'> {
  return {
    nextIncomingId: uint(random.chance(0.8) ? 0 : random.integer(8)),
    incomingWindow: random.chance(0.7) ? WINDOW : uint(random.integer(4)),
    nextOutgoingId: uint(0),
    outgoingWindow: WINDOW,
    echo: boolean(random.chance(0.2)),
  };
}

function sendMessage(talker: Talker, session: TalkedSession, { handle, address }: TalkedLink): void {
  const { random } = talker;
  const isBatch = random.chance(0.1);
  let rest: Buffer = isBatch ? randomBatch(random) : randomPayload(random, address);
  if (random.chance(0.003)) rest = Buffer.concat([rest, Buffer.alloc(300_000, random.integer(256))]);
  const deliveryId = session.nextDeliveryId++;
  const settled = boolean(random.chance(0.2));
  const isDribbling = random.chance(0.03);
  for (let isFirst = true; isFirst || rest.length > 0; isFirst = false) {
    const cut = random.chance(0.8) ? rest.length : random.integer(rest.length + 1);
    const payload = rest.subarray(0, Math.min(cut, isDribbling && rest.length < 150 ? 1 : 60_000));
    rest = rest.subarray(payload.length);
    const more = rest.length > 0 ? TRUE : FALSE;
    const aborted = random.chance(0.01) ? TRUE : FALSE;
    say(
      talker,
      session.channel,
      'transfer',
      {
        handle: uint(handle),
        deliveryId: uint(deliveryId),
        deliveryTag: bin(big(deliveryId, 4)),
        messageFormat: uint(isBatch ? BATCH_FORMAT : 0),
        settled,
        more,
        aborted,
      },
      payload,
    );
  }
}

function say<N extends ListName>(
  { pieces }: Talker,
  channel: number,
  name: N,
  fields: Fields<N>,
  payload: Buffer = Buffer.alloc(0),
): void {
  pieces.push(frameOf(Buffer.concat([composite(name, fields), payload]), { channel }));
}
