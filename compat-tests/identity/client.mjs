// Asks @azure/identity for a token with each of the given kinds of credentials, and prints it or the error.

import {
  ClientSecretCredential,
  DefaultAzureCredential,
  EnvironmentCredential,
  WorkloadIdentityCredential,
} from '@azure/identity';

const { AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET } = process.env;
const credentials = {
  default: () => new DefaultAzureCredential(),
  environment: () => new EnvironmentCredential(),
  secret: () => new ClientSecretCredential(AZURE_TENANT_ID, AZURE_CLIENT_ID, AZURE_CLIENT_SECRET),
  workload: () => new WorkloadIdentityCredential(),
};

for (const kind of process.argv.slice(2)) {
  try {
    const { token } = await credentials[kind]().getToken('https://servicebus.azure.net/.default');
    console.log(kind, 'token', token);
  } catch (error) {
    console.log(kind, 'error', String(error).replace(/\s+/g, ' '));
  }
}
