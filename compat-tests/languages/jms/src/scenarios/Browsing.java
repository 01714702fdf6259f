// Browsers, which take nothing, and selectors, which are refused rather than ignored.
package scenarios;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

final class Browsing {
    private Browsing() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("browse", Browsing::browse);
        scenarios.put("selector-refused", Browsing::selector);
    }

    private static List<String> browsedIds(Client client) throws JMSException {
        List<String> ids = new ArrayList<>();
        try (QueueBrowser browser = client.session.createBrowser((Queue) client.queue("plain"))) {
            for (Object message : Collections.list(browser.getEnumeration())) {
                ids.add(((Message) message).getJMSMessageID());
            }
        }
        return ids;
    }

    private static void browse() throws JMSException {
        // A browser ends where the queue does, with a prefetch of none too.
        for (String options : List.of(Client.PULL, "jms.prefetchPolicy.all=100")) {
            try (Client client = Client.open();
                    Client browsing = Client.open(options, Client.INDIVIDUAL_ACKNOWLEDGE)) {
                client.drain("plain");
                List<String> ids = new ArrayList<>();
                for (String text : List.of("one", "two", "three")) ids.add(client.send("plain", text));
                Expect.equal("browsed ids", ids, browsedIds(browsing));
                Expect.equal("browsed once more", ids, browsedIds(browsing));
                try (MessageConsumer consumer = client.consumer("plain")) {
                    Message held = consumer.receive(Client.PATIENCE_MS);
                    Expect.equal("browsed while one is held", ids, browsedIds(browsing));
                    Client.acknowledge(held, Client.RELEASED);
                    List<Message> messages = Client.drain(consumer);
                    Expect.equal("ids received then", ids, Client.ids(messages));
                    for (Message message : messages) {
                        Expect.equal("delivery count", 1, Client.deliveryCount(message));
                    }
                }
            }
        }
    }

    private static void selector() throws JMSException {
        try (Client client = Client.open()) {
            Expect.failure(JMSException.class, "a consumer with a selector",
                    () -> client.session.createConsumer(client.queue("plain"), "color = 'red'"));
            client.send("plain", "the connection still works");
        }
    }
}
