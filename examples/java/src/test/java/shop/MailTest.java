package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.messaging.servicebus.ServiceBusMessage;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(Jitney.class)
class MailTest {
    @Test
    void mailGetsTheEventsOfPaidOrders(Jitney.Namespace namespace) {
        var client = namespace.client();
        var mail = client.receiver().topicName("order-events").subscriptionName("mail");
        try (var sender = client.sender().topicName("order-events").buildClient(); var receiver = mail.buildClient()) {
            sender.sendMessage(new ServiceBusMessage("order 1").setSubject("unpaid"));
            sender.sendMessage(new ServiceBusMessage("order 2").setSubject("paid"));
            var event = receiver.receiveMessages(1, Duration.ofSeconds(10)).stream().findFirst()
                    .orElseThrow(() -> new AssertionError("mail: no event has come in 10 seconds"));
            receiver.complete(event);
            assertEquals("order 2", event.getBody().toString());
        }
    }
}
