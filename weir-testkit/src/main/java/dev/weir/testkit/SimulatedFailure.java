package dev.weir.testkit;

/**
 * Thrown by {@link SimulatedKafka#work} when the seed determines that the work fails. The work was not done. Immutable.
 */
public final class SimulatedFailure extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** Creates a failure with the given message. */
    public SimulatedFailure(String what) {
        super(what);
    }
}
