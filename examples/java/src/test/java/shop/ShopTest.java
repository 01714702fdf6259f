package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.models.SubQueue;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import shop.Shop.Order;
import shop.Shop.Step;

@ExtendWith(Jitney.class)
class ShopTest {
    // region: test
    @Test
    void allEventsReachAuditAndThoseOfPaidOrdersReachMail(Jitney.Namespace namespace) {
        var client = namespace.client();
        Shop.placeOrders(client, new Order(1, true), new Order(2, false), new Order(3, true));
        Shop.processOrders(client, 3);
        var events = List.of("order 1 is paid", "order 2 is unpaid", "order 3 is paid");
        assertEquals(events, Shop.readEvents(client, "audit", 3));
        assertEquals(List.of("order 1 is paid", "order 3 is paid"), Shop.readEvents(client, "mail", 2));
    }
    // endregion

    // region: dead-letter test
    @Test
    void anOrderWithoutAnIdIsDeadLetteredMendedAndProcessed(Jitney.Namespace namespace) {
        var client = namespace.client();
        Shop.placeOrders(client, new Order(null, true));
        Shop.processOrders(client, 1);
        assertEquals(List.of("unreadable, the order has no id"), deadLetters(client));

        Shop.mendOrder(client, 3);
        assertEquals(List.of(), deadLetters(client));
        Shop.processOrders(client, 1);
        assertEquals(List.of("order 3 is paid"), Shop.readEvents(client, "mail", 1));
    }
    // endregion

    @Test
    void theStepsOfACustomerComeInOrder(Jitney.Namespace namespace) {
        var client = namespace.client();
        Shop.sendSteps(client, new Step("anna", "registers"), new Step("ben", "registers"),
                new Step("anna", "orders"), new Step("anna", "pays"));
        assertEquals(List.of("registers", "orders", "pays"), Shop.serveCustomer(client, "anna", 3));
        assertEquals(List.of("registers"), Shop.serveCustomer(client, "ben", 1));
    }

    static List<String> deadLetters(ServiceBusClientBuilder client) {
        var queue = client.receiver().queueName("orders").subQueue(SubQueue.DEAD_LETTER_QUEUE);
        try (var receiver = queue.buildClient()) {
            return receiver.peekMessages(10).stream()
                    .map(dead -> dead.getDeadLetterReason() + ", " + dead.getDeadLetterErrorDescription())
                    .toList();
        }
    }
}
