// Flaws of sessions, emptying, steps or transactions: what a broken broker does around each command.

import type { Turn } from '../../src/broker/broker.js';
import type { Command, SessionClaim } from '../../src/broker/contract/command.js';
import type { Instant } from '../../src/broker/contract/instant.js';
import type { Result } from '../../src/broker/contract/result.js';
import type { TurnBroker } from '../../src/engine/engine.js';

export type Execute = TurnBroker['execute'];

/** Wraps `execute`, for each broker made. */
export type Remembering = (execute: Execute) => Execute;

type AcceptSession = Extract<Command, { kind: 'accept-session' }>;

export const SESSION_FLAWS: Readonly<Record<string, Remembering>> = {
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

export const EMPTYING_FLAWS: Readonly<Record<string, Remembering>> = {
  'purges the dead letters with the queue': (execute) => (command, now) => {
    const turn = execute(command, now);
    if (command.kind !== 'purge' || turn.result.kind === 'failed') return turn;
    const entityPath = `${command.entityPath}/$DeadLetterQueue`;
    return mergedWith([turn, execute({ kind: 'purge', entityPath }, now)], turn.result);
  },
  'keeps transactions in a reset': (execute) => {
    const paths = new Set<string>();
    return (command, now) => {
      if (command.kind === 'put-entity' && command.type === 'queue') paths.add(command.description.name);
      if (command.kind !== 'reset') return execute(command, now);
      const turns = [...paths].map((entityPath) => execute({ kind: 'purge', entityPath }, now));
      const count = turns.reduce((sum, { result }) => sum + (result.kind === 'purged' ? result.count : 0), 0);
      return mergedWith(turns, { kind: 'purged', count });
    };
  },
  'says a reset has emptied one message more': (execute) => (command, now) => {
    const turn = execute(command, now);
    const { result } = turn;
    return result.kind === 'purged' ? { ...turn, result: { ...result, count: result.count + 1 } } : turn;
  },
};

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
  return mergedWith(turns, last.result);
}

export const STEP_FLAWS: Readonly<Record<string, Remembering>> = {
  'does the commands of a step until one is refused': (execute) => (command, now) =>
    command.kind === 'step'
      ? inTurn(execute, command.commands, now, { isStopped: true })
      : execute(command, now),
  'does what is possible of a step that is refused': (execute) => (command, now) => {
    const turn = execute(command, now);
    if (command.kind !== 'step' || turn.result.kind !== 'failed') return turn;
    return mergedWith([turn, inTurn(execute, command.commands, now, { isStopped: false })], turn.result);
  },
  'has nothing done by the last command of a step': (execute) => (command, now) => {
    if (command.kind !== 'step') return execute(command, now);
    const turn = execute({ kind: 'step', commands: command.commands.slice(0, -1) }, now);
    if (turn.result.kind !== 'step') return turn;
    return { ...turn, result: { kind: 'step', results: [...turn.result.results, { kind: 'done' }] } };
  },
};

function inTurn(
  execute: Execute,
  commands: readonly Command[],
  now: number,
  { isStopped }: { readonly isStopped: boolean },
): Turn {
  const turns: Turn[] = [];
  for (const command of commands) {
    const turn = execute(command, now);
    turns.push(turn);
    if (isStopped && turn.result.kind === 'failed') return merged(turns);
  }
  return mergedWith(turns, { kind: 'step', results: turns.map(({ result }) => result) });
}

const TIMEOUT_MS = 2 * 60_000; // TXN-08

type Discharge = Extract<Command, { kind: 'discharge' }>;

