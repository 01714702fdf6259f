// The body of a message in the form that says most, to be copied or saved.

import { useEffect, useState } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { CopyButton } from '../../parts/copy-button.js';
import { Icon } from '../../parts/icon.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Choice, Given, Panel } from '../../parts/panel.js';
import { Scrolled } from '../../parts/scrolled.js';
import { type BodyForm, type BodyView, formsOf, hexLines, viewBody } from '../../state/body-view.js';
import { bytesText, numberText } from '../../state/format.js';
import { jsonProblem } from '../../state/json-problem.js';
import { saveFile } from '../../state/save-file.js';

/** Longer bodies are shown in part: they can be saved whole. */
const MOST_TEXT = 100_000;
const MOST_HEX = 16_384;

type BodyProps = {
  readonly message: RawMessageAnswer;
  /** The path of the queue, subscription or dead-letter queue. */
  readonly store: string;
};

export function BodyPanel({ message, store }: BodyProps) {
  const [body, setBody] = useState<BodyView>();
  const [chosen, setChosen] = useState<BodyForm>();
  const [isWrapped, setWrapped] = useState(true);
  useEffect(() => {
    let isGone = false;
    viewBody(message).then((view) => isGone || setBody(view));
    return () => {
      isGone = true;
    };
  }, [message.raw.base64]);
  if (body === undefined) return <Panel title="Body">{null}</Panel>;
  const forms = formsOf(body);
  const [first] = forms;
  const form = forms.some(([one]) => one === chosen) ? (chosen ?? 'hex') : (first?.[0] ?? 'hex');
  const text = textOf(body, form);
  const problem = brokenJson(message.contentType, body);
  const canWrap = form !== 'hex' && form !== 'tree';
  return (
    <Panel
      title="Body"
      sub={`${body.words}, ${bytesText(body.bytes.length)}`}
      acts={
        <>
          {forms.length > 1 ? (
            <Choice label="How the body is shown" values={forms} value={form} onChoose={setChosen} isSmall />
          ) : null}
          {canWrap ? (
            <button type="button" class="sm" aria-pressed={isWrapped} onClick={() => setWrapped(!isWrapped)}>
              Wrap
            </button>
          ) : null}
          <span class="nw">
            <CopyButton text={text} label="Copy the body" isIcon />{' '}
            <SaveButton {...{ store, body }} sequenceNumber={message.sequenceNumber} />
          </span>
        </>
      }
    >
      {problem === undefined ? null : (
        <p class="note">
          <Icon name="warning" /> Not JSON, as its content type says: {problem}.
        </p>
      )}
      <Scrolled label="The body">
        {form === 'tree' ? (
          <JsonTree value={body.tree?.value} />
        ) : (
          <pre class={canWrap && isWrapped ? 'code body wrap' : 'code body'}>
            <Given text={text} most={MOST_TEXT} />
          </pre>
        )}
        <CutNote body={body} form={form} text={text} />
      </Scrolled>
    </Panel>
  );
}

/** The mistake in a text whose content type is that of JSON. */
function brokenJson(contentType = '', { tree, text, source }: BodyView): string | undefined {
  const isJson = /^(?:application|text)\/(?:[\w.-]+\+)?json\b/i.test(contentType);
  return isJson && tree === undefined ? jsonProblem(source ?? text ?? '') : undefined;
}

type SaveProps = {
  readonly store: string;
  readonly sequenceNumber: number;
  readonly body: BodyView;
};

function SaveButton({ store, sequenceNumber, body }: SaveProps) {
  const save = () =>
    saveFile(new Blob([body.bytes as Uint8Array<ArrayBuffer>]), fileName(store, sequenceNumber, body));
  return (
    <button type="button" class="ic sm" data-harmless aria-label="Save the body as a file" onClick={save}>
      <Icon name="out" />
    </button>
  );
}

function textOf({ text = '', source = '', xml = '', bytes }: BodyView, form: BodyForm): string {
  if (form === 'hex') return hexLines(bytes, MOST_HEX).join('\n');
  if (form === 'xml') return xml;
  return form === 'source' ? source : text;
}

type NoteProps = { readonly body: BodyView; readonly form: BodyForm; readonly text: string };

function CutNote({ body: { bytes }, form, text }: NoteProps) {
  if (form === 'tree') return null;
  const isCut = form === 'hex' ? bytes.length > MOST_HEX : text.length > MOST_TEXT;
  if (!isCut) return null;
  const shown = form === 'hex' ? `${numberText(MOST_HEX)} bytes` : `${numberText(MOST_TEXT)} characters`;
  return <p class="pad t2">These are the first {shown}; the file has all of them.</p>;
}

/** `orders-14.json` */
function fileName(store: string, sequenceNumber: number, { tree, xml, text }: BodyView): string {
  const kind = tree !== undefined ? 'json' : xml !== undefined ? 'xml' : text !== undefined ? 'txt' : 'bin';
  return `${store.replace(/[^\w.-]+/g, '-').replace(/^-|-$/g, '')}-${sequenceNumber}.${kind}`;
}
