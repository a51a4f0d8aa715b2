package dev.weir.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view of a running pipeline's producer; see {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe. Valid
 * while the producer's stages run.
 */
public interface ProducerHandle {

    /**
     * A snapshot of a producer. {@link #queueMillis} and {@link #requestMillis} are averages over about the last
     * minute. Immutable.
     */
    final class Snapshot {

        private final Values values;

        private Snapshot(
                String stage,
                long unanswered,
                double bufferBytes,
                double bufferFreeBytes,
                long blockedNanos,
                double queueMillis,
                double requestMillis,
                long throttledNanos) {
            this.values = new Values(
                    stage,
                    unanswered,
                    bufferBytes,
                    bufferFreeBytes,
                    blockedNanos,
                    queueMillis,
                    requestMillis,
                    throttledNanos);
        }

        /** Creates a snapshot without throttling, for tests. */
        public static Snapshot of(
                String stage,
                long unanswered,
                double bufferBytes,
                double bufferFreeBytes,
                long blockedNanos,
                double queueMillis,
                double requestMillis) {
            return new Snapshot(
                    stage, unanswered, bufferBytes, bufferFreeBytes, blockedNanos, queueMillis, requestMillis, 0);
        }

        /** Returns a copy with a different value of {@link #throttledNanos}. */
        public Snapshot withThrottledNanos(long nanos) {
            return new Snapshot(
                    values.stage,
                    values.unanswered,
                    values.bufferBytes,
                    values.bufferFreeBytes,
                    values.blockedNanos,
                    values.queueMillis,
                    values.requestMillis,
                    nanos);
        }

        /** The name of the sending stage. */
        public String stage() {
            return values.stage;
        }

        /** The number of sent records not acknowledged yet. */
        public long unanswered() {
            return values.unanswered;
        }

        /** The client's {@code buffer.memory}; NaN if unknown. */
        public double bufferBytes() {
            return values.bufferBytes;
        }

        /** The free part of the client's buffer; NaN if unknown. */
        public double bufferFreeBytes() {
            return values.bufferFreeBytes;
        }

        /** The total time for which the stage has waited for space in the buffer. */
        public long blockedNanos() {
            return values.blockedNanos;
        }

        /** The average time of a batch in the client before it is sent; NaN before the first batch. */
        public double queueMillis() {
            return values.queueMillis;
        }

        /** The average time until the response to a request; NaN before the first response. */
        public double requestMillis() {
            return values.requestMillis;
        }

        /**
         * The total time for which broker quotas have throttled the producer. With {@link ProducePath#CLIENT},
         * estimated from the client's averages.
         */
        public long throttledNanos() {
            return values.throttledNanos;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Snapshot that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("Values", "Snapshot");
        }

        private record Values(
                String stage,
                long unanswered,
                double bufferBytes,
                double bufferFreeBytes,
                long blockedNanos,
                double queueMillis,
                double requestMillis,
                long throttledNanos) {

            Values {
                Objects.requireNonNull(stage, "stage");
            }
        }
    }

    /**
     * The distribution of times from a record's timestamp to its acknowledgement, in milliseconds. Exact below 64 ms,
     * and with an error of at most 1/32 above. Records without a timestamp are not counted. If an output record has its
     * input's timestamp, its latency includes the time since the input was produced. Immutable.
     */
    final class Latency {

        private final Times values;

        private Latency(long count, long p50, long p99, long max) {
            this.values = new Times(count, p50, p99, max);
        }

        /** Creates latencies, for tests. */
        public static Latency of(long count, long p50, long p99, long max) {
            return new Latency(count, p50, p99, max);
        }

        /** The number of records counted. */
        public long count() {
            return values.count;
        }

        /** The median. */
        public long p50() {
            return values.p50;
        }

        /** The 99th percentile. */
        public long p99() {
            return values.p99;
        }

        /** The maximum. */
        public long max() {
            return values.max;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Latency that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("Times", "Latency");
        }

        private record Times(long count, long p50, long p99, long max) {}
    }

    /** Returns the latencies of all records acknowledged so far. */
    Latency latency();

    /**
     * Returns the number of records with a latency at or below each bound, as for a cumulative histogram. The counts
     * are exact for bounds below 64 ms; larger latencies have an error of at most 1/32.
     *
     * @param boundsMillis the bounds in ascending order, at least 0
     */
    long[] latencyCounts(long... boundsMillis);

    /** Takes a snapshot. Each call reads a few of the client's metrics. */
    Snapshot snapshot();
}