export const TRANSACTION_FLAWS: Readonly<Record<string, Remembering>> = {
  'commits operations one by one until one is refused': (execute) => {
    const held = heldCommands();
    return (command, now) => {
      const isCommit = command.kind === 'discharge' && !command.isFailed;
      if (!isCommit) return held.noting(command, execute(command, now));
      const first = execute({ ...command, isFailed: true }, now);
      const turns = [first];
      for (const one of first.result.kind === 'done' ? held.of(command) : []) {
        const turn = execute(one, now);
        turns.push(turn);
        if (turn.result.kind === 'failed') break;
      }
      return mergedWith(turns, first.result);
    };
  },
  'commits what is left when one operation was refused': (execute) => {
    const held = heldCommands();
    return (command, now) => {
      const turn = execute(command, now);
      if (!isRolledBack(command, turn)) return held.noting(command, turn);
      const done = held.of(command).map((one) => execute(one, now));
      return mergedWith([turn, ...done], { kind: 'done' });
    };
  },
  'says that it has committed and has not': (execute) => (command, now) =>
    execute(command.kind === 'discharge' ? { ...command, isFailed: true } : command, now),
  'commits what is to be rolled back': (execute) => (command, now) =>
    execute(command.kind === 'discharge' ? { ...command, isFailed: false } : command, now),
  'shows what a transaction sends before it is committed': (execute) => (command, now) => {
    const isSend = command.kind === 'enlist' && command.command.kind === 'send';
    const turn = execute(command, now);
    if (!isSend || turn.result.kind !== 'enlisted') return turn;
    return mergedWith([turn, execute(command.command, now)], turn.result);
  },
  'lets a lock run out while it is enlisted': (execute) => {
    const lockedUntil = new Map<string, Instant>();
    const pinned = new Map<string, Discharge>();
    return (command, now) => {
      const turns: Turn[] = [];
      for (const [token, discharge] of pinned) {
        if ((lockedUntil.get(token) ?? now + 1) > now) continue;
        pinned.delete(token);
        turns.push(execute(discharge, now)); // it is given back as if it had run out
      }
      const turn = execute(command, now);
      for (const effect of turn.effects) {
        if (effect.kind !== 'deliver' || effect.delivery.lockToken === undefined) continue;
        lockedUntil.set(effect.delivery.lockToken, effect.delivery.lockedUntil ?? 0);
      }
      if (command.kind === 'enlist' && turn.result.kind === 'enlisted' && command.command.kind === 'settle') {
        const { transactionId, connectionId } = command;
        const discharge = { kind: 'discharge', transactionId, connectionId, isFailed: true } as const;
        pinned.set(command.command.lockToken, discharge);
      }
      return mergedWith([...turns, turn], turn.result);
    };
  },
  'leaves pinned what was rolled back': (execute) => {
    const held = heldCommands();
    return (command, now) => {
      const isRollBack = command.kind === 'discharge' && command.isFailed && held.of(command).length > 0;
      return held.noting(command, execute(isRollBack ? { kind: 'tick' } : command, now));
    };
  },
  'lets anybody discharge a transaction': (execute) => {
    const owners = new Map<number, number>();
    return (command, now) => {
      const isAbout = command.kind === 'enlist' || command.kind === 'discharge';
      const connectionId = isAbout ? owners.get(command.transactionId) : undefined;
      const turn = execute(
        isAbout && connectionId !== undefined ? { ...command, connectionId } : command,
        now,
      );
      if (command.kind === 'declare-transaction' && turn.result.kind === 'declared') {
        owners.set(turn.result.transactionId, command.connectionId);
      }
      return turn;
    };
  },
  'keeps a transaction for longer than its time': (execute) => {
    const begun = new Map<number, Instant>();
    const held = heldCommands();
    return (command, now) => {
      const turn = execute(command, now);
      if (command.kind === 'enlist' && turn.result.kind !== 'failed') {
        begun.set(command.transactionId, begun.get(command.transactionId) ?? now);
      }
      const isLate =
        command.kind === 'discharge' && (begun.get(command.transactionId) ?? now) + TIMEOUT_MS <= now;
      if (!isLate || command.isFailed || turn.result.kind !== 'failed') return held.noting(command, turn);
      const done = held.of(command).map((one) => execute(one, now));
      return mergedWith([turn, ...done], { kind: 'done' });
    };
  },
};

/** What each transaction holds. */
function heldCommands() {
  const held = new Map<number, Command[]>();
  return {
    noting(command: Command, turn: Turn): Turn {
      const { result } = turn;
      if (command.kind !== 'enlist' || (result.kind !== 'enlisted' && result.kind !== 'sent')) return turn;
      const all = held.get(command.transactionId) ?? [];
      const isSent = command.command.kind === 'send' && result.kind === 'sent';
      const numbers = isSent ? { numbers: result.sequenceNumbers } : {};
      held.set(command.transactionId, [...all, { ...command.command, ...numbers }]);
      return turn;
    },
    of: ({ transactionId }: Discharge) => held.get(transactionId) ?? [],
  };
}

function isRolledBack(command: Command, { result }: Turn): command is Discharge {
  const isCommit = command.kind === 'discharge' && !command.isFailed;
  return isCommit && result.kind === 'failed' && result.error.reason === 'transaction-rolled-back';
}

/** Several turns as one, with this answer. */
function mergedWith(turns: readonly Turn[], result: Result): Turn {
  return {
    result,
    events: turns.flatMap(({ events }) => events),
    effects: turns.flatMap(({ effects }) => effects),
  };
}
