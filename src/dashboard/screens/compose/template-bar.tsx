// The templates of a draft: chosen, saved and deleted.

import { useState } from 'preact/hooks';
import { Dialog } from '../../parts/dialog.js';
import { useStore } from '../../state/use-store.js';
import type { Draft } from './draft.js';
import { deleteTemplate, saveTemplate, templates } from './templates.js';

type BarProps = { readonly draft: Draft; readonly onLoad: (draft: Draft) => void };

export function TemplateBar({ draft, onLoad }: BarProps) {
  const { notices } = useStore();
  const [chosen, setChosen] = useState('');
  const [isSaving, setSaving] = useState(false);
  const names = [...templates.value.keys()].sort();
  const remove = () => {
    const gone = templates.value.get(chosen);
    deleteTemplate(chosen);
    setChosen('');
    const undo = { text: 'Undo', run: () => gone && saveTemplate(chosen, gone) };
    notices.show(`Deleted the template ${chosen}.`, undo);
  };
  return (
    <>
      {names.length === 0 ? null : (
        <select
          aria-label="Template"
          value={chosen}
          onChange={(event) => {
            const name = event.currentTarget.value;
            const draftOfName = templates.value.get(name);
            setChosen(name);
            if (draftOfName !== undefined) onLoad(draftOfName);
          }}
        >
          <option value="">Template…</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
      <button type="button" onClick={() => setSaving(true)}>
        Save as template…
      </button>
      {chosen === '' ? null : (
        <button type="button" class="bad" onClick={remove}>
          Delete template
        </button>
      )}
      {isSaving ? (
        <SaveQuestion
          name={chosen}
          onClose={() => setSaving(false)}
          onSave={(name) =>
            notices.attempt(async () => {
              saveTemplate(name, draft);
              setChosen(name);
              notices.show(`Saved the template ${name} in this browser.`);
            })
          }
        />
      ) : null}
    </>
  );
}

type QuestionProps = {
  readonly name: string;
  readonly onClose: () => void;
  readonly onSave: (name: string) => void;
};

function SaveQuestion({ name: given, onClose, onSave }: QuestionProps) {
  const [name, setName] = useState(given);
  const trimmed = name.trim();
  return (
    <Dialog title="Save as template" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (trimmed === '') return;
          onSave(trimmed);
          onClose();
        }}
      >
        <label class="labelled">
          Name
          <input
            type="text"
            maxLength={60}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <p class="t2">
          {templates.value.has(trimmed)
            ? 'It replaces the template of this name.'
            : 'It stays in this browser.'}
        </p>
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="pri" disabled={trimmed === ''}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
