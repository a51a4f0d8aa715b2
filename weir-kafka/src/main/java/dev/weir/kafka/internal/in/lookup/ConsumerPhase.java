package dev.weir.kafka.internal.in.lookup;

/**
 * The phase of a consumer. Written by its owner thread alone, and only forwards; read by any. A request to stop or to
 * close is no phase yet: the owner thread enters the phase when it acts on the request.
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

    /** A bounded read is at its end: polls and emits nothing more; what is buffered still goes out. */
    DRAINING("running"),

    /** Polls and emits nothing more; what was not pulled is forgotten, unless it is committed already. */
    STOPPED("stopped"),

    /** Waits for acknowledgements, as long as the close is patient, and commits for the last time. */
    CLOSING("stopped"),

    /** Commits and emits nothing any more; the client is closed, or about to be. */
    CLOSED("closed");

    private final String label;

    ConsumerPhase(String label) {
        this.label = label;
    }

    /** The phase as a dump names it. */
    public String label() {
        return label;
    }
}
