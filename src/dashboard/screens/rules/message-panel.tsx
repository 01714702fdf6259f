// The message that is tested, as a form or as JSON.

import { useState } from 'preact/hooks';
import { Icon } from '../../parts/icon.js';
import { Choice, Panel } from '../../parts/panel.js';
import { shownText } from '../../state/format.js';
import type { Draft } from '../compose/draft.js';
import { TextFields } from '../compose/fields.js';
import { PropertyRows } from '../compose/property-rows.js';
import { formOfJson, jsonOfForm } from './form-of-json.js';
import { TakeMessage } from './take-message.js';

const VIEWS = [
  ['form', 'Form'],
  ['json', 'JSON'],
] as const;

type MessagePanelProps = {
  readonly topic: string;
  readonly text: string;
  readonly problem: string | undefined;
  readonly onText: (text: string) => void;
};

export function MessagePanel({ topic, text, problem, onText }: MessagePanelProps) {
  /** Begins with what the JSON says, and writes it from then on. */
  const [form, setForm] = useState<Draft>();
  const fields = form && {
    draft: form,
    problems: jsonOfForm(text, form).problems,
    onChange: (change: Partial<Draft>) => {
      const next = { ...form, ...change };
      setForm(next);
      onText(jsonOfForm(text, next).text);
    },
  };
  const take = (json: string) => {
    onText(json);
    if (form !== undefined) setForm(formOfJson(json));
  };
  return (
    <>
      <Panel
        title="Message"
        acts={
          <>
            <TakeMessage topic={topic} onTake={take} />
            <Choice
              label="How it is written"
              values={VIEWS}
              value={form === undefined ? 'json' : 'form'}
              onChoose={(view) => setForm(view === 'form' ? formOfJson(text) : undefined)}
              isSmall
            />
          </>
        }
      >
        {fields === undefined ? (
          <textarea
            class="ta"
            rows={14}
            spellcheck={false}
            aria-label="The message as JSON"
            aria-invalid={problem !== undefined}
            value={text}
            onInput={(event) => onText(event.currentTarget.value)}
          />
        ) : (
          <div class="pad fieldgrid">
            <TextFields {...fields} />
          </div>
        )}
        {problem === undefined ? null : (
          <p class="note" role="alert">
            <Icon name="warning" /> {shownText(problem)}
          </p>
        )}
      </Panel>
      {fields === undefined ? null : <PropertyRows {...fields} />}
    </>
  );
}
