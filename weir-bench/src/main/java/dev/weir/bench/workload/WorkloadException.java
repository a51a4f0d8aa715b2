package dev.weir.bench.workload;

/**
 * A workload or environment file that cannot be used; the message says where, why,
 * and what to write instead. Immutable.
 */
public final class WorkloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** The message says where the mistake is. */
    public WorkloadException(String message) {
        super(message);
    }
}
