// Ways in: TLS, WebSockets, and keys under strict authorization.
package scenarios;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import java.util.List;
import java.util.Map;
import org.apache.qpid.jms.JmsConnectionFactory;

final class Connections {
    private static final String WEB_SOCKET_PATH = "/$servicebus/websocket";
    private static final long AT_ONCE_MS = 10_000;

    private Connections() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("tls-amqp", () -> roundTrip(Client.factory("amqps", "", Client.PULL)));
        scenarios.put("websocket", () -> roundTrip(Client.factory("amqpws", WEB_SOCKET_PATH, Client.PULL)));
        scenarios.put("websocket-tls", () -> roundTrip(Client.factory("amqpwss", WEB_SOCKET_PATH, Client.PULL)));
        scenarios.put("strict-sas", () -> roundTrip(strict(Program.setting("KEY"))));
        scenarios.put("strict-wrong-key", Connections::wrongKey);
        scenarios.put("strict-missing-entity", Connections::missingEntity);
        scenarios.put("namespaces", Connections::namespaces);
    }

    private static JmsConnectionFactory strict(String key) {
        String uri = "amqp://" + Program.setting("HOST") + ":" + Program.setting("STRICT_PORT") + "?" + Client.PULL;
        return Client.factory(uri, key);
    }

    private static void roundTrip(JmsConnectionFactory factory) throws JMSException {
        try (Client client = Client.open(factory); MessageConsumer consumer = client.consumer("plain")) {
            Client.take(consumer, client.send("plain", "there")).acknowledge();
        }
    }

    /** Two at once, strict and not. */
    private static void namespaces() throws JMSException {
        for (String port : List.of("PORT", "STRICT_PORT")) {
            try (Client one = Client.open(inNamespace(port, "one")); Client two = Client.open(inNamespace(port, "two"))) {
                String forOne = one.send("plain", "for one");
                String forTwo = two.send("plain", "for two");
                expectOnly(one, forOne);
                expectOnly(two, forTwo);
            }
        }
    }

    private static JmsConnectionFactory inNamespace(String port, String name) {
        String uri = "amqp://" + Program.setting("HOST") + ":" + Program.setting(port) + "?" + Client.PULL;
        return new JmsConnectionFactory(Program.setting("KEY_NAME") + "@" + name, Program.setting("KEY"), uri);
    }

    private static void expectOnly(Client client, String id) throws JMSException {
        try (MessageConsumer consumer = client.consumer("plain")) {
            Message message = consumer.receive(Client.PATIENCE_MS);
            Expect.equal("message", id, message == null ? null : message.getJMSMessageID());
            message.acknowledge();
            Expect.equal("another message", null, consumer.receive(Client.GLANCE_MS));
        }
    }

    private static void wrongKey() {
        long start = System.nanoTime();
        Expect.failure(JMSSecurityException.class, "connecting with a wrong key",
                () -> Client.open(strict("d3Jvbmc=")).close());
        long passedMs = (System.nanoTime() - start) / 1_000_000;
        Expect.that(passedMs < AT_ONCE_MS, "it took " + passedMs + " ms to be told");
    }

    private static void missingEntity() throws JMSException {
        try (Client client = Client.open(strict(Program.setting("KEY")))) {
            Expect.failure(InvalidDestinationException.class, "sending to a missing queue",
                    () -> client.send("missing", "lost"));
        }
    }
}
