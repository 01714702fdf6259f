// The dialog that adds a rule to a subscription, or changes one.

import { useState } from 'preact/hooks';
import type { RuleAnswer } from '../../../http/control/entity-schemas.js';
import { FormDialog } from '../../parts/form-dialog.js';
import { Icon } from '../../parts/icon.js';
import { change } from '../../state/api.js';
import { shownText, spokenPath } from '../../state/format.js';
import { errorText } from '../../state/notices.js';
import { useStore } from '../../state/use-store.js';
import { type SqlProblem, sqlProblem } from './sql-problem.js';

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
  const [problem, setProblem] = useState<SqlProblem>();
  const save = async () => {
    try {
      await putRule(path, rule, { name, filter, action });
    } catch (error) {
      const found = sqlProblem(errorText(error));
      if (found === undefined) throw error;
      setProblem(found);
      return false;
    }
    notices.show(`The rule '${shownText(name, 60)}' is ${rule === undefined ? 'added' : 'changed'}.`);
    onSaved();
    return true;
  };
  return (
    <FormDialog
      title={`${rule === undefined ? 'New rule' : 'Rule'} of ${spokenPath(path)}`}
      act={rule === undefined ? 'Add' : 'Save'}
      isReady={name.trim() !== '' && filter.trim() !== ''}
      onSave={save}
      onClose={onClose}
    >
      {rule === undefined ? (
        <label class="labelled">
          Name
          <input type="text" autofocus value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
      ) : null}
      <SqlField
        field="filter"
        label="Filter, as SQL"
        rows={3}
        placeholder="region = 'EU' AND total > 10"
        value={filter}
        problem={problem}
        onInput={(text) => {
          setFilter(text);
          setProblem(undefined);
        }}
      />
      <SqlField
        field="action"
        label="Action, as SQL"
        rows={1}
        placeholder="none: SET urgent = true"
        value={action}
        problem={problem}
        onInput={(text) => {
          setAction(text);
          setProblem(undefined);
        }}
      />
    </FormDialog>
  );
}

type Fields = { readonly name: string; readonly filter: string; readonly action: string };

async function putRule(
  path: string,
  rule: RuleAnswer | undefined,
  { name, filter, action }: Fields,
): Promise<void> {
  const given = action.trim() === '' ? undefined : action;
  if (rule === undefined) {
    await change('POST', 'rules', { entity: path }, { name, filter, action: given });
    return;
  }
  // A filter that is left as it is keeps its parameters, and a correlation filter stays one.
  const changes = { filter: filter === rule.filter.text ? undefined : filter, action: given ?? null };
  await change('PUT', 'rules', { entity: path, rule: rule.name }, changes);
}

type SqlProps = {
  readonly field: SqlProblem['field'];
  readonly label: string;
  readonly rows: number;
  readonly placeholder: string;
  readonly value: string;
  readonly problem: SqlProblem | undefined;
  readonly onInput: (text: string) => void;
};

function SqlField({ field, label, rows, placeholder, value, problem, onInput }: SqlProps) {
  const isWrong = problem?.field === field;
  const id = `rule-${field}`;
  return (
    <div class="labelled">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-problem` : undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {isWrong ? (
        <p class="red" role="alert" id={`${id}-problem`}>
          <Icon name="warning" /> {shownText(problem.text, 600)}
        </p>
      ) : null}
    </div>
  );
}
