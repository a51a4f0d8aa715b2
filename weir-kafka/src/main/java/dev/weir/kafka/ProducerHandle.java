package dev.weir.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The producer of a running pipeline as others may see it; found by {@link dev.weir.stream.RunningPipeline#handles}.
 * Thread-safe, valid for as long as the pipeline.
 */
public interface ProducerHandle {

    /** A producer at one moment. The two times are the client's own means of its last minute or so. */
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

        /** For tests of code that reads one; no broker has throttled it. */
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

        /** The same with another answer of {@link #throttledNanos}. */
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

        /** The stage that sends. */
        public String stage() {
            return values.stage;
        }

        /** Records sent that no broker has answered yet. */
        public long unanswered() {
            return values.unanswered;
        }

        /** The client's {@code buffer.memory}; NaN if it does not tell. */
        public double bufferBytes() {
            return values.bufferBytes;
        }

        /** The free part of it; NaN if it does not tell. */
        public double bufferFreeBytes() {
            return values.bufferFreeBytes;
        }

        /** The time the stage has waited for room in it so far. */
        public long blockedNanos() {
            return values.blockedNanos;
        }

        /** The time a batch waits in the client before it leaves; NaN before the first. */
        public double queueMillis() {
            return values.queueMillis;
        }

        /** The time the brokers take to answer a request; NaN before the first. */
        public double requestMillis() {
            return values.requestMillis;
        }

        /**
         * The time for which brokers throttled the producer so far, in sum over their answers: a quota is used up. Of
         * the official client it is derived from the means that it publishes.
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
     * Times from a record's timestamp to its acknowledgement, in milliseconds; to one part in 32 above 64 ms. Records
     * that were produced without a timestamp are not counted. A record that keeps the timestamp of its input shows how
     * long the input took from its producer to here.
     */
    final class Latency {

        private final Times values;

        private Latency(long count, long p50, long p99, long max) {
            this.values = new Times(count, p50, p99, max);
        }

        /** For tests of code that reads one. */
        public static Latency of(long count, long p50, long p99, long max) {
            return new Latency(count, p50, p99, max);
        }

        /** Records counted. */
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

    /** The times of all records acknowledged so far. */
    Latency latency();

    /**
     * The number of these records that took at most so long, for each of the bounds: the data of a cumulative
     * histogram. Exact below 64 ms, to one part in 32 above.
     *
     * @param boundsMillis in ascending order, at least 0
     */
    long[] latencyCounts(long... boundsMillis);

    /** The producer now; reads a few meters of the client. */
    Snapshot snapshot();
}
