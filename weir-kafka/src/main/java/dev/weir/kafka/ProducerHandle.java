package dev.weir.kafka;

import java.util.Objects;

/**
 * The producer of a running pipeline as others may see it; found by {@link dev.weir.stream.RunningPipeline#handles}.
 * Thread-safe, valid for as long as the pipeline.
 */
public interface ProducerHandle {

    /**
     * A producer at one moment. The two times are the client's own means of its last minute or so.
     *
     * @param stage the stage that sends
     * @param unanswered records sent of which no broker has said anything yet
     * @param bufferBytes the client's {@code buffer.memory}; NaN if it does not tell
     * @param bufferFreeBytes what of it is free; NaN if it does not tell
     * @param blockedNanos how long the stage has waited for room in it so far
     * @param queueMillis how long a batch waits in the client before it leaves; NaN before the first
     * @param requestMillis how long the brokers take to answer a request; NaN before the first
     */
    record Snapshot(
            String stage,
            long unanswered,
            double bufferBytes,
            double bufferFreeBytes,
            long blockedNanos,
            double queueMillis,
            double requestMillis) {

        /** Refuses null. */
        public Snapshot {
            Objects.requireNonNull(stage, "stage");
        }
    }

    /**
     * Times from a record's timestamp to its acknowledgement, in milliseconds; to one part in 32 above 64 ms. Records
     * that were produced without a timestamp are not counted. A record that keeps the timestamp of its input shows how
     * long the input took from its producer to here.
     *
     * @param count records counted
     * @param p50 what half of them took at most
     * @param p99 what 99 in 100 took at most
     * @param max what the slowest took
     */
    record Latency(long count, long p50, long p99, long max) {}

    /** The times of all records acknowledged so far. */
    Latency latency();

    /**
     * How many of these records took at most so long, for each of the bounds: what a cumulative histogram is made of.
     * Exact below 64 ms, to one part in 32 above.
     *
     * @param boundsMillis in ascending order, at least 0
     */
    long[] latencyCounts(long... boundsMillis);

    /** The producer now; reads a few meters of the client. */
    Snapshot snapshot();
}
