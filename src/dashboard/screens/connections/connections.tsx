// Who is connected: clients with their SDK, identity and links, and why others were refused.

import { useState } from 'preact/hooks';
import type {
  CausesAnswer,
  ConnectionAnswer,
  ConnectionsAnswer,
} from '../../../http/control/control-schemas.js';
import { isGenerated, productName } from '../../../watch/client-label.js';
import { Confirm } from '../../parts/dialog.js';
import { Heads } from '../../parts/heads.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Given, Panel } from '../../parts/panel.js';
import { post } from '../../state/api.js';
import { durationText, numberText, plural, shownText, spokenPath } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { Causes } from '../overview/needs-a-look.js';
import { NameHint } from './name-hint.js';

const EVERY_MS = 1000;
const CAUSES_EVERY_MS = 2000;
const MOST_SHOWN = 200;
const MOST_REFUSALS = 12;
const REFUSALS: ReadonlySet<string> = new Set(['refused', 'client-refused', 'missing-entity']);

export function ConnectionsScreen() {
  const { value } = usePolled<ConnectionsAnswer>('connections', { every: EVERY_MS });
  const connections = value?.connections;
  if (connections === undefined) return <section aria-label="Connections" />;
  const linkCount = connections.reduce((sum, { links }) => sum + links.length, 0);
  return (
    <section aria-label="Connections">
      <div class="head">
        <h1>Connections</h1>
        <span class="facts">
          {plural(connections.length, 'client')} with {plural(linkCount, 'link')}
        </span>
      </div>
      <Refusals />
      {connections.some(({ label, product }) => isUnnamed(label, product)) ? <NameHint /> : null}
      {connections.length === 0 ? (
        <Empty title="Nobody is connected.">
          <a class="acc" href={hrefOf({ screen: 'connect' })}>
            The connection string
          </a>{' '}
          brings the first client here.
        </Empty>
      ) : (
        connections
          .slice(0, MOST_SHOWN)
          .map((connection) => <Connection key={connection.connectionId} connection={connection} />)
      )}
      {connections.length > MOST_SHOWN ? (
        <p class="t3">{numberText(connections.length - MOST_SHOWN)} more are not shown.</p>
      ) : null}
    </section>
  );
}

/** Whether a client is known by its SDK alone. */
function isUnnamed(label: string, product: string | undefined): boolean {
  return product !== undefined && label.startsWith(productName(product));
}

function Connection({ connection }: { readonly connection: ConnectionAnswer }) {
  const { connectionId, label, product, transport, address, since, mechanism, policy, links } = connection;
  const sdk = product === undefined ? 'a client without a product' : productName(product);
  const identity = policy ?? mechanism?.toLowerCase() ?? 'no SASL';
  const { isReadOnly, notices, now } = useStore();
  const [isAsking, setAsking] = useState(false);
  const end = () =>
    notices.attempt(async () => {
      await post('connections:end', {}, { connectionId });
      notices.show(`Connection ${connectionId} is closed. SDKs connect again.`);
    });
  return (
    <Panel
      title={`${connectionId} · ${shownText(label, 80)}`}
      sub={`${sdk} · ${transport}${address === undefined ? '' : ` from ${address}`} · ${identity} · for ${durationText(now.value - Date.parse(since))}`}
      acts={
        isReadOnly.value ? undefined : (
          <button type="button" class="sm bad" onClick={() => setAsking(true)}>
            <Icon name="end" />
            Close…
          </button>
        )
      }
    >
      {links.length === 0 ? <p class="pad t3">It has no links.</p> : <Links links={links} />}
      {isAsking ? (
        <Confirm
          title={`Close the connection of ${shownText(label, 80)}?`}
          act="Close"
          onConfirm={end}
          onClose={() => setAsking(false)}
        >
          Its {plural(links.length, 'link')} will be gone, and its sessions are free again. Locks of messages
          run on until they end. An SDK connects again by itself.
        </Confirm>
      ) : null}
    </Panel>
  );
}

