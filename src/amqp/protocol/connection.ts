// One AMQP connection as a state machine: bytes in; bytes and events out. It knows no socket, no clock and no Service Bus.

import type { ByteShare } from '../../budget/byte-budget.js';
import { DecodeError } from '../../codec/decode-error.js';
import {
  FRAME_TYPE,
  type Frame,
  FrameReader,
  MIN_MAX_FRAME_SIZE,
  writeFrame,
  writeHeartbeat,
} from '../../codec/frames.js';
import { readFrame } from '../../codec/hot-frame-reader.js';
import type { AmqpError, AmqpPerformative, Attach, Open } from '../../codec/performatives.js';
import type { ReusedBlocks } from '../../codec/reused-blocks.js';
import type { AmqpSession, SessionConnection } from './amqp-session.js';
import { AmqpSessions } from './amqp-sessions.js';
import { DelayedFrames } from './delayed-frames.js';
import { Handshake, type HandshakeListener } from './handshake.js';
import { Heartbeat } from './heartbeat.js';
import { HeldBytes, MAX_UNFINISHED_BYTES } from './held-bytes.js';
import type { Link } from './link-table.js';
import { answerTo, checkOpen, IDLE_TIME_OUT_MS, MAX_FRAME_SIZE, type OwnOpen } from './open.js';
import { Output } from './output.js';
import type { PartialDelivery } from './partial-delivery.js';
import { ProtocolError } from './protocol-error.js';
import { encodedError } from './truncated-error.js';
import { UnfinishedMessages } from './unfinished-messages.js';

export interface ConnectionListener extends HandshakeListener {
  /** Called once when bytes wait in `output`, until they are taken. */
  outputReady(): void;
  opened(open: Open): void;
  /** Called for a link with decodable termini, which must be accepted or refused, now or later. */
  attached(link: Link): void;
  /** Called with the number of links that were detached because their messages came too slowly. */
  tooSlow?(linkCount: number): void;
  /** Called when the connection has ended: nothing more is read, nothing is written once `output` is taken, and all links are gone. `fault` is an internal error. */
  ended(error: AmqpError | undefined, fault?: unknown): void;
}

export type ConnectionOptions = OwnOpen & {
  /** The first transfer-id and delivery-id of each session: 0, except in tests that let them wrap. */
  readonly firstOutgoingId?: number;
  /** Whether a message may take any time to arrive. Default: no. */
  readonly allowsSlowMessages?: boolean;
  /** The most links of all sessions together. Further ones are refused. Default: any number. */
  readonly maxLinks?: number;
  /** Counts the bytes that are held for the client. Default: they have no limit. */
  readonly share?: ByteShare | undefined;
  /** Memory for unfinished frames and messages of all connections. Default: each gets memory of its own. */
  readonly frameBlocks?: ReusedBlocks | undefined;
  /** Memory for copies of output of all connections. Default: each gets memory of its own. */
  readonly outputBlocks?: ReusedBlocks | undefined;
};

/** Our largest frame, even for a peer that takes any size. */
const MAX_OUTGOING_FRAME = 256 * 1024;
const HANDSHAKE_MS = 30_000;
/** Limit of output that waits for the socket, above which deliveries are held back. */
const OUTPUT_HIGH_WATER_BYTES = 1024 * 1024;

const NO_PAYLOAD: readonly Buffer[] = [];
const NO_BYTES = Buffer.alloc(0);
/** If the first read has this many bytes of a frame, the rest is not joined to them: they hold the header and any usual performative. */
const HEAD_BYTES = 2048;

const BROKEN: AmqpError = {
  condition: 'amqp:internal-error',
  description: 'The emulator failed to handle this connection; see its log.',
};

const TOO_MUCH: AmqpError = {
  condition: 'amqp:resource-limit-exceeded',
  description: `More than ${MAX_UNFINISHED_BYTES} bytes of unfinished messages and transactions were sent on one connection.`,
};

