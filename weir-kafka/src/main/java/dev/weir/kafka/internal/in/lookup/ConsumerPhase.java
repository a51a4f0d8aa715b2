package dev.weir.kafka.internal.in.lookup;

/**
 * The phase of a consumer. Only its owner thread changes it, and only forwards; any thread may read it. A request to
 * stop or to close is not a phase: the owner thread enters the phase when it acts on the request.
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

    /**
     * Has reached the end of a bounded read: polls and emits nothing more, while buffered records are still emitted.
     */
    DRAINING("running"),

    /** Polls, but emits nothing more; unpulled records are dropped unless already committed. */
    STOPPED("stopped"),

    /** Waits for acknowledgements, as long as the close allows, and commits for the last time. */
    CLOSING("stopped"),

    /** Commits and emits nothing more; the client is closed, or about to be. */
    CLOSED("closed");

    private final String label;

    ConsumerPhase(String label) {
        this.label = label;
    }

    /** The phase's name in a dump. */
    public String label() {
        return label;
    }
}
