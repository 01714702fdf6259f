// The first screen: what needs a look, then all entities with exact counts, then the rates of the namespace.

import { useState } from 'preact/hooks';
import type { RatesAnswer } from '../../../http/control/control-schemas.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Reading } from '../../parts/panel.js';
import { durationText, numberText, plural } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { hasMessages, type Store } from '../../state/store.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { EntityForm } from '../manage/entity-form.js';
import { ConnectionString, connectionString, MaskNote, useCopyKey } from './connection-string.js';
import { EntityTable } from './entity-table.js';
import { NeedsALook } from './needs-a-look.js';
import { RatesPanel } from './rates-panel.js';

const RATES_EVERY_MS = 5000;
const STEP_MS = 10_000;

export function OverviewScreen() {
  const store = useStore();
  const { entities, listed } = store;
  const { value: rates } = usePolled<RatesAnswer>(`rates?stepMs=${STEP_MS}`, { every: RATES_EVERY_MS });
  useCopyKey();
  if (entities.value === undefined) return <Reading label="Overview" />;
  const isNew = isUnused(store);
  return (
    <section id="overview" aria-label="Overview">
      <Head />
      {isNew ? <FirstRun /> : <NeedsALook />}
      {listed.value.length === 0 ? (
        <Empty title="There are no entities.">
          New entity makes one, and so do a start with <code>--queue orders</code>, a Config.json and
          administration clients.
        </Empty>
      ) : (
        <EntityTable rates={rates} />
      )}
      {isNew || rates === undefined ? null : <RatesPanel rates={rates} />}
    </section>
  );
}

/** Nobody is connected, nothing has happened, and there is nothing to look at. */
function isUnused({ eventCount, listed }: Store): boolean {
  if (eventCount.value > 0) return false;
  return listed.value.every(
    (entity) => !hasMessages(entity) && entity.links.senders + entity.links.receivers === 0,
  );
}

function Head() {
  const { info, listed, now, isReadOnly } = useStore();
  const [isNew, setNew] = useState(false);
  const messages = listed.value.reduce(
    (sum, { counts }) =>
      sum + counts.active + counts.locked + counts.scheduled + counts.deferred + counts.deadLetter,
    0,
  );
  const started = info.value?.startedTime;
  const text = connectionString(info.value, 'host');
  return (
    <div class="head">
      <h1>Overview</h1>
      <span class="facts">
        <b>{numberText(messages)}</b> {messages === 1 ? 'message' : 'messages'} in{' '}
        {plural(listed.value.length, 'entity', 'entities')}
        {started === undefined ? null : ` · up ${durationText(now.value - Date.parse(started))}`}
      </span>
      <span class="push" />
      {text === undefined ? null : <CopyButton text={text} label="Connection string" isBig />}
      {isReadOnly.value ? null : (
        <button type="button" onClick={() => setNew(true)}>
          New entity…
        </button>
      )}
      {isNew ? <EntityForm onClose={() => setNew(false)} /> : null}
      {isReadOnly.value ? null : (
        <a class="btn" href={hrefOf({ screen: 'compose', path: undefined, from: undefined })}>
          <Icon name="edit" />
          New message <kbd>c</kbd>
        </a>
      )}
    </div>
  );
}

function FirstRun() {
  return (
    <div class="first">
      <p class="lead">
        Nothing is connected yet. Put this connection string where the one of your namespace is; nothing else
        in your program changes.
      </p>
      <ConnectionString />
      <MaskNote />
      <p class="t2">
        <a class="acc" href={hrefOf({ screen: 'connect' })}>
          Snippets for six SDKs, containers and TLS
        </a>
      </p>
    </div>
  );
}
