// The dialog that adds a rule to a subscription, or changes one.

import { useState } from 'preact/hooks';
import type { RuleAnswer } from '../../../http/control/entity-schemas.js';
import { Dialog } from '../../parts/dialog.js';
import { Icon } from '../../parts/icon.js';
import { change } from '../../state/api.js';
import { shownText, spokenPath } from '../../state/format.js';
import { errorText } from '../../state/notices.js';
import { useStore } from '../../state/use-store.js';

type RuleFormProps = {
  /** The path of the subscription. */
  readonly path: string;
  /** The rule to change. Without it one is added. */
  readonly rule?: RuleAnswer;
  readonly onSaved: () => void;
  readonly onClose: () => void;
};

export function RuleForm({ path, rule, onSaved, onClose }: RuleFormProps) {
  const { notices } = useStore();
  const [name, setName] = useState(rule?.name ?? '');
  const [filter, setFilter] = useState(rule?.filter.text ?? '');
  const [action, setAction] = useState(rule?.action ?? '');
  const [refusal, setRefusal] = useState<string>();
  const save = async () => {
    try {
      const given = action.trim() === '' ? undefined : action;
      if (rule === undefined)
        await change('POST', 'rules', { entity: path }, { name, filter, action: given });
      else {
        // A filter that is left as it is keeps its parameters, and a correlation filter stays one.
        const changes = { filter: filter === rule.filter.text ? undefined : filter, action: given ?? null };
        await change('PUT', 'rules', { entity: path, rule: rule.name }, changes);
      }
      notices.show(`The rule '${shownText(name, 60)}' is ${rule === undefined ? 'added' : 'changed'}.`);
      onSaved();
      onClose();
    } catch (error) {
      setRefusal(errorText(error));
    }
  };
  const title = `${rule === undefined ? 'New rule' : 'Rule'} of ${spokenPath(path)}`;
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {rule === undefined ? (
          <label class="labelled">
            Name
            <input
              type="text"
              autofocus
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          </label>
        ) : null}
        <label class="labelled">
          Filter, as SQL
          <textarea
            rows={3}
            spellcheck={false}
            placeholder="region = 'EU' AND total > 10"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <label class="labelled">
          Action, as SQL
          <input
            type="text"
            spellcheck={false}
            placeholder="none: SET urgent = true"
            value={action}
            onInput={(event) => setAction(event.currentTarget.value)}
          />
        </label>
        {refusal === undefined ? null : (
          <p class="red" role="alert">
            <Icon name="warning" /> {shownText(refusal, 600)}
          </p>
        )}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="pri" disabled={name.trim() === '' || filter.trim() === ''}>
            {rule === undefined ? 'Add' : 'Save'}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
