// Acknowledgement in all its forms, the lock behind it, and the dead-letter queue.
package scenarios;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

final class Settlement {
    private static final String DEAD_LETTERS = "plain/$DeadLetterQueue";

    private Settlement() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("peek-lock-complete", Settlement::acknowledge);
        scenarios.put("abandon-count", Settlement::redelivery);
        scenarios.put("lock-expiry", Settlement::lockExpiry);
        scenarios.put("dead-letter", Settlement::deadLetter);
        scenarios.put("max-delivery", Settlement::maxDelivery);
        scenarios.put("prefetched-ack-after-close", Settlement::prefetched);
    }

    private static void acknowledge() throws JMSException {
        try (Client client = Client.open(Client.PULL, Session.CLIENT_ACKNOWLEDGE);
                Client other = Client.open();
                MessageConsumer consumer = client.consumer("plain");
                MessageConsumer rival = other.consumer("plain")) {
            other.drain("plain");
            List<String> ids = List.of(client.send("plain", "one"), client.send("plain", "two"));
            for (String id : ids) {
                Expect.equal("id", id, consumer.receive(Client.PATIENCE_MS).getJMSMessageID());
            }
            Expect.equal("what another gets", List.of(), Client.ids(Client.drain(rival)));
            Message last = Client.take(consumer, client.send("plain", "three"));
            // Acknowledges all that the session has received.
            last.acknowledge();
        }
        try (Client other = Client.open(); MessageConsumer consumer = other.consumer("plain")) {
            Expect.equal("messages left", List.of(), Client.ids(Client.drain(consumer)));
        }
    }

    private static void redelivery() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("plain")) {
            String id = client.send("plain", "again");
            Message first = Client.take(consumer, id);
            Expect.equal("delivery count at first", 1, Client.deliveryCount(first));
            Client.acknowledge(first, Client.MODIFIED_FAILED);
            Message second = Client.take(consumer, id);
            Expect.equal("delivery count after modified", 2, Client.deliveryCount(second));
            Expect.equal("redelivered", true, second.getJMSRedelivered());
            Client.acknowledge(second, Client.RELEASED);
            Client.take(consumer, id).acknowledge();
            Client.expectGone(consumer, id);
        }
    }

    private static void lockExpiry() throws Exception {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("short");
                MessageConsumer other = client.consumer("short")) {
            String id = client.send("short", "let it lapse");
            Client.take(consumer, id);
            Client.expectGone(other, id);
            Thread.sleep(2_000);
            Message again = Client.take(other, id);
            Expect.equal("delivery count", 2, Client.deliveryCount(again));
            again.acknowledge();
        }
    }

    private static void deadLetter() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("plain");
                MessageConsumer deadLetters = client.consumer(DEAD_LETTERS)) {
            String id = client.send("plain", "bad");
            Client.acknowledge(Client.take(consumer, id), Client.REJECTED);
            Message message = Client.take(deadLetters, id);
            Expect.equal("text", "bad", message.getBody(String.class));
            message.acknowledge();
            Client.expectGone(consumer, id);
        }
    }

    private static void maxDelivery() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("plain");
                MessageConsumer deadLetters = client.consumer(DEAD_LETTERS)) {
            String id = client.send("plain", "poison");
            for (int count = 1; count <= 3; count += 1) {
                Message message = Client.take(consumer, id);
                Expect.equal("delivery count", count, Client.deliveryCount(message));
                Client.acknowledge(message, Client.MODIFIED_FAILED);
            }
            Client.expectGone(consumer, id);
            Message message = Client.take(deadLetters, id);
            Expect.equal("reason", "MaxDeliveryCountExceeded", message.getStringProperty("DeadLetterReason"));
            message.acknowledge();
        }
    }

    /** The library detaches first and gives back afterwards: others get the messages before their locks end. */
    private static void prefetched() throws JMSException {
        try (Client client = Client.open()) {
            client.drain("plain");
            List<String> ids = new ArrayList<>();
            for (int number = 0; number < 5; number += 1) ids.add(client.send("plain", "message " + number));
            try (Client prefetching = Client.open("jms.prefetchPolicy.all=100", Client.INDIVIDUAL_ACKNOWLEDGE)) {
                MessageConsumer consumer = prefetching.consumer("plain");
                consumer.receive(Client.PATIENCE_MS).acknowledge();
                consumer.close();
                List<String> others = ids.subList(1, ids.size());
                try (MessageConsumer next = client.consumer("plain")) {
                    Expect.equal("ids given back by the consumer", others, Client.ids(Client.drain(next)));
                }
            }
            String held = client.send("plain", "held by a session that closes");
            try (Client closing = Client.open(Client.PULL, Session.CLIENT_ACKNOWLEDGE)) {
                Expect.equal("id", held, closing.consumer("plain").receive(Client.PATIENCE_MS).getJMSMessageID());
            }
            try (MessageConsumer next = client.consumer("plain")) {
                Expect.equal("ids given back by the session", List.of(held), Client.ids(Client.drain(next)));
            }
        }
    }
}
