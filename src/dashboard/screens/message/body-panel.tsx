// The body of a message: tree, text, bytes, and where its sections are.

import { useEffect, useState } from 'preact/hooks';
import type { RawMessageAnswer } from '../../../http/control/control-schemas.js';
import { JsonTree } from '../../parts/json-tree.js';
import { Choice, Empty, Panel } from '../../parts/panel.js';
import { Scrolled } from '../../parts/scrolled.js';
import { type BodyView, hexLines, viewBody } from '../../state/body-view.js';
import { bytesText, shownText } from '../../state/format.js';

const MOST_TEXT = 100_000;
const VIEWS = [
  ['tree', 'Tree'],
  ['text', 'Text'],
  ['hex', 'Hex'],
  ['sections', 'Sections'],
] as const;
type View = (typeof VIEWS)[number][0];

export function BodyPanel({ message }: { readonly message: RawMessageAnswer }) {
  const [body, setBody] = useState<BodyView>();
  const [chosen, setChosen] = useState<View>();
  useEffect(() => {
    let isGone = false;
    viewBody(message).then((view) => isGone || setBody(view));
    return () => {
      isGone = true;
    };
  }, [message]);
  if (body === undefined) return <Panel title="Body">{null}</Panel>;
  const view = chosen ?? (body.tree !== undefined ? 'tree' : body.text !== undefined ? 'text' : 'hex');
  return (
    <Panel
      title="Body"
      sub={`${body.words}, ${bytesText(body.bytes.length)}`}
      acts={<Choice label="How the body is shown" values={VIEWS} value={view} onChoose={setChosen} isSmall />}
      grows
    >
      <Scrolled label="The body">
        <Shown body={body} view={view} sections={message.raw.sections} />
      </Scrolled>
    </Panel>
  );
}

type ShownProps = {
  readonly body: BodyView;
  readonly view: View;
  readonly sections: RawMessageAnswer['raw']['sections'];
};

function Shown({ body: { tree, text, bytes }, view, sections }: ShownProps) {
  switch (view) {
    case 'tree':
      return tree === undefined ? (
        <Empty title="It is no JSON.">Text and Hex show it as it is.</Empty>
      ) : (
        <JsonTree value={tree.value} />
      );
    case 'text':
      if (text === undefined)
        return <Empty title="It is no text.">Its bytes are no UTF-8: Hex shows them.</Empty>;
      return (
        <pre class="code body">
          <bdi dir="auto">{shownText(text, MOST_TEXT)}</bdi>
        </pre>
      );
    case 'hex':
      return <pre class="code body">{hexLines(bytes).join('\n')}</pre>;
    case 'sections':
      return (
        <table>
          <caption class="vh">Sections of the encoded message</caption>
          <thead>
            <tr>
              <th scope="col">Section</th>
              <th scope="col" class="r">
                From
              </th>
              <th scope="col" class="r">
                To
              </th>
              <th scope="col" class="r">
                Bytes
              </th>
            </tr>
          </thead>
          <tbody>
            {sections.map(({ name, start, end }) => (
              <tr key={start}>
                <th scope="row" class="m">
                  {name}
                </th>
                <td class="r">{start}</td>
                <td class="r">{end}</td>
                <td class="r">{end - start}</td>
              </tr>
            ))}
          </tbody>
        </table>
      );
  }
}