/** `open`: we wait for the peer's open. */
type State = 'handshake' | 'open' | 'opened' | 'ended';

export class Connection implements SessionConnection {
  readonly output: Output;
  readonly held: HeldBytes;
  readonly #listener: ConnectionListener;
  readonly #options: ConnectionOptions;
  readonly #heartbeat = new Heartbeat();
  readonly #reader: FrameReader;
  readonly #handshake: Handshake;
  readonly #sessions = new AmqpSessions(this);
  readonly #delayed = new DelayedFrames((channel, ending) => this.#sessions.announceEnd(channel, ending));
  #state: State = 'handshake';
  #isOutputAnnounced = false;
  #maxOutgoingFrame = MIN_MAX_FRAME_SIZE;
  #remoteIdleMs: number | undefined;
  readonly #unfinished = new UnfinishedMessages();
  /** Messages that have had a part in the read that is being handled, and were not finished by it. */
  readonly #partlyRead: PartialDelivery[] = [];
  #unreadBytes = 0;
  #linkCount = 0;
  /** Set by the transport while it reads nothing from the peer. */
  isHeldBack = false;
  #isLost = false;

  constructor(listener: ConnectionListener, options: ConnectionOptions) {
    this.#listener = listener;
    this.#options = options;
    this.held = new HeldBytes(options.share);
    this.output = new Output(options.outputBlocks);
    this.#reader = new FrameReader(MAX_FRAME_SIZE, options.frameBlocks);
    this.#handshake = new Handshake(this.output, listener);
  }

  get isEnded(): boolean {
    return this.#state === 'ended';
  }

  get isLost(): boolean {
    return this.#isLost;
  }

  get frameBlocks(): ReusedBlocks | undefined {
    return this.#options.frameBlocks;
  }

  get firstOutgoingId(): number {
    return this.#options.firstOutgoingId ?? 0;
  }

  get maxOutgoingFrame(): number {
    return this.#maxOutgoingFrame;
  }

  offeredTo(attach: Attach): readonly string[] | undefined {
    const offered = attach.desiredCapabilities && this.#options.capabilities?.ofLink(attach);
    return offered === undefined || offered.length === 0 ? undefined : offered;
  }

