package dev.weir.kafka;

import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A running member of a share group, as others may see it; found by {@link dev.weir.stream.RunningPipeline#handles}.
 * Thread-safe, valid for as long as the pipeline, after which it shows the last state.
 */
public interface ShareHandle {

    /** The counts so far. Does not block. */
    Snapshot snapshot();

    /**
     * The answers for a health probe. It is ready while the group has given it partitions; on {@link FetchPath#CLIENT}
     * once it has, as Kafka's client does not say when that ends. It is live until its pipeline ends: an error that
     * waiting does not cure ends that. It is progressing unless a stage below says that it makes no progress, as one
     * whose producer has had no answer for long. Does not block.
     */
    ConsumerHealth health();

    /** Counts of records since the start, and the state of the moment. */
    final class Snapshot {

        private final Values values;

        private Snapshot(Values values) {
            this.values = values;
        }

        /** For tests of code that reads one. */
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

        /** The same with another answer of {@link #skipped}. */
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

        /** The brokers have confirmed that they are done. */
        public long accepted() {
            return values.accepted;
        }

        /** Given back for another delivery, confirmed. */
        public long released() {
            return values.released;
        }

        /** Never to be delivered again, confirmed. */
        public long rejected() {
            return values.rejected;
        }

        /** Locks that were renewed while a handler worked. */
        public long renewed() {
            return values.renewed;
        }

        /** Came with a delivery count of more than 1. */
        public long redelivered() {
            return values.redelivered;
        }

        /** The lock ended before the work did, or was lost with its broker. */
        public long lockExpired() {
            return values.lockExpired;
        }

        /** The brokers refused; such records come again. */
        public long failedAcknowledgements() {
            return values.failedAcknowledgements;
        }

        /** Given back, or lost, before the pipeline took them. */
        public long neverBegun() {
            return values.neverBegun;
        }

        /** Copies that stand in the parking or dead-letter topic because the deliveries were nearly used up. */
        public long parked() {
            return values.parked;
        }

        /**
         * Fetches whose records the brokers acquired and then did not send, because of a quota: each uses up a delivery
         * of its records. Counted on {@link FetchPath#LEAN}, as Kafka's client does not show it.
         */
        public long emptiedAnswers() {
            return values.emptiedAnswers;
        }

        /** Acquired and not yet taken by the pipeline. */
        public int waiting() {
            return values.waiting;
        }

        /** Taken by the pipeline and not finished. */
        public int inHand() {
            return values.inHand;
        }

        /** Records of the group that are still to come, -1 if that is not known. */
        public long lag() {
            return values.lag;
        }

        /** Share consumers at work. */
        public int lanes() {
            return values.lanes;
        }

        /** Records that a share consumer asks for. */
        public int pollRecords() {
            return values.pollRecords;
        }

        /** {@code share.acquire.mode} of the share consumers. */
        public String acquireMode() {
            return values.acquireMode;
        }

        /** Records that the pipeline works on at once, as it was told. */
        public int workers() {
            return values.workers;
        }

        /** The limit that holds the member up. */
        public Limit limit() {
            return values.limit;
        }

        /**
         * Acquired offsets of batches that cannot be read and were left out ({@code unreadable}): rejected, so that no
         * member gets them again. Counted on {@link FetchPath#LEAN}.
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

    /** The limit that holds a member up. */
    final class Limit {

        private final Parts values;

        private Limit(String kind, String name, String sentence, String advice, double expectedGain) {
            this.values = new Parts(kind, name, sentence, advice, expectedGain);
        }

        /** For tests of code that reads one. */
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

        /** Name of the limiting thing. */
        public String name() {
            return values.name;
        }

        /** The evidence, for people. */
        public String sentence() {
            return values.sentence;
        }

        /** The advice that would lift it. */
        public String advice() {
            return values.advice;
        }

        /** The rate after that, in times of the rate now; 1 if nothing is to be gained. */
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
