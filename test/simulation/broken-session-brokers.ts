// Brokers that break one rule of message sessions each: they need to remember something to do so.

import type { Turn } from '../../src/broker/broker.js';
import type { Command, SessionClaim } from '../../src/broker/command.js';
import { type Remembering, rememberingBrokers } from './remembering-brokers.js';

type AcceptSession = Extract<Command, { kind: 'accept-session' }>;

const FLAWS: Readonly<Record<string, Remembering>> = {
  'lets two hold one session': (execute) => (command, now) => {
    const turn = execute(command, now);
    const { result } = turn;
    if (command.kind !== 'accept-session' || command.sessionId === undefined) return turn;
    if (result.kind !== 'failed' || result.error.reason !== 'session-cannot-be-locked') return turn;
    const { linkId, sessionId, entityPath } = command;
    const found = execute({ kind: 'find-entity', entityPath }, now);
    const accepted = { kind: 'session-accepted', linkId, sessionId, lockedUntil: now + 1000 } as const;
    return { ...turn, result: found.result, effects: [...turn.effects, accepted] };
  },
  'counts what was out when a session is given up': (execute) => {
    const links = new Map<number, AcceptSession>();
    const tokens = new Map<number, string[]>();
    return (command, now) => {
      if (command.kind === 'accept-session') links.set(command.linkId, command);
      const { entityPath } = (command.kind === 'detach' && links.get(command.linkId)) || {};
      const turns: Turn[] = [];
      if (command.kind === 'detach' && entityPath !== undefined) {
        const outcome = { kind: 'abandon', changes: [] } as const;
        for (const lockToken of tokens.get(command.linkId) ?? [])
          turns.push(execute({ kind: 'settle', entityPath, lockToken, outcome }, now));
      }
      turns.push(execute(command, now));
      for (const effect of turns.flatMap(({ effects }) => effects)) {
        if (effect.kind !== 'deliver' || effect.delivery.lockToken === undefined) continue;
        tokens.set(effect.linkId, [...(tokens.get(effect.linkId) ?? []), effect.delivery.lockToken]);
      }
      return merged(turns);
    };
  },
  'clears the state of a session with the messages': (execute) => {
    const claims = rememberClaims();
    return (command, now) => {
      const turn = execute(command, now);
      claims.note(command, turn);
      const isCompleted = command.kind === 'settle' && command.outcome.kind === 'complete';
      if (!isCompleted || turn.result.kind === 'failed') return turn;
      const { entityPath } = command;
      const cleared = claims.all().map((session) => {
        const clear = { kind: 'set-session-state', entityPath, session, state: undefined } as const;
        return execute(clear, now);
      });
      return merged([...cleared, turn]);
    };
  },
  'keeps a session for one who waits no more': (execute) => {
    const waiting = new Set<number>();
    return (command, now) => {
      const isGone = command.kind === 'detach' && waiting.has(command.linkId);
      const turn = execute(isGone ? { kind: 'tick' } : command, now);
      if (command.kind === 'accept-session' && command.sessionId === undefined) waiting.add(command.linkId);
      for (const { kind, linkId } of turn.effects) if (kind === 'session-accepted') waiting.delete(linkId);
      return turn;
    };
  },
  'serves first who has come last': (execute) => {
    const waiting: AcceptSession[] = [];
    return (command, now) => {
      const turns = [execute(command, now)];
      if (command.kind === 'accept-session' && command.sessionId === undefined) {
        for (const before of waiting.splice(0)) {
          turns.unshift(execute({ kind: 'detach', linkId: before.linkId }, now), execute(before, now));
        }
        waiting.push(command);
      } else {
        waiting.length = 0;
      }
      const turn = merged(turns);
      return { ...turn, result: turns.at(-1)?.result ?? turn.result };
    };
  },
  'believes any claim': (execute) => {
    const claims = rememberClaims();
    return (command, now) => {
      const turn = execute(
        withClaim(command, (claim) => claims.of(claim.sessionId) ?? claim),
        now,
      );
      claims.note(command, turn);
      return turn;
    };
  },
  'takes session ids for the same that differ in case': (execute) => (command, now) => {
    if (command.kind === 'send') {
      const messages = command.messages.map((message) => ({
        ...message,
        sessionId: message.sessionId?.toLowerCase(),
      }));
      return execute({ ...command, messages }, now);
    }
    if (command.kind === 'accept-session')
      return execute({ ...command, sessionId: command.sessionId?.toLowerCase() }, now);
    const lower = (claim: SessionClaim) => ({ ...claim, sessionId: claim.sessionId.toLowerCase() });
    return execute(withClaim(command, lower), now);
  },
  'does not say that a session is lost': (execute) => (command, now) => {
    const turn = execute(command, now);
    const effects = turn.effects.filter(
      (effect) => effect.kind !== 'detach' || effect.error.reason !== 'session-lock-lost',
    );
    return { ...turn, effects };
  },
  'lists sessions backwards': (execute) => (command, now) => {
    const turn = execute(command, now);
    if (turn.result.kind !== 'sessions') return turn;
    return { ...turn, result: { ...turn.result, sessionIds: turn.result.sessionIds.toReversed() } };
  },
  'shows all messages where those of one session are asked for': (execute) => (command, now) =>
    execute(command.kind === 'peek' ? { ...command, sessionId: undefined } : command, now),
};

export const BROKEN_SESSION_BROKERS = rememberingBrokers(FLAWS);

/** The claims of all who have ever held a session. */
function rememberClaims() {
  const connections = new Map<number, number>();
  const claims = new Map<string, SessionClaim>();
  return {
    note(command: Command, { effects }: Turn): void {
      if (command.kind === 'accept-session') connections.set(command.linkId, command.connectionId);
      for (const effect of effects) {
        if (effect.kind !== 'session-accepted') continue;
        const { linkId, sessionId } = effect;
        claims.set(sessionId, { sessionId, connectionId: connections.get(linkId) ?? 0 });
      }
    },
    of: (sessionId: string) => claims.get(sessionId),
    all: () => [...claims.values()],
  };
}

function withClaim(command: Command, change: (claim: SessionClaim) => SessionClaim): Command {
  if (!('session' in command) || command.session === undefined) return command;
  return { ...command, session: change(command.session) };
}

/** Several turns as one, with the answer of the last. */
function merged(turns: readonly Turn[]): Turn {
  const last = turns.at(-1);
  if (last === undefined) throw new Error('there is no turn');
  return {
    result: last.result,
    events: turns.flatMap(({ events }) => events),
    effects: turns.flatMap(({ effects }) => effects),
  };
}