  linkAdded(): AmqpError | undefined {
    this.#linkCount++;
    const { maxLinks = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#linkCount <= maxLinks) return undefined;
    return {
      condition: 'amqp:resource-limit-exceeded',
      description: `Cannot allocate more handles. The maximum number of handles is ${maxLinks}. Close senders and receivers that are no longer used.`,
    };
  }

  linksRemoved(count: number): void {
    this.#linkCount -= count;
  }

  /** Whether deliveries may be written. If not, `roomMade` must be called later. */
  get hasRoom(): boolean {
    return this.held.unsent + this.output.byteLength < OUTPUT_HIGH_WATER_BYTES;
  }

  /**
   * Takes a read from the peer, whose memory may be used for another read afterwards. A breach of the protocol ends the connection, never
   * the caller.
   */
  receive(read: Buffer): void {
    if (this.#state === 'ended') return;
    this.#heartbeat.received();
    this.#reader.push(read);
    try {
      while (!this.isEnded && this.#step()) {}
      this.#receiveDelayed();
    } catch (error) {
      this.#fail(error);
    }
    this.#keepUnfinished();
    this.#countUnread();
    if (this.held.unfinished > MAX_UNFINISHED_BYTES) this.close(TOO_MUCH);
  }

  /** Answers the client for which `accepts` returned undefined, and reads on. */
  decide(isAccepted: boolean): void {
    if (this.isEnded) return;
    const step = this.#handshake.decide(isAccepted);
    this.outputReady();
    if (step === 'over') this.#end(undefined);
    else this.receive(NO_BYTES);
  }

  /** Notes that the peer has sent something, although it is dropped. */
  heard(): void {
    this.#heartbeat.received();
  }

  /** The next write, gathered outcomes included. */
  takeOutput(): ReturnType<Output['take']> {
    this.#sessions.flushOutcomes();
    this.#isOutputAnnounced = false;
    return this.output.take();
  }

  /** Counts bytes of output that the transport has given to the socket. */
  writeBegan(byteLength: number): void {
    this.held.addUnsent(byteLength);
  }

  /** Counts bytes of output that the socket has passed on. */
  writeEnded(byteLength: number): void {
    const hadRoom = this.hasRoom;
    this.held.addUnsent(-byteLength);
    if (!hadRoom && this.hasRoom) this.roomMade();
  }

  /** Sends the deliveries that waited for room. */
  roomMade(): void {
    this.#sessions.offerRoom();
  }

  /** Checks heartbeats, idle peers and slow handshakes. Must be called about every second with the real time. */
  tick(nowMs: number): void {
    if (this.isEnded) return;
    this.#reader.release();
    this.#unfinished.release();
    if (this.isHeldBack) {
      // A peer from which we do not read is not silent. Only a write can show that it has gone.
      this.#heartbeat.received();
      this.writeEmptyFrame();
    }
    const { ageMs, peerSilentMs, selfSilentMs } = this.#heartbeat.tick(nowMs);
    if (this.#state !== 'opened') {
      if (ageMs >= HANDSHAKE_MS && !this.isHeldBack) this.#end(undefined);
      return;
    }
    if (this.#options.allowsSlowMessages !== true) {
      const slowCount = this.#unfinished.tick(nowMs, this.isHeldBack);
      if (slowCount > 0) this.#listener.tooSlow?.(slowCount);
    }
    if (peerSilentMs >= 2 * IDLE_TIME_OUT_MS) {
      this.close({
        condition: 'amqp:resource-limit-exceeded',
        description: `nothing was received for ${peerSilentMs} ms; the idle-time-out is ${IDLE_TIME_OUT_MS} ms`,
      });
    } else if (this.#remoteIdleMs !== undefined && selfSilentMs >= this.#remoteIdleMs / 2) {
      this.writeEmptyFrame();
    }
  }

  /** Writes a heartbeat. */
  writeEmptyFrame(): void {
    if (this.#state !== 'opened') return;
    writeHeartbeat(this.output.writer);
    this.outputReady();
  }

  /** Writes a close with the reason and ends. */
  close(error: AmqpError | undefined, fault?: unknown): void {
    if (this.isEnded) return;
    if (this.#state === 'opened') {
      this.#sessions.flushOutcomes();
      this.writeFrame(0, { kind: 'close', error: encodedError(error, this.#maxOutgoingFrame) });
    }
    this.#isLost = error !== undefined;
    this.#end(error, fault);
  }

  /** Ends this connection, and no other, because of an internal fault. */
  fault(cause: unknown): void {
    this.close(BROKEN, cause);
  }

  /** Ends the connection without a close, because the socket is closed. */
  disconnected(): void {
    this.#isLost = true;
    this.#end(undefined);
  }

  writeFrame(channel: number, performative: AmqpPerformative): void {
    if (this.isEnded) return;
    writeFrame(this.output.writer, { type: FRAME_TYPE.amqp, channel, performative });
    this.outputReady();
  }

  attached(link: Link): void {
    this.#listener.attached(link);
  }

  unfinished(link: { detach(error: AmqpError): void }, delivery: PartialDelivery | undefined): void {
    this.#unfinished.note(link, delivery);
  }

  keepAfterRead(delivery: PartialDelivery): void {
    if (this.#partlyRead.at(-1) !== delivery) this.#partlyRead.push(delivery);
  }

  markUnflushed(session: AmqpSession): void {
    this.#sessions.markUnflushed(session);
    this.outputReady();
  }

  outputReady(): void {
    this.#heartbeat.sent();
    if (this.#isOutputAnnounced) return;
    this.#isOutputAnnounced = true;
    this.#listener.outputReady();
  }

  /** Copies what is unfinished, because the memory of the read is used for the next one. */
  #keepUnfinished(): void {
    for (const delivery of this.#partlyRead) delivery.keep();
    this.#partlyRead.length = 0;
    // Last, because its block may have the beginnings of these messages.
    this.#reader.keep();
  }

  /** Counts the first part of a frame that has not arrived in full. */
  #countUnread(): void {
    const unreadBytes = this.isEnded ? 0 : this.#reader.unreadBytes;
    if (unreadBytes === this.#unreadBytes) return;
    this.held.addPartial(unreadBytes - this.#unreadBytes);
    this.#unreadBytes = unreadBytes;
  }

  /** Handles one header or frame of the input; false when none is complete. */
  #step(): boolean {
    return this.#state === 'handshake' ? this.#stepHandshake() : this.#stepFrame();
  }

  #stepHandshake(): boolean {
    const step = this.#handshake.step(this.#reader);
    if (step === 'unread') return false;
    this.outputReady();
    if (step === 'agreed') this.#state = 'open';
    if (step === 'over') this.#end(undefined);
    return true;
  }

  #stepFrame(): boolean {
    const frame = this.#reader.takeFrame(HEAD_BYTES);
    if (frame === undefined) return false;
    if (frame.type !== FRAME_TYPE.amqp) throw new DecodeError(`a frame has type ${frame.type}`);
    if (frame.body.length === 0) return true;
    const { performative, payload } = readFrame(frame);
    if (performative.kind.startsWith('sasl-'))
      throw new DecodeError('a SASL performative came in an AMQP frame');
    this.#receivePerformative(frame, performative as AmqpPerformative, payload);
    return true;
  }

  #receivePerformative({ channel }: Frame, performative: AmqpPerformative, payload: readonly Buffer[]): void {
    if (this.#state === 'open') {
      if (performative.kind !== 'open') throw new DecodeError(`${performative.kind} came before open`);
      this.#onOpen(performative);
      return;
    }
    if (this.#delayed.delay(channel, performative)) return;
    this.#receiveDelayed();
    this.#receiveOpened(channel, performative, payload);
  }

  #receiveDelayed(): void {
    for (const { channel, performative } of this.#delayed.take()) {
      if (!this.isEnded) this.#receiveOpened(channel, performative, NO_PAYLOAD);
    }
  }

  #receiveOpened(channel: number, performative: AmqpPerformative, payload: readonly Buffer[]): void {
    switch (performative.kind) {
      case 'open':
        throw new ProtocolError('connection', 'amqp:not-allowed', 'a second open came');
      case 'close':
        this.close(undefined);
        return;
      case 'begin':
        this.#sessions.begin(channel, performative);
        return;
      default:
        this.#sessions.receive(channel, performative, payload);
    }
  }

  #onOpen(open: Open): void {
    this.#state = 'opened';
    this.#maxOutgoingFrame = Math.min(MAX_OUTGOING_FRAME, Math.max(MIN_MAX_FRAME_SIZE, open.maxFrameSize));
    // A peer that requests heartbeats more often than `tick` is called gets one with every tick.
    this.#remoteIdleMs = open.idleTimeOut === 0 ? undefined : open.idleTimeOut;
    this.writeFrame(0, answerTo(open, this.#options));
    checkOpen(open);
    this.#listener.opened(open);
  }

  #fail(error: unknown): void {
    if (this.#state === 'handshake') {
      this.#handshake.fail();
      this.outputReady();
    }
    if (error instanceof DecodeError || error instanceof ProtocolError) {
      this.close({ condition: error.condition, description: error.message });
      return;
    }
    this.fault(error);
  }

  #end(error: AmqpError | undefined, fault?: unknown): void {
    if (this.isEnded) return;
    this.#state = 'ended';
    this.#sessions.onGone();
    this.#countUnread();
    this.#reader.drop();
    this.#listener.ended(error, fault);
  }
}
