// Sessions: who holds one, for how long, and the state kept with it.
package scenarios;

import com.azure.core.amqp.exception.AmqpErrorCondition;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSessionReceiverClient;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;

final class Sessions {
    /** Its locks last two seconds. */
    static final String SHORT_QUEUE = "short-sessions";

    private Sessions() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("session-accept", Sessions::accept);
        scenarios.put("session-state", Sessions::state);
        scenarios.put("session-lock-renew", Sessions::renewLock);
        scenarios.put("session-deferred", Sessions::deferred);
    }

    static ServiceBusSessionReceiverClient acceptor() {
        return acceptor(Bus.builder());
    }

    static ServiceBusSessionReceiverClient acceptor(ServiceBusClientBuilder builder) {
        return acceptor(builder, "sessions");
    }

    static ServiceBusSessionReceiverClient acceptor(ServiceBusClientBuilder builder, String queue) {
        return builder.sessionReceiver().queueName(queue).disableAutoComplete()
                .maxAutoLockRenewDuration(Duration.ZERO).buildClient();
    }

    /** Sends three messages of a new session and returns its id. */
    private static String newSession() {
        String session = UUID.randomUUID().toString();
        for (String body : List.of("one", "two", "three")) {
            Bus.send("sessions", Bus.message(body).setSessionId(session));
        }
        return session;
    }

    private static void expectAll(ServiceBusReceiverClient receiver, String session) {
        List<ServiceBusReceivedMessage> messages = Bus.drain(receiver, 3);
        Expect.equal("bodies", List.of("one", "two", "three"),
                messages.stream().map(message -> message.getBody().toString()).toList());
        Expect.that(messages.stream().allMatch(message -> session.equals(message.getSessionId())),
                "a message of another session came");
    }

    private static void accept() {
        String named = newSession();
        try (ServiceBusSessionReceiverClient acceptor = acceptor();
                ServiceBusSessionReceiverClient rival = acceptor()) {
            try (ServiceBusReceiverClient receiver = acceptor.acceptSession(named)) {
                Bus.expectFailure(AmqpErrorCondition.SESSION_CANNOT_BE_LOCKED,
                        "accepting a session that another holds", () -> rival.acceptSession(named));
                expectAll(receiver, named);
            }
            String next = newSession();
            while (true) {
                try (ServiceBusReceiverClient receiver = rival.acceptNextSession()) {
                    if (next.equals(receiver.getSessionId())) {
                        expectAll(receiver, next);
                        return;
                    }
                    Bus.drain(receiver);
                }
            }
        }
    }

    private static void state() {
        String session = UUID.randomUUID().toString();
        byte[] state = {1, 2, 3};
        // On a connection each: on one, the library may hand out the link that it is still closing.
        try (ServiceBusSessionReceiverClient acceptor = acceptor();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
            Expect.equal("state at first", null, receiver.getSessionState());
            receiver.setSessionState(state);
        }
        try (ServiceBusSessionReceiverClient acceptor = acceptor();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
            Expect.equal("state", state, receiver.getSessionState());
            receiver.setSessionState(null);
            Expect.equal("state when cleared", null, receiver.getSessionState());
        }
    }

    private static void renewLock() throws InterruptedException {
        String session = newSession();
        try (ServiceBusSessionReceiverClient acceptor = acceptor();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
            OffsetDateTime first = receiver.renewSessionLock();
            Expect.that(first.isAfter(OffsetDateTime.now().plusSeconds(25)), "the lock ends at " + first);
            Thread.sleep(300);
            OffsetDateTime second = receiver.renewSessionLock();
            Expect.that(second.isAfter(first), "a second renewal did not extend the lock");
            expectAll(receiver, session);
        }
    }

    private static void deferred() throws InterruptedException {
        String session = UUID.randomUUID().toString();
        String id = "deferred-" + session;
        Bus.send(SHORT_QUEUE, Bus.message("later").setSessionId(session).setMessageId(id));
        try (ServiceBusSessionReceiverClient acceptor = acceptor(Bus.builder(), SHORT_QUEUE);
                ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            receiver.defer(message);
            ServiceBusReceivedMessage deferred = receiver.receiveDeferredMessage(message.getSequenceNumber());
            for (int round = 0; round < 4; round += 1) {
                Thread.sleep(1_000);
                receiver.renewSessionLock();
            }
            receiver.complete(deferred);
            Expect.equal("messages left", 0L, receiver.peekMessages(1, 1).stream().count());
        }
    }
}
