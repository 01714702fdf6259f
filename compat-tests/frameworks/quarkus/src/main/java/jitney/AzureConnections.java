// The profile `azure`: the connections of Azure's library take the place of those of the extension, in every bean that injects a ConnectionFactory.

package jitney;

import com.azure.servicebus.jms.ServiceBusJmsConnectionFactory;
import com.azure.servicebus.jms.ServiceBusJmsConnectionFactorySettings;
import io.quarkus.arc.profile.IfBuildProfile;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.jms.ConnectionFactory;
import org.eclipse.microprofile.config.inject.ConfigProperty;

@IfBuildProfile("azure")
class AzureConnections {
    // region: connections
    @Produces
    @ApplicationScoped
    ConnectionFactory connections(@ConfigProperty(name = "SERVICEBUS_CONNECTION_STRING") String connectionString) {
        return new ServiceBusJmsConnectionFactory(connectionString, new ServiceBusJmsConnectionFactorySettings());
    }
    // endregion
}
