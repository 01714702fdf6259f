// Routes from queues, subscriptions and requests; each of them leaves what has come in an inbox.

package jitney;

import com.azure.servicebus.jms.ServiceBusJmsConnectionFactory;
import com.azure.servicebus.jms.ServiceBusJmsConnectionFactorySettings;
import org.apache.camel.CamelContext;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.jms.JmsComponent;

final class Routes extends RouteBuilder {
    // region: component
    /** Without transacted, a message whose route fails is not delivered again. */
    static void addComponent(CamelContext camel, String connectionString) {
        var factory = new ServiceBusJmsConnectionFactory(connectionString, new ServiceBusJmsConnectionFactorySettings());
        factory.setClientId("shop"); // durable subscriptions need it
        var jms = JmsComponent.jmsComponent(factory);
        jms.setTransacted(true);
        jms.setLazyCreateTransactionManager(false);
        camel.addComponent("jms", jms);
    }
    // endregion

    @Override
    public void configure() {
        // region: routes
        from("jms:queue:orders?selector=color = 'red'").to("seda:red orders");
        from("jms:topic:events?subscriptionDurable=true&durableSubscriptionName=billing").to("seda:billing");
        from("jms:topic:events?subscriptionDurable=true&durableSubscriptionName=reds&selector=color = 'red'").to("seda:reds");
        from("jms:topic:events?subscriptionShared=true&subscriptionDurable=true&subscriptionName=workers").to("seda:workers");
        from("jms:topic:events?subscriptionShared=true&subscriptionName=screens").to("seda:screens");
        from("jms:queue:prices").setBody(simple("${body} costs 7"));
        // endregion

        from("jms:queue:fragile")
                .process(exchange -> {
                    if (exchange.getIn().getHeader("JMSXDeliveryCount", Integer.class) == 1) {
                        throw new IllegalStateException("this is the first delivery");
                    }
                })
                .setBody(simple("${body} came ${header.JMSXDeliveryCount} times"))
                .to("seda:fragile");
    }
}
