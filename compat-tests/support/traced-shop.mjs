// A program as users have it: OpenTelemetry's SDK with the instrumentation of Azure's SDKs. It sends a message, dead-letters it, has it
// resubmitted and completes it. Its spans go where the variables of OpenTelemetry say.
// @ts-check

import { createAzureSdkInstrumentation } from '@azure/opentelemetry-instrumentation-azure-sdk';
import { trace } from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';

const { CONNECTION_STRING = '', CONTROL = '' } = process.env;
const sdk = new NodeSDK({ instrumentations: [createAzureSdkInstrumentation()] });
sdk.start();
// After the SDK, which instruments what is loaded later.
const { ServiceBusClient } = await import('@azure/service-bus');
const client = new ServiceBusClient(CONNECTION_STRING);

await trace.getTracer('shop').startActiveSpan('checkout', async (span) => {
  await client.createSender('orders').sendMessages({ body: { total: 120 }, messageId: 'a-17' });
  span.end();
});
const receiver = client.createReceiver('orders');
const [first] = await receiver.receiveMessages(1);
if (first === undefined) throw new Error('no message came');
await receiver.deadLetterMessage(first, {
  deadLetterReason: 'NoAddress',
  deadLetterErrorDescription: 'No city',
});
await fetch(`${CONTROL}/messages:resubmit?entity=orders/$DeadLetterQueue`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ filter: 'sys.DeliveryCount >= 0' }),
});
const [second] = await receiver.receiveMessages(1);
if (second === undefined) throw new Error('the resubmitted message did not come');
await receiver.completeMessage(second);
await client.close();
await sdk.shutdown();
