// One handshake as Java's SDK has it: Client <file to trust or none> <port> <name>.

import java.io.FileInputStream;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

public class Client {
    public static void main(String[] words) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
        trust.init(storeOf(words[0]));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        int port = Integer.parseInt(words[1]);
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(words[2], port)) {
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            System.out.println("ok");
        } catch (SSLException error) {
            System.out.println(error.getMessage());
        }
    }

    /** Null stands for all that the JDK trusts by itself. */
    private static KeyStore storeOf(String file) throws Exception {
        if (file.equals("none")) return null;
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null);
        try (FileInputStream pem = new FileInputStream(file)) {
            store.setCertificateEntry("jitney", CertificateFactory.getInstance("X.509").generateCertificate(pem));
        }
        return store;
    }
}
