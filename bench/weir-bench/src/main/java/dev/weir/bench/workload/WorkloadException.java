package dev.weir.bench.workload;

/**
 * Thrown if a workload file or environment file is invalid. The message says where the mistake is, what is wrong, and
 * what to write instead. Immutable.
 */
public final class WorkloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** Creates an exception. The message must say where the mistake is. */
    public WorkloadException(String message) {
        super(message);
    }
}
