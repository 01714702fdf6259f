// Greetings of TLS as runtimes have sent them, up to the cipher suites, and what they are taken for.

import { expect, test } from 'vitest';
import { isForHttps, runtimeOf } from '../../src/gateway/client-hello.js';

/** Recorded on Linux: Go 1.26, OpenJDK 17, Netty 4 with its OpenSSL, Python 3.11 with requests, curl 7.88. */
const GREETINGS = {
  Go: '16030105d8010005d40303111adf2d927fd5abe9d52aeb34b8163c25eea394f897772e3d0a9ee86be72bcb20757b81aef167105278c1c5e21cfa1fe71d5372c9104fc7e5565033209d685fb5001ac02bc02fc02cc030cca9cca8c009c013c00ac014130113021303',
  Java: '16030301b3010001af03039866cf5c9d1cd28fbec8888b33a0ccb25a1364e08647282b35683f371c76abb420a7af9060290391e57876a7994463f054cb70d135a37cf70dc4920b34df405f0f004a130213011303c02cc02bcca9c030cca8c02f009fccaa00a3009e00a2c024c028c023c027006b006a00670040c00ac014c009c0130039003800330032009d009c003d003c0035002f00ff',
  Netty:
    '16030100d7010000d3030373620f43e2ac209cf7eba6f449c904dce93d692c4fb9e75d6f672a21b682c24f20aad600dc52b1bc3442821f23f65d5f1f0b847c993058cbf41ca42a65ae4718890018130113021303c02cc02bc02fc030c013c014009c002f0035',
  Python:
    '1603010200010001fc0303d9e11ecf7cbe1c575383411120be075cf28762a587ff7f17bbdc3cb0a0b12c44203fbc71d676c97aa3b75b5d723aae5583bd0c7397cc030b6546eff125c4f950f80024130213031301c02cc030c02bc02fcca9cca8c024c028c023c027009f009e006b006700ff',
  curl: '1603010200010001fc03033c6658446de31256b9e81b95c230c9c1d122e4b1b18cd7edc9b4c56df5603c2a20fc443c977b2a0df4ab4cf0f7cdc8d4b33658fc6d2f68ae97b6cc67463d89d55f003e130213031301c02cc030009fcca9cca8ccaac02bc02f009ec024c028006bc023c0270067c00ac0140039c009c0130033009d009c003d003c0035002f00ff',
};

test.each([
  ['Go', 'Go'],
  ['Java', 'Java'],
  ['Netty', 'Java'],
  ['Python', 'Python'],
  ['curl', undefined],
] as const)('the greeting of %s is that of %s', (name, runtime) => {
  expect(runtimeOf(Buffer.from(GREETINGS[name], 'hex'))).toBe(runtime);
});

test("Netty's greeting is for HTTPS, although it offers no protocol", () => {
  const { Netty, Java } = GREETINGS;
  expect([Netty, Java].map((greeting) => isForHttps(Buffer.from(greeting, 'hex')))).toEqual([true, false]);
});

test('a truncated or malformed client hello identifies no runtime', () => {
  const whole = Buffer.from(GREETINGS.Go, 'hex');
  for (let length = 0; length < whole.length; length++) {
    expect(runtimeOf(whole.subarray(0, length))).toBeUndefined();
    expect(isForHttps(whole.subarray(0, length))).toBe(false);
  }
  expect(runtimeOf(Buffer.alloc(200, 0xff))).toBeUndefined();
  expect(isForHttps(Buffer.alloc(200, 0xff))).toBe(false);
});
