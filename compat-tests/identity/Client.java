// Asks azure-identity for a token with each of the given kinds of credentials, and prints it or the error.

import com.azure.core.credential.TokenRequestContext;

class Client {
    public static void main(String[] kinds) {
        var request = new TokenRequestContext().addScopes("https://servicebus.azure.net/.default");
        Credentials.print(kinds, credential -> "token " + credential.getTokenSync(request).getToken());
    }
}
