// Runs a command for messages: finds the service, connects, does the work, and says in one sentence what went wrong.

import { AmqpClient } from '../../client/amqp-client.js';
import type { Service } from '../../client/service.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { JitneyError } from '../../jitney-error.js';
import { isWithin, pathKey } from '../../security/resource-path.js';
import { ownerOf } from '../control/full-path.js';
import type { AskRunning } from '../control/running-authority.js';
import type { CommandContext } from '../output/command-context.js';
import { printError, usageError } from '../output/error-report.js';
import { connectFailure, emptyHint, requestFailure } from './client-failure.js';
import { deadLetterPath, resubmitPath } from './dead-letter-path.js';
import { refuseDrops } from './duplicate-check.js';
import type { MessageRequest } from './message-commands.js';
import { MessageOptions } from './message-options.js';
import { fullPathAt, isJitney, isQueue } from './named-entity.js';
import { runPeek } from './peek-command.js';
import { MOST_KEPT, runReceive } from './receive-command.js';
import { runResubmit } from './resubmit-command.js';
import { readSending, runSend } from './send-command.js';
import { findService } from './service-target.js';

export type MessageContext = { readonly askRunning: AskRunning } & Pick<
  CommandContext,
  'environment' | 'print' | 'stderr' | 'openInput' | 'interrupted' | 'now'
>;

type Run = (client: AmqpClient, entity: string, service: Service) => Promise<number>;

/** The longest wait. Node's timers allow at most 24 days. */
const LONGEST_WAIT_MS = 20 * 24 * 60 * 60 * 1000;
const DEFAULT = { peeked: 10, received: 1, waitMs: 5000 } as const;

/** Resolves with the exit code. */
export async function runMessageCommand(request: MessageRequest, context: MessageContext): Promise<number> {
  const { environment, askRunning, interrupted } = context;
  const { own, flags, entity } = request;
  let settings: Settings | undefined;
  try {
    settings = readSettings(flags, environment);
    const options = new MessageOptions(own);
    const run = await orInterrupted(prepare(request, options, context), interrupted);
    const connectionString = options.text('connectionString');
    const namespace = options.text('namespace');
    const transport = options.text('transport') === 'websocket' ? 'websocket' : 'amqp';
    const where = { connectionString, namespace, transport, flags } as const;
    const { service, entityPath, from } = await findService({ ...where, settings, environment, askRunning });
    refuseOther(entity, entityPath);
    const client = await AmqpClient.connect(service, interrupted).catch((error) => {
      throw connectFailure(error, { service, from });
    });
    const jitney = { service, askRunning };
    try {
      const path = request.command === 'send' ? entity : await fullPathAt(entity, client, jitney);
      return await run(client, path, service);
    } catch (error) {
      throw isJitney(client)
        ? await requestFailure(error, { entity, isSend: request.command === 'send' }, jitney)
        : error;
    } finally {
      await client.close();
    }
  } catch (error) {
    return printError(error, settings, {
      stderr: context.stderr,
      command: request.command,
      isJson: own.json === true,
    });
  }
}

/** Stops waiting at Ctrl-C, because standard input may never end. */
function orInterrupted<T>(work: Promise<T>, interrupted: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    interrupted.addEventListener('abort', () => reject(new JitneyError('interrupted', 'Interrupted')));
    work.then(resolve, reject);
  });
}

/** Reads all options before anything is connected. Throws a JitneyError. */
async function prepare(
  request: MessageRequest,
  options: MessageOptions,
  context: MessageContext,
): Promise<Run> {
  const { command } = request;
  const isJson = options.has('json');
  switch (command) {
    case 'send': {
      const sending = await readSending(request, request.entity, context);
      return (client) => runSend(client, sending, context);
    }
    case 'peek':
    case 'dead-letter list': {
      const isList = command === 'dead-letter list';
      const max = options.count('max', isList ? Infinity : DEFAULT.peeked, { all: true });
      const isDead = isList || options.has('deadLetter');
      const peeking = {
        from: options.sequenceNumber('from', 1n),
        max,
        sessionId: options.text('session'),
        isJson,
        isRaw: options.has('raw'),
      };
      return (client, entity, service) => {
        const path = isDead ? deadLetterPath(entity) : entity;
        const explainEmpty = async () =>
          isJitney(client) ? emptyHint(entity, { ...context, service }) : undefined;
        return runPeek(client, { ...peeking, path }, { ...context, explainEmpty });
      };
    }
    case 'receive': {
      const receiving = readReceiving(options);
      const isDead = options.has('deadLetter');
      return (client, entity) => {
        const path = isDead ? deadLetterPath(entity) : entity;
        return runReceive(client, { ...receiving, path }, context);
      };
    }
    case 'dead-letter resubmit':
      return prepareResubmit(request, options, context);
    default:
      return command satisfies never;
  }
}

function prepareResubmit(
  { entity: named }: MessageRequest,
  options: MessageOptions,
  context: MessageContext,
): Run {
  resubmitPath(named); // refuses what has no dead letters
  const resubmission = {
    isJson: options.has('json'),
    max: options.count('max', Infinity, { all: true }),
    hasNewIds: options.has('newMessageId'),
    waitMs: Math.min(options.duration('wait', DEFAULT.waitMs), LONGEST_WAIT_MS),
  };
  const consent = {
    newMessageId: resubmission.hasNewIds,
    mayDropDuplicates: options.has('mayDropDuplicates'),
  };
  return async (client, entity, service) => {
    const owner = ownerOf(entity);
    const topic = resubmitPath(entity);
    const isNamedSo = topic !== owner && isJitney(client) && (await isQueue(owner, { ...context, service }));
    const source = isNamedSo ? owner : topic;
    await refuseDrops(source, consent, { service, interrupted: context.interrupted });
    return runResubmit(client, { ...resubmission, path: deadLetterPath(entity), source }, context);
  };
}

function readReceiving(options: MessageOptions): Omit<Parameters<typeof runReceive>[1], 'path'> {
  const waitMs = Math.min(options.duration('wait', DEFAULT.waitMs), LONGEST_WAIT_MS);
  const max = options.count('max', DEFAULT.received, { all: true });
  const keeps = options.has('keep');
  const isDeleting = options.has('receiveAndDelete');
  const id = options.text('session');
  const isNext = options.has('nextSession');
  if (id !== undefined && isNext) throw usageError('give either --session or --next-session, not both');
  if (keeps && isDeleting) throw usageError('give either --keep or --receive-and-delete, not both');
  if (keeps && max > MOST_KEPT) throw usageError(`with --keep, --max must be at most ${MOST_KEPT}`);
  return {
    max,
    waitMs,
    isExpected: options.has('wait'),
    keeps,
    isJson: options.has('json'),
    mode: isDeleting ? 'receive-and-delete' : 'peek-lock',
    session: isNext ? { next: true, waitMs } : id === undefined ? undefined : { id },
  };
}

/** Refuses an entity that the connection string does not cover: it may be for one entity and its parts only. */
export function refuseOther(entity: string, entityPath: string | undefined): void {
  if (entityPath === undefined || isWithin(pathKey(entity), pathKey(entityPath))) return;
  throw usageError(`the connection string is only for '${entityPath}' (EntityPath), not for '${entity}'`);
}