function Links({ links }: { readonly links: ConnectionAnswer['links'] }) {
  const ofEntities = links.filter(({ linkId }) => linkId !== undefined);
  const others = links.filter(({ linkId }) => linkId === undefined);
  return (
    <>
      {ofEntities.length === 0 ? null : (
        <table class="cards">
          <caption class="vh">Links</caption>
          <Heads
            names={['Role', 'Entity', 'Mode', 'Credit', 'Unsettled', 'Identifier', 'For']}
            right={['Credit', 'Unsettled']}
            act="Detach"
          />
          <tbody>
            {ofEntities.slice(0, MOST_SHOWN).map((link) => (
              <LinkRow key={link.linkId} link={link} />
            ))}
          </tbody>
        </table>
      )}
      {others.length === 0 ? null : (
        <p class="pad t3">
          {plural(others.length, 'link')} for requests:{' '}
          {[...new Set(others.map(({ path }) => path))].slice(0, 8).join(', ')}
        </p>
      )}
    </>
  );
}

function LinkRow({ link }: { readonly link: ConnectionAnswer['links'][number] }) {
  const { linkId, role, path, name, identifier, credit, unsettledCount, settleMode, since } = link;
  const { isReadOnly, notices, now } = useStore();
  const [isAsking, setAsking] = useState(false);
  const detach = () =>
    notices.attempt(async () => {
      await post('links:end', {}, { linkId });
      notices.show(`The link to ${spokenPath(path)} is detached. SDKs attach again.`);
    });
  return (
    <tr>
      <th scope="row">
        <span class="st">
          <Icon name={role === 'sender' ? 'out' : 'accepted'} />
          {role}
        </span>
      </th>
      <td data-label="Entity">
        <a class="acc" href={hrefOf({ screen: 'entity', path, tab: 'active', filter: '' })}>
          {spokenPath(path)}
        </a>
      </td>
      <td data-label="Mode">{modeOf(role, settleMode)}</td>
      <td data-label="Credit" class={credit === 0 ? 'r z' : 'r'}>
        {numberText(credit)}
      </td>
      <td data-label="Unsettled" class={unsettledCount === undefined || unsettledCount === 0 ? 'r z' : 'r'}>
        {unsettledCount === undefined ? '–' : numberText(unsettledCount)}
      </td>
      <td
        data-label="Identifier"
        class={identifier === undefined || isGenerated(identifier) ? 'm t3' : 'm b'}
        title={name}
      >
        <Given text={identifier ?? name} most={40} />
      </td>
      <td data-label="For">{durationText(now.value - Date.parse(since))}</td>
      {isReadOnly.value ? null : (
        <td data-label="Act">
          <button type="button" class="sm" onClick={() => setAsking(true)}>
            Detach…
          </button>
          {isAsking ? (
            <Confirm
              title={`Detach the ${role} of ${spokenPath(path)}?`}
              act="Detach"
              onConfirm={detach}
              onClose={() => setAsking(false)}
            >
              {plural(unsettledCount ?? 0, 'message')} that it holds stay locked until their locks end; a
              session is free at once. An SDK attaches again by itself.
            </Confirm>
          ) : null}
        </td>
      )}
    </tr>
  );
}

function modeOf(role: string, settleMode: string): string {
  if (role === 'sender') return settleMode === 'settled' ? 'without outcomes' : 'with outcomes';
  return settleMode === 'settled' ? 'receive-and-delete' : 'peek-lock';
}

/** Why clients were refused, as the emulator keeps it: however much has happened since then. */
function Refusals() {
  const { value } = usePolled<CausesAnswer>('causes', { every: CAUSES_EVERY_MS });
  const refusals = value?.causes.filter(({ kind }) => REFUSALS.has(kind)) ?? [];
  if (refusals.length === 0) return null;
  return (
    <Panel title="Refused" sub={plural(refusals.length, 'cause')}>
      <Causes causes={refusals.slice(0, MOST_REFUSALS)} />
    </Panel>
  );
}
