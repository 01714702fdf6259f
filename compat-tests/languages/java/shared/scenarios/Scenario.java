// One behaviour that the program shows: it returns when the broker does as the service, and throws when not.
package scenarios;

@FunctionalInterface
interface Scenario {
    void run() throws Exception;
}
