// Makes Java trust the authority of CA_FILE, as a trust store that every library of the process reads.
package scenarios;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;

final class Trust {
    private static final String PASSWORD = "changeit";

    private Trust() {}

    /** Before the first connection, as Java reads the store only once. */
    static void install() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream file = Files.newInputStream(Path.of(System.getenv("CA_FILE")))) {
            store.setCertificateEntry("jitney", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        Path path = Files.createTempFile("jitney-trust", ".p12");
        path.toFile().deleteOnExit();
        try (OutputStream file = Files.newOutputStream(path)) {
            store.store(file, PASSWORD.toCharArray());
        }
        System.setProperty("javax.net.ssl.trustStore", path.toString());
        System.setProperty("javax.net.ssl.trustStoreType", "PKCS12");
        System.setProperty("javax.net.ssl.trustStorePassword", PASSWORD);
    }
}
