// How clients are called: by their own name where a program gives one, else by their SDK.

import { expect, test } from 'vitest';
import {
  clientLabel,
  clientText,
  isGenerated,
  productName,
  readUserAgent,
} from '../../src/watch/client-label.js';

test.each([
  ['azsdk-js-azureservicebus/7.9.5', 'JavaScript 7.9.5'],
  ['azsdk-net-Messaging.ServiceBus/7.18.4', '.NET 7.18.4'],
  ['azsdk-java-azure-messaging-servicebus/7.17.5', 'Java 7.17.5'],
  ['azsdk-python-servicebus/7.14.2', 'Python 7.14.2'],
  ['azsdk-go-azservicebus/v1.8.0', 'Go 1.8.0'],
  ['azsdk-rust-servicebus/1.0', 'azsdk-rust-servicebus/1.0'],
  ['QpidJMS/2.6.1', 'QpidJMS/2.6.1'],
])('a client that says %s uses %s', (product, expected) => {
  expect(productName(product)).toBe(expected);
});

test.each([
  ['azsdk-js-azureservicebus/7.9.5 Node/v20.20.2', { product: 'azsdk-js-azureservicebus/7.9.5' }],
  [
    'billing azsdk-js-azureservicebus/7.9.5 Node/v20',
    { product: 'azsdk-js-azureservicebus/7.9.5', prefix: 'billing' },
  ],
  [
    'my app/2 azsdk-go-azservicebus/v1.11.0 (go1.26.8; linux)',
    { product: 'azsdk-go-azservicebus/v1.11.0', prefix: 'my app/2' },
  ],
  ['Tool/1.2 (Linux)', { product: 'Tool/1.2' }],
])('the user agent %s has the parts %o', (userAgent, parts) => {
  expect(readUserAgent(userAgent)).toEqual(parts);
});

test.each([
  [
    { name: '4c0631b1-9bca-5f45-bd53-0f460ac9ab0a', product: 'azsdk-js-azureservicebus/7.9.5', port: 5 },
    'JavaScript 7.9.5 :5',
  ],
  [{ name: 'amqp://localhost/-b66b385d', product: 'azsdk-net-Messaging.ServiceBus/7.21' }, '.NET 7.21'],
  [
    { name: 'MF_d32a33_1795458582619', product: 'azsdk-java-azure-messaging-servicebus/7.17.20' },
    'Java 7.17.20',
  ],
  [
    {
      name: '6uoHBjC0f3r45ZYhsHFuN1ksQ8ht6QJOzLo0JeZ9E71I9BN6NPR5NQ',
      product: 'azsdk-go-azservicebus/v1.11.0',
    },
    'Go 1.11.0',
  ],
  [{ name: 'worker-1', product: 'azsdk-python-servicebus/7.15.0', port: 5 }, 'worker-1 :5'],
  [{ name: 'worker-1', product: 'azsdk-python-servicebus/7.15.0', prefix: 'billing' }, 'billing'],
  [{ name: 'checkout-web', product: undefined }, 'checkout-web'],
  [
    { name: '4c0631b1-9bca-5f45-bd53-0f460ac9ab0a', product: undefined },
    '4c0631b1-9bca-5f45-bd53-0f460ac9ab0a',
  ],
])('%o is called %s', (client, label) => {
  expect(clientLabel(client)).toBe(label);
});

test('an identifier follows the label', () => {
  expect(clientText({ label: '.NET 7.21 :5', identifier: 'worker-1' })).toBe('.NET 7.21 :5, worker-1');
  expect(clientText({ label: '.NET 7.21 :5' })).toBe('.NET 7.21 :5');
});

test.each([
  ['orders-72dfb7bc-7be6-0c4c-b1a5-3a068ddbbebc', true],
  ['amqp://localhost/-b66b385d', true],
  ['6uoHBjC0f3r45ZYhsHFuN1ksQ8ht6QJOzLo0JeZ9E71I9BN6NPR5NQ', true],
  ['fulfilment-7c9f8d6b5-x2x4z', false],
  ['order-processor-deployment-7d9f8b6c5-abcde', false],
  ['order-processor-of-the-north-deployment-7d9f8b6c5-abcd', false], // as long as one of Go
  ['OrderProcessorOfTheNorth-deployment-7d9f8b6c5-abcde', false],
  ['connection-pool-1', false],
])('whether an SDK has made up %s: %s', (name, expected) => {
  expect(isGenerated(name)).toBe(expected);
});
