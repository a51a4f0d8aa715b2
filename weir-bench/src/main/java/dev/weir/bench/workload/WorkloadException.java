package dev.weir.bench.workload;

/** A workload file that cannot be used; the message says where, why, and what to write instead. Immutable. */
public final class WorkloadException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WorkloadException(String message) {
        super(message);
    }
}
