// @peculiar/x509, which throws when it is loaded without reflect-metadata. Both are loaded when the first certificate is made.

import 'reflect-metadata';

export * from '@peculiar/x509';
