import { describe, expect, it } from 'vitest';
import { type Delivered, deliveriesText, ordinal } from './deliveries.js';

const DEAD = { state: 'active', deadLetteredTime: '2026-05-01T12:00:00.000Z', lastHolder: 'JavaScript' };

describe('deliveries', () => {
  it.each<[string, Delivered, string]>([
    ['that waits', { state: 'active', deliveryCount: 0 }, '0 of 3'],
    ['that is held for the first time', { state: 'locked', deliveryCount: 0 }, '1 of 3'],
    ['that its receiver dead-lettered at once', { ...DEAD, deliveryCount: 0, reason: 'Bad' }, 'on the 1st'],
    ['that its receiver dead-lettered without a reason', { ...DEAD, deliveryCount: 1 }, 'on the 2nd'],
    [
      'that was delivered too often',
      { ...DEAD, deliveryCount: 3, reason: 'MaxDeliveryCountExceeded' },
      '3 of 3',
    ],
    ['that expired before anybody had it', { ...DEAD, lastHolder: undefined, deliveryCount: 0 }, '0 of 3'],
  ])('of a message %s', (_, delivered, text) => {
    expect(deliveriesText(delivered, 3)).toBe(text);
  });

  it('are counted without a limit for a topic', () => {
    expect(deliveriesText({ state: 'active', deliveryCount: 2 }, undefined)).toBe('2');
  });

  it.each([
    [1, '1st'],
    [2, '2nd'],
    [3, '3rd'],
    [4, '4th'],
    [11, '11th'],
    [12, '12th'],
    [21, '21st'],
    [1112, '1,112th'],
  ])('have the ordinal %d: %s', (number, text) => {
    expect(ordinal(number)).toBe(text);
  });
});
