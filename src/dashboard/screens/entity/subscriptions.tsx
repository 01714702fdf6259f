// The subscriptions of a topic, with what they hold and how messages reach them.

import type { TopicAnswer } from '../../../http/control/control-schemas.js';
import { Icon } from '../../parts/icon.js';
import { Empty, Panel } from '../../parts/panel.js';
import { useVirtualRows } from '../../parts/virtual-rows.js';
import { numberText, rateText, spokenPath } from '../../state/format.js';
import { now, rates } from '../../state/model.js';
import { hrefOf, type Tab } from '../../state/route.js';

const ROW_HEIGHT = 32;

export function Subscriptions({ topic }: { readonly topic: TopicAnswer }) {
  const { subscriptions, path } = topic;
  const rows = useVirtualRows(subscriptions.length, ROW_HEIGHT);
  if (subscriptions.length === 0) {
    return (
      <Panel title="Subscriptions">
        <Empty title="There is no subscription.">
          Without one, messages that are sent to {path} are gone.
        </Empty>
      </Panel>
    );
  }
  return (
    <Panel
      title="Subscriptions"
      sub={`${numberText(subscriptions.length)}, each with its own copy of a message`}
    >
      <div class="rows subscriptions" ref={rows.ref}>
        <table>
          <caption class="vh">Subscriptions of {path}</caption>
          <thead>
            <tr>
              <th scope="col">Subscription</th>
              <th scope="col">Rules</th>
              {['Active', 'Locked', 'Deferred', 'Dead-letter', 'In/s', 'Out/s'].map((name) => (
                <th key={name} scope="col" class="r">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class="gap" style={{ height: `${rows.above}px` }} />
            {subscriptions.slice(rows.first, rows.end).map((one) => (
              <Line key={one.path} subscription={one} />
            ))}
            <tr class="gap" style={{ height: `${rows.below}px` }} />
          </tbody>
        </table>
      </div>
    </Panel>
  );
}

function Line({ subscription }: { readonly subscription: TopicAnswer['subscriptions'][number] }) {
  const { name, path, rules, counts, forwardTo } = subscription;
  const { incoming, outgoing } = now.value > 0 ? rates.of(path) : { incoming: 0, outgoing: 0 };
  const to = (tab: Tab) => hrefOf({ screen: 'entity', path, tab, filter: '' });
  const cells = [
    ['active', counts.active],
    ['locked', counts.locked],
    ['deferred', counts.deferred],
    ['dead', counts.deadLetter],
  ] as const;
  return (
    <tr>
      <th scope="row">
        <a class="ent" href={to('active')}>
          <Icon name="subscription" />
          {name}
          <small>{forwardTo === undefined ? '' : `forwards to ${spokenPath(forwardTo)}`}</small>
        </a>
      </th>
      <td class="m el">{rules.length === 0 ? 'none' : rules.slice(0, 3).join(', ')}</td>
      {cells.map(([tab, count]) => (
        <td key={tab} class={count === 0 ? 'r z' : 'r'}>
          {count === 0 ? (
            '0'
          ) : (
            <a class={tab === 'dead' ? 'st dead b' : ''} href={to(tab)}>
              {tab === 'dead' ? <Icon name="dead" /> : null}
              {numberText(count)}
            </a>
          )}
        </td>
      ))}
      <td class="r">{rateText(incoming)}</td>
      <td class="r">{rateText(outgoing)}</td>
    </tr>
  );
}
