// How a program gives itself a name, shown where clients are known by their SDK alone. `docs/clients.md` has the same.

import { Panel } from '../../parts/panel.js';

const WAYS: readonly (readonly [sdk: string, ways: readonly string[]])[] = [
  [
    'JavaScript',
    [
      "new ServiceBusClient(connectionString, { userAgentOptions: { userAgentPrefix: 'billing' } })",
      "client.createReceiver('orders', { identifier: 'worker-1' })",
    ],
  ],
  ['.NET', ['client.CreateReceiver("orders", new ServiceBusReceiverOptions { Identifier = "worker-1" })']],
  [
    'Java',
    ['builder.clientOptions(new AmqpClientOptions().setApplicationId("billing").setIdentifier("worker-1"))'],
  ],
  [
    'Python',
    [
      'ServiceBusClient.from_connection_string(connection_string, user_agent="billing")',
      'client.get_queue_receiver("orders", client_identifier="worker-1")',
    ],
  ],
  ['Go', ['&azservicebus.ClientOptions{ApplicationID: "billing"}']],
];

export function NameHint() {
  return (
    <details class="hint">
      <summary>Name your clients, to tell programs of one SDK apart</summary>
      <Panel title="A name of its own" sub="shown here, in the log, in events and with dead letters">
        <table class="props">
          <caption class="vh">Names by SDK</caption>
          <tbody>
            {WAYS.map(([sdk, ways]) => (
              <tr key={sdk}>
                <th scope="row">{sdk}</th>
                <td class="value m">
                  {ways.map((way) => (
                    <div key={way}>{way}</div>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Panel>
    </details>
  );
}
