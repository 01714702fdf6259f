// The scenarios of Qpid JMS and azure-servicebus-jms; those named on the command line run.
package scenarios;

import java.util.HashMap;
import java.util.Map;

public final class Main {
    private Main() {}

    public static void main(String[] ids) throws Exception {
        Map<String, Scenario> scenarios = new HashMap<>();
        Transfers.addTo(scenarios);
        Settlement.addTo(scenarios);
        Browsing.addTo(scenarios);
        Transactions.addTo(scenarios);
        Connections.addTo(scenarios);
        Restart.addTo(scenarios);
        Jms2.addTo(scenarios);
        Tour.addTo(scenarios);
        Program.run(ids, scenarios);
    }
}
