// Messages and states accepted before the broker is killed, and found when it runs again.
package scenarios;

import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.ServiceBusSessionReceiverClient;
import com.azure.messaging.servicebus.models.ServiceBusMessageState;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class Restart {
    private static final String SESSION = "java-restart";
    private static final byte[] STATE = {4, 2};

    private Restart() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("restart-before", Restart::before);
        scenarios.put("restart-after", Restart::after);
    }

    private static ServiceBusMessage named(String id) {
        return new ServiceBusMessage("body of " + id).setMessageId(id);
    }

    private static void before() {
        try (ServiceBusSenderClient sender = Bus.sender("forever");
                ServiceBusReceiverClient receiver = Bus.receiver("forever")) {
            sender.sendMessage(named("deferred"));
            receiver.defer(Bus.take(receiver, "deferred"));
            sender.scheduleMessage(named("scheduled"), OffsetDateTime.now().plusHours(1));
            sender.sendMessages(List.of(named("first"), named("second")));
        }
        Bus.send("sessions", named("in-session").setSessionId(SESSION));
        try (ServiceBusSessionReceiverClient acceptor = Sessions.acceptor();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(SESSION)) {
            receiver.setSessionState(STATE);
        }
    }

    private static void after() {
        try (ServiceBusReceiverClient receiver = Bus.receiver("forever")) {
            Map<String, ServiceBusReceivedMessage> peeked = new HashMap<>();
            receiver.peekMessages(50, 1).forEach(message -> peeked.put(message.getMessageId(), message));
            Expect.that(peeked.containsKey("scheduled"), "the scheduled message is lost: " + peeked.keySet());
            Expect.equal("state", ServiceBusMessageState.SCHEDULED, peeked.get("scheduled").getState());
            Expect.that(peeked.containsKey("deferred"), "the deferred message is lost: " + peeked.keySet());
            ServiceBusReceivedMessage deferred =
                    receiver.receiveDeferredMessage(peeked.get("deferred").getSequenceNumber());
            Expect.equal("deferred body", "body of deferred", deferred.getBody().toString());
            receiver.complete(deferred);
            List<String> ids = Bus.drain(receiver, 2).stream().map(ServiceBusReceivedMessage::getMessageId).toList();
            Expect.equal("active messages", List.of("first", "second"), ids);
        }
        try (ServiceBusSessionReceiverClient acceptor = Sessions.acceptor();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(SESSION)) {
            Expect.equal("session state", STATE, receiver.getSessionState());
            Expect.equal("messages of the session", 1, Bus.drain(receiver, 1).size());
        }
    }
}
