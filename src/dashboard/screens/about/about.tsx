// The version that runs, its ports, and the settings that were given.

import { useState } from 'preact/hooks';
import { Confirm } from '../../parts/dialog.js';
import { Panel } from '../../parts/panel.js';
import { post } from '../../state/api.js';
import { bytesText, dateTimeText, durationText, numberText, plural } from '../../state/format.js';
import { useStore } from '../../state/use-store.js';

export function AboutScreen() {
  const { info, now } = useStore();
  const { value } = info;
  if (value === undefined) return <section aria-label="About" />;
  const { version, node, startedTime, auth, tier, ports, settings, settingOrigins } = value;
  const facts: readonly (readonly [string, string])[] = [
    ['Version', version],
    ['Node', node],
    ['Started', `${dateTimeText(startedTime)}, ${durationText(now.value - Date.parse(startedTime))} ago`],
    ['Tier', tier],
    ['Keys', auth === 'any' ? 'any key is accepted' : 'keys and tokens are checked'],
    ...Object.entries(ports).map(([name, port]) => [name, String(port)] as const),
  ];
  const given = Object.entries(settings).map(
    ([name, value]) =>
      [
        name,
        Array.isArray(value) ? value.join(', ') : String(value),
        settingOrigins[name] ?? 'code',
      ] as const,
  );
  const limits = Object.entries(value.limits).map(
    ([name, limit]) => [spacedName(name), limitText(name, limit)] as const,
  );
  return (
    <section aria-label="About">
      <div class="head">
        <h1>About</h1>
        <span class="facts">
          Azure Service Bus on your own machine. Not affiliated with Microsoft; not for production use.
        </span>
      </div>
      <Panel title="This emulator">
        <Facts rows={facts} />
      </Panel>
      <Panel title="Settings" sub="and where each comes from">
        {given.length === 0 ? (
          <p class="pad t2">None: everything is as it is by default.</p>
        ) : (
          <Facts rows={given} />
        )}
      </Panel>
      <Panel title="Limits" sub={limits.length === 0 ? undefined : `of the tier ${tier}`}>
        <Facts rows={limits} />
      </Panel>
      <ReadOn />
      <Reset />
    </section>
  );
}

function ReadOn() {
  return (
    <Panel title="Read on">
      <ul class="pad">
        <li>
          <code>README.md</code> and <code>docs/</code> in the package: entities, tests, TLS, HTTP, and what
          differs from Azure
        </li>
        <li>
          <a class="acc" href="/$jitney/v1/openapi.json">
            openapi.json
          </a>{' '}
          describes the calls that this page makes
        </li>
        <li>
          <a class="acc" href="/metrics">
            metrics
          </a>{' '}
          are for Prometheus
        </li>
      </ul>
    </Panel>
  );
}

type FactRow = readonly [name: string, value: string, from?: string];

function Facts({ rows }: { readonly rows: readonly FactRow[] }) {
  return (
    <table class="props">
      <tbody>
        {rows.map(([name, value, from]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="m">{value}</td>
            {from === undefined ? null : <td class="t2">{from}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `max message size bytes` of `maxMessageSizeBytes`. */
function spacedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replace(/ bytes$/, '');
}

function limitText(name: string, limit: number | boolean): string {
  if (typeof limit === 'boolean') return limit ? 'yes' : 'no';
  if (name.endsWith('Bytes')) return bytesText(limit);
  return name.endsWith('Ms') ? durationText(limit) : numberText(limit);
}

/** Empties everything: far from the first screen, because nobody needs it by accident. */
function Reset() {
  const store = useStore();
  const { listed, isReadOnly, notices } = store;
  const [isAsking, setAsking] = useState(false);
  if (isReadOnly.value) return null;
  const messages = listed.value.reduce(
    (sum, { counts }) =>
      sum + counts.active + counts.locked + counts.scheduled + counts.deferred + counts.deadLetter,
    0,
  );
  const reset = () =>
    notices.attempt(async () => {
      const { count } = await post<{ count: number }>('reset', {}, {});
      notices.show(`${plural(count, 'message')} removed.`);
      await store.refreshEntities();
    });
  return (
    <Panel title="Begin anew">
      <p class="pad row">
        <span class="t2">Removes all messages; entities and connections stay.</span>
        <button type="button" class="bad" onClick={() => setAsking(true)}>
          Reset…
        </button>
      </p>
      {isAsking ? (
        <Confirm
          title="Empty all entities?"
          act={`Remove ${plural(messages, 'message')}`}
          onConfirm={reset}
          onClose={() => setAsking(false)}
        >
          All messages of every state, the states of sessions and open transactions are gone for good.
          Entities and connections stay.
        </Confirm>
      ) : null}
    </Panel>
  );
}
