// The first screen: all entities with exact counts, and what needs a look.

import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/dialog.js';
import { Icon } from '../../parts/icon.js';
import { Empty } from '../../parts/panel.js';
import { post } from '../../state/api.js';
import { durationText, numberText } from '../../state/format.js';
import { entities, eventCount, info, listed, now, refreshEntities } from '../../state/model.js';
import { hrefOf } from '../../state/route.js';
import { attempt, say } from '../../state/said.js';
import { isReadOnly } from '../../state/settings.js';
import { ConnectionString, MaskNote } from './connection-string.js';
import { EntityTable } from './entity-table.js';
import { NeedsALook } from './needs-a-look.js';

export function OverviewScreen() {
  if (entities.value === undefined) return <section aria-label="Overview" />;
  const isUnused = eventCount.value === 0 && listed.value.every(({ links, counts }) => isIdle(links, counts));
  return (
    <section id="overview" aria-label="Overview">
      <Head />
      {isUnused ? <FirstRun /> : <ConnectionString />}
      {listed.value.length === 0 ? (
        <Empty title="There are no entities.">
          A start with <code>--queue orders</code>, a Config.json or an administration client makes them.
        </Empty>
      ) : (
        <EntityTable />
      )}
      {isUnused || listed.value.length === 0 ? null : <NeedsALook />}
    </section>
  );
}

function isIdle(
  links: { senders: number; receivers: number },
  counts: Readonly<Record<string, number>>,
): boolean {
  return links.senders + links.receivers === 0 && Object.values(counts).every((count) => count === 0);
}

function Head() {
  const [isAsking, setAsking] = useState(false);
  const messages = listed.value.reduce(
    (sum, { counts }) =>
      sum + counts.active + counts.locked + counts.scheduled + counts.deferred + counts.deadLetter,
    0,
  );
  const started = info.value?.startedTime;
  return (
    <div class="head">
      <h1>Overview</h1>
      <span class="facts el">
        <b>{numberText(messages)}</b> {messages === 1 ? 'message' : 'messages'} in{' '}
        <b>{numberText(listed.value.length)}</b> {listed.value.length === 1 ? 'entity' : 'entities'}
        {started === undefined ? null : ` · up ${durationText(now.value - Date.parse(started))}`}
      </span>
      <span class="push" />
      {isReadOnly.value ? null : (
        <>
          <a class="btn" href={hrefOf({ screen: 'compose', path: undefined, from: undefined })}>
            <Icon name="edit" />
            New message <kbd>c</kbd>
          </a>
          <button type="button" onClick={() => setAsking(true)}>
            Reset…
          </button>
        </>
      )}
      {isAsking ? (
        <Confirm
          title="Empty all entities?"
          act={`Remove ${numberText(messages)} messages`}
          onConfirm={reset}
          onClose={() => setAsking(false)}
        >
          All messages of every state, the states of sessions and open transactions are gone for good.
          Entities and connections stay.
        </Confirm>
      ) : null}
    </div>
  );
}

function reset(): void {
  attempt(async () => {
    const { count } = await post<{ count: number }>('reset', {}, {});
    say(`${numberText(count)} messages removed.`);
    await refreshEntities();
  });
}

function FirstRun() {
  return (
    <div class="first">
      <p class="lead">
        Nothing is connected yet. Put this connection string where the one of your namespace is; nothing else
        in your program changes.
      </p>
      <ConnectionString isBig />
      <MaskNote />
      <p class="t2">
        <a class="acc" href={hrefOf({ screen: 'connect' })}>
          Snippets for six SDKs, containers and TLS
        </a>
      </p>
    </div>
  );
}
