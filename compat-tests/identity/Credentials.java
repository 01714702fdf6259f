// The kinds of credentials of azure-identity, made from the environment.

import com.azure.core.credential.TokenCredential;
import com.azure.identity.ClientSecretCredentialBuilder;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.identity.EnvironmentCredentialBuilder;
import com.azure.identity.WorkloadIdentityCredentialBuilder;

class Credentials {
    interface Use {
        String of(TokenCredential credential) throws Exception;
    }

    /** Prints what comes of each kind, or its error. */
    static void print(String[] kinds, Use use) {
        for (String kind : kinds) {
            try {
                System.out.println(kind + " " + use.of(make(kind)));
            } catch (Throwable error) {
                System.out.println(kind + " error " + error.toString().replaceAll("\\s+", " "));
            }
        }
        System.exit(0);
    }

    private static TokenCredential make(String kind) {
        switch (kind) {
            case "default":
                return new DefaultAzureCredentialBuilder().build();
            case "environment":
                return new EnvironmentCredentialBuilder().build();
            case "secret":
                return new ClientSecretCredentialBuilder()
                        .tenantId(System.getenv("AZURE_TENANT_ID"))
                        .clientId(System.getenv("AZURE_CLIENT_ID"))
                        .clientSecret(System.getenv("AZURE_CLIENT_SECRET"))
                        .build();
            default:
                return new WorkloadIdentityCredentialBuilder().build();
        }
    }
}
