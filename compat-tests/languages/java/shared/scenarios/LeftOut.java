// Thrown by a scenario that cannot be done on this machine; its message says why.
package scenarios;

final class LeftOut extends RuntimeException {
    LeftOut(String why) {
        super(why);
    }
}
