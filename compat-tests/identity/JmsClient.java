// Sends a message through azure-servicebus-jms with each of the given kinds of credentials; `key` is the connection string.

import com.azure.servicebus.jms.ServiceBusJmsConnectionFactory;
import com.azure.servicebus.jms.ServiceBusJmsConnectionFactorySettings;
import java.util.Arrays;

class JmsClient {
    private static final ServiceBusJmsConnectionFactorySettings SETTINGS = new ServiceBusJmsConnectionFactorySettings();

    public static void main(String[] kinds) throws Exception {
        if (kinds[0].equals("key")) {
            System.out.println("key " + sent(new ServiceBusJmsConnectionFactory(
                    System.getenv("SERVICEBUS_CONNECTION_STRING"), SETTINGS)));
            kinds = Arrays.copyOfRange(kinds, 1, kinds.length);
        }
        String host = System.getenv("SERVICEBUS_FULLY_QUALIFIED_NAMESPACE");
        Credentials.print(kinds, credential -> sent(new ServiceBusJmsConnectionFactory(credential, host, SETTINGS)));
    }

    private static String sent(ServiceBusJmsConnectionFactory factory) throws Exception {
        try (var connection = factory.createConnection()) {
            var session = connection.createSession();
            session.createProducer(session.createQueue("orders")).send(session.createTextMessage("hello"));
        }
        return "sent";
    }
}
