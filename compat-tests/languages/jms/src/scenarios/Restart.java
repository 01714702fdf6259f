// Messages accepted before the broker is killed, and found when it runs again.
package scenarios;

import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

final class Restart {
    private Restart() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("restart-before", Restart::before);
        scenarios.put("restart-after", Restart::after);
    }

    private static void before() throws JMSException {
        try (Client client = Client.open()) {
            client.send("forever", "first");
            client.send("forever", "second");
            try (MessageProducer producer = client.session.createProducer(client.queue("forever"))) {
                producer.setDeliveryDelay(5_000);
                producer.send(client.session.createTextMessage("delayed"));
            }
        }
    }

    private static void after() throws JMSException {
        try (Client client = Client.open(); MessageConsumer consumer = client.consumer("forever")) {
            List<String> texts = new ArrayList<>();
            while (texts.size() < 3) {
                Message message = consumer.receive(Client.PATIENCE_MS);
                if (message == null) break;
                texts.add(message.getBody(String.class));
                message.acknowledge();
            }
            Expect.equal("texts", List.of("first", "second", "delayed"), texts);
        }
    }
}
