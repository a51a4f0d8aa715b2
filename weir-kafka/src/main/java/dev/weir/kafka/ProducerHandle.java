package dev.weir.kafka;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The producer of a running pipeline, to inspect from outside; obtained from
 * {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe, valid for as long as the pipeline.
 */
public interface ProducerHandle {

    /** Snapshot of a producer. Its two average times are the client's own, over about the last minute. */
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

        /** Creates a snapshot without throttling, for tests of code that reads one. */
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

        /** Returns a copy with another value of {@link #throttledNanos}. */
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

        /** Records sent that no broker has answered yet. */
        public long unanswered() {
            return values.unanswered;
        }

        /** The client's {@code buffer.memory}; NaN if not known. */
        public double bufferBytes() {
            return values.bufferBytes;
        }

        /** The free part of the client's buffer; NaN if not known. */
        public double bufferFreeBytes() {
            return values.bufferFreeBytes;
        }

        /** The total time so far for which the stage has waited for space in the buffer. */
        public long blockedNanos() {
            return values.blockedNanos;
        }

        /** The average time a batch waits in the client before it is sent; NaN before the first. */
        public double queueMillis() {
            return values.queueMillis;
        }

        /** The average time the brokers take to answer a request; NaN before the first. */
        public double requestMillis() {
            return values.requestMillis;
        }

        /**
         * The total time for which broker quotas have throttled the producer so far. On the client path it is derived
         * from the client's average metrics.
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
     * Times from a record's timestamp to its acknowledgement, in milliseconds, accurate to one part in 32 above 64 ms.
     * Records produced without a timestamp are not counted. If output records keep the timestamp of their input, this
     * is the time from the input's production.
     */
    final class Latency {

        private final Times values;

        private Latency(long count, long p50, long p99, long max) {
            this.values = new Times(count, p50, p99, max);
        }

        /** Creates latency figures for tests of code that reads them. */
        public static Latency of(long count, long p50, long p99, long max) {
            return new Latency(count, p50, p99, max);
        }

        /** Number of records counted. */
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
     * The number of records at or below each bound, as for a cumulative histogram. Exact below 64 ms, to one part in 32
     * above.
     *
     * @param boundsMillis in ascending order, at least 0
     */
    long[] latencyCounts(long... boundsMillis);

    /** Takes a snapshot; reads a few metrics of the client. */
    Snapshot snapshot();
}
