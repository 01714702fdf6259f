// The sessions of one entity: their messages, who holds them and for how long, and the state that is kept with each.

import { useState } from 'preact/hooks';
import type { SessionsAnswer } from '../../../http/control/control-schemas.js';
import { Heads } from '../../parts/heads.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Empty, Given, Panel } from '../../parts/panel.js';
import { pathOf, post } from '../../state/api.js';
import { bodyText } from '../../state/body-text.js';
import { bytesText, numberText, plural, timeText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { useHolders } from '../entity/holders.js';
import { TimeLeft } from './time-left.js';

const EACH_MS = 1000;
/** The most that the interface gives at a time. */
const MOST_SESSIONS = 250;

type Session = SessionsAnswer['sessions'][number];

/** The tab of an entity that requires sessions. */
export function SessionPanel({ path }: { readonly path: string }) {
  const query = pathOf('sessions', { entity: path, max: MOST_SESSIONS });
  const { value, refresh } = usePolled<SessionsAnswer>(query, { every: EACH_MS });
  if (value === undefined) return null;
  const { sessions, next } = value;
  return (
    <Panel
      title="Sessions"
      sub={
        next === undefined ? plural(sessions.length, 'session') : `the first ${numberText(sessions.length)}`
      }
    >
      {sessions.length === 0 ? (
        <Empty title="No sessions.">A message with a session id makes one.</Empty>
      ) : (
        <SessionList {...{ path, sessions, refresh }} />
      )}
    </Panel>
  );
}

type TableProps = {
  readonly path: string;
  readonly sessions: readonly Session[];
  readonly refresh: () => Promise<void>;
};

export function SessionList({ path, sessions, refresh }: TableProps) {
  const [opened, setOpened] = useState<string>();
  const holderOf = useHolders();
  return (
    <div class="rows">
      <table class="cards">
        <caption class="vh">Sessions of {path}</caption>
        <Heads
          names={['Session', 'Messages', 'Locked', 'Holder', 'Time left', 'State']}
          right={['Messages', 'Locked']}
          act="End lock"
        />
        <tbody>
          {sessions.map((session) => (
            <SessionRow
              key={session.sessionId}
              {...{ path, session, refresh }}
              holder={holderOf(session.holder?.linkId)}
              isOpen={opened === session.sessionId}
              onToggle={() => setOpened(opened === session.sessionId ? undefined : session.sessionId)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = Pick<TableProps, 'path' | 'refresh'> & {
  readonly session: Session;
  /** The name of the client that holds it. */
  readonly holder: string | undefined;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
};

function SessionRow({ path, session, holder, isOpen, onToggle, refresh }: RowProps) {
  const store = useStore();
  const { isReadOnly } = store;
  const entity = store.entityAt(path);
  const { sessionId, messageCount, lockedCount } = session;
  const filter = `session:"${sessionId.replace(/[\\"*]/g, '\\$&')}"`;
  return (
    <>
      <tr>
        <th scope="row" class="m">
          <a class="acc" href={hrefOf({ screen: 'entity', path, tab: 'active', filter })}>
            <Given text={sessionId} most={60} />
          </a>
        </th>
        <td data-label="Messages" class={messageCount === 0 ? 'r z' : 'r'}>
          {numberText(messageCount)}
        </td>
        <td data-label="Locked" class={lockedCount === 0 ? 'r z' : 'r'}>
          {numberText(lockedCount)}
        </td>
        <td data-label="Holder">
          {session.holder === undefined ? (
            <span class="t3">free</span>
          ) : (
            <Given text={holder ?? `link ${session.holder.linkId}`} most={60} />
          )}
        </td>
        <td data-label="Time left">
          {session.holder?.lockedUntil === undefined ? (
            <span class="t3">–</span>
          ) : (
            <TimeLeft
              until={session.holder.lockedUntil}
              ofMs={entity?.kind === 'topic' ? undefined : entity?.lockDurationMs}
            />
          )}
        </td>
        <td data-label="State">
          <StateButton {...{ session, isOpen, onToggle }} />
        </td>
        {isReadOnly.value ? null : (
          <td data-label={session.holder === undefined ? undefined : 'End lock'}>
            {session.holder === undefined ? null : <EndLock {...{ path, sessionId, refresh }} />}
          </td>
        )}
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={7} data-label="State">
            <State path={path} sessionId={sessionId} />
          </td>
        </tr>
      ) : null}
    </>
  );
}

type EndProps = Pick<TableProps, 'path' | 'refresh'> & { readonly sessionId: string };

function EndLock({ path, sessionId, refresh }: EndProps) {
  const { notices } = useStore();
  const end = () =>
    notices.attempt(async () => {
      await post('sessions:end', { entity: path }, { sessionId });
      notices.show(`The lock of session '${sessionId}' is ended.`);
      await refresh();
    });
  return (
    <button type="button" class="sm" onClick={end}>
      End lock
    </button>
  );
}

function StateButton({ session, isOpen, onToggle }: Pick<RowProps, 'session' | 'isOpen' | 'onToggle'>) {
  const { stateBytes, stateSetTime } = session;
  if (stateBytes === undefined) return <span class="t3">none</span>;
  return (
    <button type="button" class="sm" data-harmless aria-expanded={isOpen} onClick={onToggle}>
      {bytesText(stateBytes)}
      {stateSetTime === undefined ? '' : ` since ${timeText(stateSetTime, { withMs: false })}`}
    </button>
  );
}

type StateAnswer = { readonly state?: Parameters<typeof bodyText>[0] };

/** The state as JSON, or as the text that it is. */
function State({ path, sessionId }: { readonly path: string; readonly sessionId: string }) {
  const { value, error } = usePolled<StateAnswer>(pathOf('session', { entity: path, sessionId }), {
    every: EACH_MS,
  });
  if (value === undefined) return error === undefined ? null : <p class="t2">The state cannot be read.</p>;
  const { state } = value;
  if (state === undefined) return <p class="t2">It has no state any more.</p>;
  if (state.kind === 'json') return <JsonTree value={state.value} />;
  return (
    <pre class="code body">
      <Given text={bodyText(state)} most={20_000} />
    </pre>
  );
}
