// All that a data directory holds, as the control interface of an emulator on it describes it, for a comparison with a later version.

import { callControl } from '../support/control.js';
import type { Jitney } from '../support/jitney.js';

type Entity = {
  readonly kind: string;
  readonly path: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly subscriptions?: readonly Entity[];
};
type Message = { readonly raw: { readonly base64: string } };
type Session = { readonly sessionId: string; readonly stateBase64?: string };

const SUB_QUEUES = ['', '/$DeadLetterQueue', '/$Transfer/$DeadLetterQueue'];
/** They count from the moment in which they are asked for, because the clock of the data directory is stopped. */
const TIME = /Time$|^expiresAt$|^lockedUntil$/;

/** Entities with their properties, rules, messages in every state and the states of sessions, by path. */
export async function describeData(jitney: Jitney, namespace: string): Promise<unknown> {
  const call = <Answer>(path: string) => callControl<Answer>(jitney, `namespaces/${namespace}/${path}`);
  const { entities } = await call<{ entities: readonly Entity[] }>('entities');
  const all = entities.flatMap((entity) => [entity, ...(entity.subscriptions ?? [])]);
  const described = all.map(async (entity) => [entity.path, await describe(entity)] as const);
  return withoutTimes(Object.fromEntries(await Promise.all(described)));

  async function describe({ kind, path, properties }: Entity): Promise<unknown> {
    const query = `entity=${encodeURIComponent(path)}`;
    return {
      kind,
      properties,
      ...(kind === 'subscription' && (await call<object>(`rules?${query}`))),
      ...(properties.requiresSession === true && { sessions: await sessionsOf(query) }),
      messages: await messagesOf(path),
    };
  }

  async function sessionsOf(query: string): Promise<unknown[]> {
    const { sessions } = await call<{ sessions: readonly Session[] }>(`sessions?${query}`);
    const states = sessions.map(({ sessionId }) =>
      call<Session>(`session?${query}&sessionId=${encodeURIComponent(sessionId)}`),
    );
    return (await Promise.all(states)).map(({ sessionId, stateBase64 }) => ({ sessionId, stateBase64 }));
  }

  async function messagesOf(path: string): Promise<Readonly<Record<string, readonly unknown[]>>> {
    const lists = SUB_QUEUES.map(async (subQueue) => {
      const query = `entity=${encodeURIComponent(path + subQueue)}&limit=250&raw=true`;
      // A topic and an entity that forwards may have no such sub-queue.
      const { messages } = await call<{ messages: readonly Message[] }>(`messages?${query}`).catch(() => ({
        messages: [],
      }));
      return [subQueue, messages.map(withBytes)] as const;
    });
    return Object.fromEntries((await Promise.all(lists)).filter(([, messages]) => messages.length > 0));
  }
}

function withBytes({ raw, ...message }: Message): unknown {
  return { ...message, raw: raw.base64 };
}

function withoutTimes(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => (TIME.test(name) ? undefined : inner)));
}
