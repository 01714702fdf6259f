// Azure, or any other service, as a side of a copy: messages are peeked and sent over AMQP.

import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AdminClient } from '../../client/admin-client.js';
import type { AmqpClient } from '../../client/amqp-client.js';
import type { MessageSender } from '../../client/message-sender.js';
import { encodeResent } from '../../content/resent-message.js';
import { describeMessage, sequenceNumberOf } from '../../content/shown-message.js';
import type { CopiedStore, CopyDestination, CopySource, MessageToCopy, SessionState } from './copy-side.js';

const DEAD_LETTERS = '/$DeadLetterQueue';
const PAGE = 100;

export class AmqpSource implements CopySource {
  readonly #client: AmqpClient;
  readonly #admin: AdminClient;
  readonly cannotDelete = 'messages of another service than a Jitney are copied and never deleted';

  constructor(client: AmqpClient, admin: AdminClient) {
    this.#client = client;
    this.#admin = admin;
  }

  get address(): string {
    return this.#admin.address;
  }

  async stores(): Promise<readonly CopiedStore[]> {
    const stores: CopiedStore[] = [];
    const add = (path: string, owner: string, count: number) => {
      stores.push({ path, owner, count, hasSessions: false });
      stores.push({ path: path + DEAD_LETTERS, owner, count: 0, hasSessions: false });
    };
    for await (const { description, messageCount } of this.#admin.listQueues()) {
      add(description.name, description.name, messageCount);
    }
    for await (const { description: topic } of this.#admin.listTopics()) {
      stores.push({ path: topic.name, owner: topic.name, count: 0, hasSessions: false });
      for await (const { description, messageCount } of this.#admin.listSubscriptions(topic.name)) {
        add(`${topic.name}/Subscriptions/${description.name}`, topic.name, messageCount);
      }
    }
    return stores;
  }

  async *messages(path: string, after: number): AsyncGenerator<readonly MessageToCopy[]> {
    const browser = await this.#client.openBrowser(path);
    const options = { from: BigInt(after) + 1n, max: Infinity, numberOf: sequenceNumberOf };
    let page: MessageToCopy[] = [];
    for await (const content of browser.peek(options)) {
      page.push(copied(content));
      if (page.length === PAGE) {
        yield page;
        page = [];
      }
    }
    if (page.length > 0) yield page;
  }

  async *sessionStates(): AsyncGenerator<SessionState> {}

  async delete(): Promise<void> {}

  async close(): Promise<void> {
    this.#admin.close();
    await this.#client.close();
  }
}

/** The message without what the broker adds, which the description tells. */
function copied(content: Uint8Array): MessageToCopy {
  const described = describeMessage(content, 'peeked');
  const { sequenceNumber = 0, state = 'active' } = described;
  const base64 = Buffer.from(encodeResent(content, { now: Date.now(), keepsSchedule: true })).toString(
    'base64',
  );
  return { ...described, sequenceNumber: Number(sequenceNumber), state, raw: { base64 } };
}

export class AmqpDestination implements CopyDestination {
  readonly #client: AmqpClient;
  readonly address: string;
  readonly #file: string | undefined;
  readonly #senders = new Map<string, MessageSender>();
  #marks: Record<string, number> | undefined;
  readonly loss =
    'Deferred messages and dead letters arrive active, delivery counts begin again, states of sessions stay behind, and messages of ' +
    'subscriptions are left out, because only a topic takes messages';

  /** `directory` keeps how far a copy is; undefined: a second run brings everything again. */
  constructor(client: AmqpClient, address: string, directory: string | undefined, importId: string) {
    this.#client = client;
    this.address = address;
    this.#file = directory && join(directory, 'copies', `${importId}.json`);
  }

  takes(path: string): boolean {
    return !/\/subscriptions\//i.test(path);
  }

  async mark(path: string): Promise<number> {
    this.#marks ??= await this.#readMarks();
    return this.#marks[path] ?? 0;
  }

  async put(path: string, messages: readonly MessageToCopy[]): Promise<void> {
    const target = path.replace(/\/\$DeadLetterQueue$/i, '');
    const sender = this.#senders.get(target) ?? (await this.#client.openSender(target));
    this.#senders.set(target, sender);
    const now = Date.now();
    await Promise.all(messages.map((message) => sender.send(contentOf(message, now))));
    this.#marks = { ...this.#marks, [path]: messages.at(-1)?.sequenceNumber ?? 0 };
    await this.#writeMarks();
  }

  async putState(): Promise<void> {}

  async end(): Promise<void> {
    if (this.#file !== undefined) await rm(this.#file, { force: true });
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #readMarks(): Promise<Record<string, number>> {
    if (this.#file === undefined) return {};
    try {
      return JSON.parse(await readFile(this.#file, 'utf8')) as Record<string, number>;
    } catch {
      return {};
    }
  }

  async #writeMarks(): Promise<void> {
    if (this.#file === undefined) return;
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(`${this.#file}.new`, JSON.stringify(this.#marks));
    await rename(`${this.#file}.new`, this.#file);
  }
}

function contentOf({ state, raw }: MessageToCopy, now: number): Uint8Array {
  return encodeResent(Buffer.from(raw.base64, 'base64'), { now, keepsSchedule: state === 'scheduled' });
}

/** The same for each run of a copy between these two services with this map. */
export function copyIdOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
