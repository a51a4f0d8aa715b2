package dev.weir.kafka.internal.in.lookup;

/**
 * The phase of a consumer. Only its owner thread changes the phase, and only forwards; any thread may read it. A
 * request to stop or close does not change the phase; the owner thread does so when it processes the request.
 *
 * <pre>
 *   RUNNING --all is read--> DRAINING --stop--> STOPPED --close--> CLOSING --> CLOSED
 *      |                                           ^                  ^
 *      +------------------- stop ------------------+                  |
 *      +---------------------- fatal error ---------------------------+
 * </pre>
 */
public enum ConsumerPhase {
    /** Polls and emits. */
    RUNNING("running"),

    /** Has reached the end of a bounded read: reads no more records, but still emits the buffered ones. */
    DRAINING("running"),

    /** Polls, but emits nothing more. Records that were not pulled are dropped unless they are already committed. */
    STOPPED("stopped"),

    /** Waits for acknowledgements until the close timeout at the latest, then makes the last commit. */
    CLOSING("stopped"),

    /** Neither commits nor emits anything more. The client is closed or about to be closed. */
    CLOSED("closed");

    private final String label;

    ConsumerPhase(String label) {
        this.label = label;
    }

    /** Returns the phase's name in a dump. */
    public String label() {
        return label;
    }
}
