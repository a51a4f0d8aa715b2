package dev.weir.kafka.internal.in.lookup;

/**
 * The phase of a consumer. Only the owner thread changes the phase, and only forwards; any thread may read it.
 *
 * <pre>
 *   RUNNING --all is read--> DRAINING --stop--> STOPPED --close--> CLOSING --> CLOSED
 *      |                                           ^                  ^
 *      +------------------- stop ------------------+                  |
 *      +---------------------- fatal error ---------------------------+
 * </pre>
 */
public enum ConsumerPhase {
    /** The consumer polls and emits. */
    RUNNING("running"),

    /** The consumer has reached the end of a bounded read. It emits the buffered records and reads no more. */
    DRAINING("running"),

    /** The consumer polls but emits nothing. Buffered records are dropped unless they are already committed. */
    STOPPED("stopped"),

    /** The consumer waits for acknowledgements, at most until the close timeout, and then makes the last commit. */
    CLOSING("stopped"),

    /** The consumer neither commits nor emits. The client is closed or about to be closed. */
    CLOSED("closed");

    private final String label;

    ConsumerPhase(String label) {
        this.label = label;
    }

    /** Returns the name of the phase for dumps. */
    public String label() {
        return label;
    }
}
