// The panel of what needs a look first: the causes of trouble that there are now, the newest first, each a link to where it is mended.

import { useState } from 'preact/hooks';
import type { CausesAnswer } from '../../../http/control/control-schemas.js';
import { Icon } from '../../parts/icon.js';
import { Panel } from '../../parts/panel.js';
import { durationText, plural, shownText } from '../../state/format.js';
import { hrefOf } from '../../state/route.js';
import { usePolled } from '../../state/use-polled.js';
import { useStore } from '../../state/use-store.js';
import { type Cause, placeOfCause } from './cause.js';

const EVERY_MS = 2000;
/** More are shown when asked for: the entities must be seen without scrolling. */
const FIRST = 4;

export function NeedsALook() {
  const { value, isStale } = usePolled<CausesAnswer>('causes', { every: EVERY_MS });
  const [isAll, setAll] = useState(false);
  if (value === undefined) return null;
  const { causes } = value;
  if (causes.length === 0) {
    return (
      <p class="calm">
        <Icon name="check" /> Nothing needs a look. Dead letters, lost locks and refused clients will be named
        here, with their cause.
      </p>
    );
  }
  const more = (
    <button type="button" class="flat sm" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
      {isAll ? 'Fewer' : `All ${causes.length}`} <Icon name={isAll ? 'down' : 'right'} />
    </button>
  );
  return (
    <Panel
      title="Needs a look"
      sub={`${plural(causes.length, 'cause')}${isStale ? ', as of the last answer' : ''}`}
      acts={causes.length > FIRST ? more : undefined}
    >
      <Causes causes={isAll ? causes : causes.slice(0, FIRST)} />
    </Panel>
  );
}

/** Each with its sentences and the time since the last one. */
export function Causes({ causes }: { readonly causes: readonly Cause[] }) {
  return (
    <ul class="why causes">
      {causes.map((cause) => (
        <Row key={cause.key} cause={cause} />
      ))}
    </ul>
  );
}

function Row({ cause }: { readonly cause: Cause }) {
  const { brokerNow } = useStore();
  const { isBad, title, text, newestTime } = cause;
  return (
    <li>
      <span class={isBad ? 'red' : 'amb'}>
        <Icon name={isBad ? 'dead' : 'warning'} />
      </span>
      <a class="b" href={hrefOf(placeOfCause(cause))}>
        <bdi>{shownText(title, 300)}</bdi>
      </a>
      <span class="when" title="Since the last time">
        {durationText(brokerNow.value - Date.parse(newestTime))}
      </span>
      <p>
        <bdi>{shownText(text, 500)}</bdi>
      </p>
    </li>
  );
}
