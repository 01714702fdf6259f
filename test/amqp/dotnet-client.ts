// The .NET SDK's use of transactions: which links share an AMQP session, which frames it writes, and how it reads the answers.

import type { EmulatorUnderTest } from '../support/emulator-under-test.js';
import { type Frame, type FrameChannel, numberOf } from '../support/frame-channel.js';
import type { FrameClient } from '../support/frame-client.js';
import {
  bin,
  boolean,
  type Encoded,
  FALSE,
  int,
  list,
  map,
  NULL,
  str,
  sym,
  TRUE,
  ubyte,
  uint,
} from '../support/frame-encoder.js';
import { openClient, takeDisposition } from '../support/frame-links.js';
import { composite, type Fields, readList } from '../support/frame-lists.js';
import { entryOf, section } from '../support/frame-message.js';
import {
  detached,
  type Link,
  outcomeOf,
  Receiver,
  type Scope,
  Sender,
  stateIn,
  takeCredit,
  UNLIMITED,
  writeTransfer,
} from './dotnet-links.js';
import { type Body, ManagementClient, type Reply } from './management/management-client.js';
import { item } from './management/refusals.js';
import { longs, uuids } from './management/surroundings.js';

const TRY_TIMEOUT_MS = 15_000;
const SESSION_FILTER = 'com.microsoft:session-filter';

export class DotnetClient {
  readonly #emulator: EmulatorUnderTest;
  readonly #connection: FrameClient;
  readonly #isCrossEntity: boolean;
  #shared: FrameChannel | undefined;
  #control: Link | undefined;
  #controlTransferCount = 0;
  #sessionCount = 0;
  #handleCount = 0;
  readonly #managers = new Map<string, { readonly manager: ManagementClient; readonly handle: number }>();
  readonly #rollBacks: Promise<string>[] = [];

  private constructor(emulator: EmulatorUnderTest, connection: FrameClient, isCrossEntity: boolean) {
    this.#emulator = emulator;
    this.#connection = connection;
    this.#isCrossEntity = isCrossEntity;
  }

  static async open(emulator: EmulatorUnderTest, { isCrossEntity = false } = {}): Promise<DotnetClient> {
    return new DotnetClient(emulator, await openClient(emulator.connect()), isCrossEntity);
  }

  get clock(): EmulatorUnderTest['clock'] {
    return this.#emulator.clock;
  }

  /** The control link is attached with the first operation in a scope. */
  async begin(): Promise<Scope> {
    this.#control ??= await this.#attachControl(await this.#amqpSession());
    const frame = await this.#tellCoordinator(composite('declare', { globalId: NULL }));
    const state = readList(frame.field('state'));
    const id = state.name === 'declared' ? state.field('transactionId') : undefined;
    if (id?.type !== 'binary') throw new Error(`it was answered ${frame.text}`);
    return { id: id.value, enlisted: [] };
  }

