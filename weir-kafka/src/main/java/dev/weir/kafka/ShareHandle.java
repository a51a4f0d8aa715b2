package dev.weir.kafka;

import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A running member of a share group, to inspect from outside; obtained from
 * {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe and valid for as long as the pipeline; afterwards it
 * shows the last state.
 */
public interface ShareHandle {

    /** Takes a snapshot. Does not block. */
    Snapshot snapshot();

    /**
     * The answers for a health probe. Does not block. Ready means that the group has assigned partitions;
     * {@link FetchPath#CLIENT} stays ready afterwards, because Kafka's client does not report the end of an assignment.
     * Live lasts until the pipeline ends, which a permanent error causes. Progressing is false while a downstream stage
     * reports no progress, such as a producer that has had no answer for long.
     */
    ConsumerHealth health();

    /** Counts of records since the start, and the current state. */
    final class Snapshot {

        private final Values values;

        private Snapshot(Values values) {
            this.values = values;
        }

        /** Creates a snapshot for tests of code that reads one. */
        public static Snapshot of(
                long accepted,
                long released,
                long rejected,
                long renewed,
                long redelivered,
                long lockExpired,
                long failedAcknowledgements,
                long neverBegun,
                long parked,
                long emptiedAnswers,
                int waiting,
                int inHand,
                long lag,
                int lanes,
                int pollRecords,
                String acquireMode,
                int workers,
                Limit limit) {
            return new Snapshot(new Values(
                    accepted,
                    released,
                    rejected,
                    renewed,
                    redelivered,
                    lockExpired,
                    failedAcknowledgements,
                    neverBegun,
                    parked,
                    emptiedAnswers,
                    waiting,
                    inHand,
                    lag,
                    lanes,
                    pollRecords,
                    acquireMode,
                    workers,
                    limit,
                    List.of()));
        }

        /** Returns a copy with another value of {@link #skipped}. */
        public Snapshot with(List<RecordRange> skipped) {
            Objects.requireNonNull(skipped, "skipped");
            Values v = values;
            return new Snapshot(new Values(
                    v.accepted,
                    v.released,
                    v.rejected,
                    v.renewed,
                    v.redelivered,
                    v.lockExpired,
                    v.failedAcknowledgements,
                    v.neverBegun,
                    v.parked,
                    v.emptiedAnswers,
                    v.waiting,
                    v.inHand,
                    v.lag,
                    v.lanes,
                    v.pollRecords,
                    v.acquireMode,
                    v.workers,
                    v.limit,
                    List.copyOf(skipped)));
        }

        /** Records accepted and confirmed by the brokers. */
        public long accepted() {
            return values.accepted;
        }

        /** Records released for another delivery, confirmed. */
        public long released() {
            return values.released;
        }

        /** Records rejected and never delivered again, confirmed. */
        public long rejected() {
            return values.rejected;
        }

        /** Locks renewed while a handler worked. */
        public long renewed() {
            return values.renewed;
        }

        /** Records received with a delivery count above 1. */
        public long redelivered() {
            return values.redelivered;
        }

        /** Records whose lock ended before their work did, or was lost with its broker. */
        public long lockExpired() {
            return values.lockExpired;
        }

        /** Acknowledgements refused by the brokers; their records are delivered again. */
        public long failedAcknowledgements() {
            return values.failedAcknowledgements;
        }

        /** Records released or lost before the pipeline pulled them. */
        public long neverBegun() {
            return values.neverBegun;
        }

        /** Copies written to the parking or dead-letter topic because few deliveries were left. */
        public long parked() {
            return values.parked;
        }

        /**
         * Fetches whose records the brokers acquired but did not send because of a quota. Each uses up one delivery of
         * its records. Counted only on {@link FetchPath#LEAN}, because Kafka's client does not report them.
         */
        public long emptiedAnswers() {
            return values.emptiedAnswers;
        }

        /** Records acquired and not yet pulled by the pipeline. */
        public int waiting() {
            return values.waiting;
        }

        /** Records pulled by the pipeline and unfinished. */
        public int inHand() {
            return values.inHand;
        }

        /** Records of the group not yet delivered, -1 if not known. */
        public long lag() {
            return values.lag;
        }

        /** Number of active share consumers. */
        public int lanes() {
            return values.lanes;
        }

        /** Number of records that a share consumer requests. */
        public int pollRecords() {
            return values.pollRecords;
        }

        /** {@code share.acquire.mode} of the share consumers. */
        public String acquireMode() {
            return values.acquireMode;
        }

        /** Configured number of records processed at once. */
        public int workers() {
            return values.workers;
        }

        /** The limit that currently bounds the member's rate. */
        public Limit limit() {
            return values.limit;
        }

        /**
         * Acquired offsets of unreadable batches that were skipped ({@code unreadable}): rejected, so that no member
         * receives them again. Counted only on {@link FetchPath#LEAN}.
         */
        public List<RecordRange> skipped() {
            return values.skipped;
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
                long accepted,
                long released,
                long rejected,
                long renewed,
                long redelivered,
                long lockExpired,
                long failedAcknowledgements,
                long neverBegun,
                long parked,
                long emptiedAnswers,
                int waiting,
                int inHand,
                long lag,
                int lanes,
                int pollRecords,
                String acquireMode,
                int workers,
                Limit limit,
                List<RecordRange> skipped) {

            Values {
                Objects.requireNonNull(acquireMode, "acquireMode");
                Objects.requireNonNull(limit, "limit");
            }
        }
    }

    /** The limit that bounds a member's rate. */
    final class Limit {

        private final Parts values;

        private Limit(String kind, String name, String sentence, String advice, double expectedGain) {
            this.values = new Parts(kind, name, sentence, advice, expectedGain);
        }

        /** Creates a limit for tests of code that reads one. */
        public static Limit of(String kind, String name, String sentence, String advice, double expectedGain) {
            return new Limit(kind, name, sentence, advice, expectedGain);
        }

        /**
         * One of {@code share-workers}, {@code share-credits}, {@code share-window}, {@code share-fetch-lock}, {@code
         * share-state}, {@code arrival}.
         */
        public String kind() {
            return values.kind;
        }

        /** The name of the limiting resource. */
        public String name() {
            return values.name;
        }

        /** The evidence, for people. */
        public String sentence() {
            return values.sentence;
        }

        /** The advice for lifting the limit. */
        public String advice() {
            return values.advice;
        }

        /** The expected rate after that, as a multiple of the current rate; 1 if there is nothing to gain. */
        public double expectedGain() {
            return values.expectedGain;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Limit that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("Parts", "Limit");
        }

        private record Parts(String kind, String name, String sentence, String advice, double expectedGain) {

            Parts {
                Objects.requireNonNull(kind, "kind");
                Objects.requireNonNull(name, "name");
                Objects.requireNonNull(sentence, "sentence");
                Objects.requireNonNull(advice, "advice");
            }
        }
    }
}
