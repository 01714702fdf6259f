// The causes of trouble, the newest first.

import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { Panel } from '../../parts/panel.js';
import { durationText } from '../../state/format.js';
import { causes } from '../../state/lately.js';
import { eventCount, listed, now } from '../../state/model.js';
import { hrefOf } from '../../state/route.js';

const FIRST = 6;

export function NeedsALook() {
  const [isAll, setAll] = useState(false);
  const at = now.value;
  const all = eventCount.value === 0 ? [] : causes.list(listed.value);
  const shown = isAll ? all : all.slice(0, FIRST);
  const more = all.length > FIRST;
  return (
    <Panel
      title="Needs a look"
      sub={all.length === 0 ? undefined : `${all.length} ${all.length === 1 ? 'cause' : 'causes'}`}
      acts={
        more ? (
          <button type="button" class="flat sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Fewer' : 'All'} <Icon name={isAll ? 'down' : 'right'} />
          </button>
        ) : undefined
      }
    >
      {all.length === 0 ? (
        <p class="pad t2">
          Nothing. Dead letters, lost locks and refused clients will be named here, with their cause.
        </p>
      ) : (
        <ul class="why">
          {shown.map(({ key, isBad, title, text, lastTime, to }) => (
            <li key={key}>
              <span class={isBad ? 'red' : 'amb'}>
                <Icon name={isBad ? 'dead' : 'warning'} />
              </span>
              <a class="b el" href={hrefOf(to)}>
                <bdi>{title}</bdi>
              </a>
              <span class="when">{durationText(at - lastTime)}</span>
              <p>
                <bdi>{text}</bdi>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
