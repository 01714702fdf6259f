import { expect, test } from 'vitest';
import { formOfJson, jsonOfForm } from './form-of-json.js';

const MESSAGE = {
  subject: 'order.placed',
  body: { total: 18.9 },
  applicationProperties: {
    region: 'EU',
    total: 18.9,
    count: 7,
    vip: true,
    none: null,
    id: { type: 'long', value: '9007199254740993' },
    wait: { type: 'long', value: '50000000', descriptor: 'com.microsoft:timespan' },
  },
};

test('a message is a form, and the form the same message', () => {
  const form = formOfJson(JSON.stringify(MESSAGE));
  expect([form.subject, form.messageId]).toEqual(['order.placed', '']);
  expect(form.properties.map(({ name, type, value }) => `${name}: ${type} ${value}`)).toEqual([
    'region: string EU',
    'total: double 18.9',
    'count: int 7',
    'vip: boolean true',
    'none: null ',
    'id: long 9007199254740993',
    'wait: timespan PT5S',
  ]);
  const { text } = jsonOfForm(JSON.stringify(MESSAGE), { ...form, subject: '', messageId: 'm-1' });
  const { subject: _, ...others } = MESSAGE;
  expect(JSON.parse(text)).toMatchObject({ messageId: 'm-1', body: others.body });
  expect(JSON.parse(text)).not.toHaveProperty('subject');
  expect(formOfJson(text).properties).toEqual(form.properties);
});

test('a field that cannot be read is named, and the message stays', () => {
  const form = formOfJson('{"applicationProperties":{"count":7}}');
  const properties = form.properties.map((one) => ({ ...one, value: 'many' }));
  const { text, problems } = jsonOfForm('{}', { ...form, properties });
  expect([text, [...problems.keys()]]).toEqual(['{}', ['property 0']]);
});

test('a text that is no JSON is an empty form', () => {
  for (const text of ['{"a', '[]', '"a"', 'null']) expect(formOfJson(text).properties).toEqual([]);
});