  /** Blocks, as leaving a completed scope does; then each delivery settled in it is settled for good. */
  async commit(scope: Scope): Promise<string> {
    const answer = outcomeOf(await this.#discharge(scope, false));
    if (answer === 'accepted') for (const settled of scope.enlisted) await settled();
    return answer;
  }

  /** Blocks nobody: the next frame is right behind it. */
  rollBack(scope: Scope): void {
    this.#rollBacks.push(this.#discharge(scope, true).then(outcomeOf));
  }

  /** The answers that nobody has waited for. */
  async rolledBack(): Promise<readonly string[]> {
    return Promise.all(this.#rollBacks);
  }

  async sender(path: string): Promise<Sender> {
    const { link } = await this.#attach(FALSE, (name) => ({
      source: composite('source', { address: str(name) }),
      target: composite('target', { address: str(`/${path}`) }),
      initialDeliveryCount: uint(0),
      properties: map([[sym('com.microsoft:timeout'), uint(TRY_TIMEOUT_MS)]]),
    }));
    await takeCredit(link);
    return new Sender(link);
  }

  receiver(path: string): Promise<Receiver> {
    return this.#openReceiver(path, map([]));
  }

  acceptSession(path: string, sessionId: string): Promise<Receiver> {
    return this.#openReceiver(path, map([[sym(SESSION_FILTER), str(sessionId)]]));
  }

  acceptNextSession(path: string): Promise<Receiver> {
    return this.#openReceiver(path, map([[sym(SESSION_FILTER), NULL]]));
  }

  /** A request is settled, its tag empty; the transaction is in its state. */
  async ask(path: string, operation: string, body: Body, scope?: Scope): Promise<Reply> {
    const { manager, handle } = this.#managers.get(path) ?? (await this.#openManager(path));
    const deliveryId = uint(manager.session.sentTransferCount);
    const naming = { handle: uint(handle), deliveryId, deliveryTag: bin(Buffer.alloc(0)) };
    const rest = { messageFormat: uint(0), settled: TRUE, more: FALSE, ...stateIn(scope) };
    const payload = manager.message(operation, body);
    manager.session.send('transfer', { ...naming, ...rest }, { payload });
    return manager.takeReply();
  }

  async schedule(path: string, message: Buffer, scope?: Scope): Promise<number> {
    const { body, status } = await this.ask(
      path,
      'schedule-message',
      { messages: list([item(message)]) },
      scope,
    );
    const numbers = entryOf(body, 'sequence-numbers');
    if (numbers?.type !== 'array') throw new Error(`it was answered ${status}`);
    return Number(numbers.value[0]?.value);
  }

  cancelScheduled(path: string, sequenceNumber: number, scope?: Scope): Promise<Reply> {
    return this.ask(path, 'cancel-scheduled-message', { 'sequence-numbers': longs(sequenceNumber) }, scope);
  }

  /** `accepted`, or why not. */
  async completeByToken(path: string, token: Buffer, { sessionId, scope }: ByToken = {}): Promise<string> {
    const body = {
      'lock-tokens': uuids(token),
      'disposition-status': str('completed'),
      'session-id': sessionId === undefined ? undefined : str(sessionId),
    };
    const { status, condition } = await this.ask(path, 'update-disposition', body, scope);
    return status === 'int 200' ? 'accepted' : condition.slice(1);
  }

  /** The connection is lost, without a word. */
  vanish(): void {
    this.#connection.destroy();
  }

  /** In cross-entity mode all links have one, whose first is a control link that is never used. */
  async #amqpSession(): Promise<FrameChannel> {
    if (this.#shared !== undefined) return this.#shared;
    const channel = this.#connection.channel(this.#sessionCount++);
    const windows = { incomingWindow: UNLIMITED, outgoingWindow: UNLIMITED };
    channel.send('begin', { nextOutgoingId: uint(0), ...windows, handleMax: uint(262_143) });
    await channel.expect('begin');
    if (!this.#isCrossEntity) return channel;
    this.#shared = channel;
    await this.#attachControl(channel);
    return channel;
  }

  async #attachControl(channel: FrameChannel): Promise<Link> {
    const { link } = await this.#attachOn(channel, FALSE, (name) => ({
      source: composite('source', { address: str(name), distributionMode: sym('move') }),
      target: composite('coordinator', { capabilities: NULL }),
      initialDeliveryCount: uint(0),
    }));
    await takeCredit(link);
    return link;
  }

  async #openReceiver(path: string, filter: Encoded): Promise<Receiver> {
    const { link, attach } = await this.#attach(TRUE, (name) => ({
      rcvSettleMode: ubyte(1),
      source: composite('source', { address: str(`/${path}`), filter }),
      target: composite('target', { address: str(name) }),
      properties: map([
        [sym('com.microsoft:timeout'), uint(TRY_TIMEOUT_MS)],
        [sym('com.microsoft:entity-type'), int(0)],
      ]),
    }));
    const answered = readList(attach.field('source')).field('filter');
    const session = answered?.type === 'map' ? entryOf(answered, SESSION_FILTER) : undefined;
    return new Receiver(this, link, path, session === undefined ? undefined : String(session.value));
  }

  async #openManager(path: string): Promise<{ manager: ManagementClient; handle: number }> {
    const channel = await this.#amqpSession();
    const handle = this.#handleCount;
    this.#handleCount += 2;
    const opened = { manager: await ManagementClient.open(channel, path, { handle }), handle };
    this.#managers.set(path, opened);
    return opened;
  }

  async #attach(role: Encoded, fields: (name: string) => Fields<'attach'>) {
    return this.#attachOn(await this.#amqpSession(), role, fields);
  }

  async #attachOn(channel: FrameChannel, role: Encoded, fields: (name: string) => Fields<'attach'>) {
    const handle = this.#handleCount++;
    const name = handle.toString(16).padStart(32, '0');
    channel.send('attach', { name: str(name), handle: uint(handle), role, ...fields(name) });
    const attach = await channel.take('attach', (frame) => frame.field('name')?.value === name);
    const link = { channel, handle, serverHandle: numberOf(attach, 'handle') ?? -1 };
    const terminus = attach.field(role === TRUE ? 'source' : 'target');
    if (terminus?.type !== 'described') throw new Error(`refused: ${await detached(link)}`);
    return { link, attach };
  }

  #discharge({ id }: Scope, isFailed: boolean): Promise<Frame> {
    return this.#tellCoordinator(composite('discharge', { transactionId: bin(id), fail: boolean(isFailed) }));
  }

  #tellCoordinator(body: Encoded): Promise<Frame> {
    if (this.#control === undefined) throw new Error('there is no control link');
    const tag = Buffer.alloc(8);
    tag.writeUInt32LE(++this.#controlTransferCount);
    const deliveryId = writeTransfer(this.#control, section('value', body), { tag });
    return takeDisposition(this.#control.channel, deliveryId, 'receiver');
  }
}

type ByToken = { readonly sessionId?: string | undefined; readonly scope?: Scope | undefined };
