// The body of a draft: text, JSON that is checked, or bytes in Base64.

import { Choice, Panel } from '../../parts/panel.js';
import { bytesText } from '../../state/format.js';
import type { BodyKind } from './draft.js';
import { type DraftProps, described, Problem } from './fields.js';

const KINDS: readonly (readonly [BodyKind, string])[] = [
  ['json', 'JSON'],
  ['text', 'Text'],
  ['base64', 'Base64'],
];
const JSON_TYPE = 'application/json';

export function BodyField({ draft, problems, onChange }: DraftProps) {
  const { body, bodyKind, contentType } = draft;
  const choose = (next: BodyKind) => {
    const isOther = next !== 'json' && contentType === JSON_TYPE;
    const type = next === 'json' && contentType === '' ? JSON_TYPE : isOther ? '' : contentType;
    onChange({ bodyKind: next, contentType: type });
  };
  const canFormat = bodyKind === 'json' && body !== '' && !problems.has('body');
  return (
    <Panel
      title="Body"
      sub={sizeText(body, bodyKind)}
      grows
      acts={
        <>
          {canFormat ? (
            <button type="button" class="sm" onClick={() => onChange({ body: formatted(body) })}>
              Format
            </button>
          ) : null}
          <Choice label="Kind of body" values={KINDS} value={bodyKind} onChoose={choose} isSmall />
        </>
      }
    >
      <textarea
        class="bodyfield"
        spellcheck={false}
        aria-label="Body"
        {...described(problems, 'body')}
        placeholder={bodyKind === 'json' ? '{ "orderId": "ord-{n}" }' : ''}
        value={body}
        onInput={(event) => onChange({ body: event.currentTarget.value })}
      />
      {problems.has('body') ? (
        <div class="pad">
          <Problem problems={problems} name="body" />
        </div>
      ) : null}
    </Panel>
  );
}

function sizeText(body: string, kind: BodyKind): string {
  if (body === '') return 'empty';
  if (kind === 'base64') return bytesText(Math.floor((body.replace(/[\s=]+/g, '').length * 3) / 4));
  return bytesText(new TextEncoder().encode(body).length);
}

/** Numbers with more digits than JavaScript keeps would change, and stay as they are with the whole text. */
function formatted(body: string): string {
  try {
    const value: unknown = JSON.parse(body);
    const isKept = JSON.stringify(value).replace(/\s+/g, '') === body.replace(/\s+/g, '');
    return isKept ? JSON.stringify(value, null, 2) : body;
  } catch {
    return body;
  }
}
