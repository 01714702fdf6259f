// The scenarios of azure-messaging-servicebus; those named on the command line run.
package scenarios;

import java.util.HashMap;
import java.util.Map;

public final class Main {
    private Main() {}

    public static void main(String[] ids) throws Exception {
        Map<String, Scenario> scenarios = new HashMap<>();
        Transfers.addTo(scenarios);
        Settlement.addTo(scenarios);
        Scheduling.addTo(scenarios);
        Sessions.addTo(scenarios);
        Processors.addTo(scenarios);
        Topics.addTo(scenarios);
        Transactions.addTo(scenarios);
        CrossEntity.addTo(scenarios);
        Administration.addTo(scenarios);
        Created.addTo(scenarios);
        Connections.addTo(scenarios);
        Faults.addTo(scenarios);
        Restart.addTo(scenarios);
        Tour.addTo(scenarios);
        Program.run(ids, scenarios);
    }
}
