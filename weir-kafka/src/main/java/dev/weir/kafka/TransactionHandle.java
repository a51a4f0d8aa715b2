package dev.weir.kafka;

/** Shows the transactions of a running {@link ExactlyOnceFlow}; see {@code RunningPipeline.handles}. Thread-safe. */
public interface TransactionHandle {

    /** What became of them so far. */
    TransactionSnapshot snapshot();
}
