package dev.weir.kafka;

import dev.weir.kafka.ConsumerSnapshot.RecordRange;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A view of a running share group member; see {@link dev.weir.stream.RunningPipeline#handles}. Thread-safe. After the
 * end of the pipeline, the handle returns the last state.
 */
public interface ShareHandle {

    /** Takes a snapshot without blocking. */
    Snapshot snapshot();

    /**
     * Returns the values for health probes, without blocking. The member is live until the pipeline ends. It is ready
     * while the group has assigned partitions to it; with {@link FetchPath#CLIENT}, from the first assignment on. It is
     * progressing unless a downstream stage reports a lack of progress, such as a producer without responses.
     */
    ConsumerHealth health();

    /** The current state of the member, and the numbers of records since its start. */
    final class Snapshot {

        private final Values values;

        private Snapshot(Values values) {
            this.values = values;
        }

        /** Returns a builder in which all numbers are 0 and all other values are empty. */
        public static Builder builder() {
            return new Builder();
        }
        /** Returns the number of accepted records, as confirmed by the brokers. */
        public long accepted() {
            return values.accepted;
        }

        /** Returns the number of records released for another delivery, as confirmed by the brokers. */
        public long released() {
            return values.released;
        }

        /** Returns the number of rejected records, as confirmed by the brokers. They are never delivered again. */
        public long rejected() {
            return values.rejected;
        }

        /** Returns the number of acquisition locks renewed while the pipeline worked on their records. */
        public long renewed() {
            return values.renewed;
        }

        /** Returns the number of records received with a delivery count above 1. */
        public long redelivered() {
            return values.redelivered;
        }

        /**
         * Returns the number of acquisition locks that expired, or were lost with their broker, before their records
         * were finished.
         */
        public long lockExpired() {
            return values.lockExpired;
        }

        /** Returns the number of acknowledgements refused by the brokers. Their records are delivered again. */
        public long failedAcknowledgements() {
            return values.failedAcknowledgements;
        }

        /**
         * Returns the number of acquired records that were released, or lost their lock, before the pipeline pulled
         * them.
         */
        public long neverBegun() {
            return values.neverBegun;
        }

        /**
         * Returns the number of records copied to the parking topic or dead-letter topic before their last deliveries.
         */
        public long parked() {
            return values.parked;
        }

        /**
         * Returns the number of fetches that returned no records because of a quota. Brokers may still have acquired
         * records for such a fetch, which counts as a delivery of these records. Recorded only with
         * {@link FetchPath#LEAN}.
         */
        public long emptiedAnswers() {
            return values.emptiedAnswers;
        }

        /** Returns the number of acquired records that the pipeline has not pulled. */
        public int waiting() {
            return values.waiting;
        }

        /** Returns the number of records that the pipeline has pulled but not finished. */
        public int inHand() {
            return values.inHand;
        }

        /** Returns the number of records not yet delivered to the group, or -1 if unknown. */
        public long lag() {
            return values.lag;
        }

        /**
         * Returns the number of this run's members: one with {@link FetchPath#LEAN}, or the number of share consumers
         * with {@link FetchPath#CLIENT}.
         */
        public int lanes() {
            return values.lanes;
        }

        /** Returns the maximum number of acquired records per member. */
        public int pollRecords() {
            return values.pollRecords;
        }

        /** Returns the members' {@code share.acquire.mode}. */
        public String acquireMode() {
            return values.acquireMode;
        }

        /** Returns the configured number of records processed concurrently. */
        public int workers() {
            return values.workers;
        }

        /** Returns the current limit of the member's rate. */
        public Limit limit() {
            return values.limit;
        }

        /**
         * Returns the offsets of skipped unreadable batches, with the {@linkplain RecordRange#reason reason}
         * {@code unreadable}. They were rejected, and no member receives them again. Recorded only with
         * {@link FetchPath#LEAN}.
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

        /**
         * Builds a snapshot. Weir uses it during a run; tests can use it to create input for code that reads snapshots.
         * Not thread-safe.
         */
        public static final class Builder {

            private long accepted;
            private long released;
            private long rejected;
            private long renewed;
            private long redelivered;
            private long lockExpired;
            private long failedAcknowledgements;
            private long neverBegun;
            private long parked;
            private long emptiedAnswers;
            private int waiting;
            private int inHand;
            private long lag;
            private int lanes;
            private int pollRecords;
            private String acquireMode = "";
            private int workers;
            private Limit limit = Limit.of("arrival", "", "", "", 1);
            private List<RecordRange> skipped = List.of();

            private Builder() {}

            /** See {@link Snapshot#accepted()}. */
            public Builder accepted(long value) {
                accepted = value;
                return this;
            }

            /** See {@link Snapshot#released()}. */
            public Builder released(long value) {
                released = value;
                return this;
            }

            /** See {@link Snapshot#rejected()}. */
            public Builder rejected(long value) {
                rejected = value;
                return this;
            }

            /** See {@link Snapshot#renewed()}. */
            public Builder renewed(long value) {
                renewed = value;
                return this;
            }

            /** See {@link Snapshot#redelivered()}. */
            public Builder redelivered(long value) {
                redelivered = value;
                return this;
            }

            /** See {@link Snapshot#lockExpired()}. */
            public Builder lockExpired(long value) {
                lockExpired = value;
                return this;
            }

            /** See {@link Snapshot#failedAcknowledgements()}. */
            public Builder failedAcknowledgements(long value) {
                failedAcknowledgements = value;
                return this;
            }

            /** See {@link Snapshot#neverBegun()}. */
            public Builder neverBegun(long value) {
                neverBegun = value;
                return this;
            }

            /** See {@link Snapshot#parked()}. */
            public Builder parked(long value) {
                parked = value;
                return this;
            }

            /** See {@link Snapshot#emptiedAnswers()}. */
            public Builder emptiedAnswers(long value) {
                emptiedAnswers = value;
                return this;
            }

            /** See {@link Snapshot#waiting()}. */
            public Builder waiting(int value) {
                waiting = value;
                return this;
            }

            /** See {@link Snapshot#inHand()}. */
            public Builder inHand(int value) {
                inHand = value;
                return this;
            }

            /** See {@link Snapshot#lag()}. */
            public Builder lag(long value) {
                lag = value;
                return this;
            }

            /** See {@link Snapshot#lanes()}. */
            public Builder lanes(int value) {
                lanes = value;
                return this;
            }

            /** See {@link Snapshot#pollRecords()}. */
            public Builder pollRecords(int value) {
                pollRecords = value;
                return this;
            }

            /** See {@link Snapshot#acquireMode()}. */
            public Builder acquireMode(String value) {
                acquireMode = Objects.requireNonNull(value, "value");
                return this;
            }

            /** See {@link Snapshot#workers()}. */
            public Builder workers(int value) {
                workers = value;
                return this;
            }

            /** See {@link Snapshot#limit()}. */
            public Builder limit(Limit value) {
                limit = Objects.requireNonNull(value, "value");
                return this;
            }

            /** See {@link Snapshot#skipped()}. */
            public Builder skipped(List<RecordRange> value) {
                skipped = List.copyOf(Objects.requireNonNull(value, "value"));
                return this;
            }

            /** Returns an immutable snapshot of the values set so far. */
            public Snapshot build() {
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
                        skipped));
            }
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

    /** The limit of a member's rate. */
    final class Limit {

        private final Parts values;

        private Limit(String kind, String name, String sentence, String advice, double expectedGain) {
            this.values = new Parts(kind, name, sentence, advice, expectedGain);
        }

        /** Creates a limit, for tests. */
        public static Limit of(String kind, String name, String sentence, String advice, double expectedGain) {
            return new Limit(kind, name, sentence, advice, expectedGain);
        }

        /**
         * Returns one of {@code share-workers}, {@code share-credits}, {@code share-window}, {@code share-fetch-lock},
         * {@code share-state}, {@code arrival}.
         */
        public String kind() {
            return values.kind;
        }

        /** Returns the name of the limiting resource. */
        public String name() {
            return values.name;
        }

        /** Returns the evidence for this limit, in a sentence. */
        public String sentence() {
            return values.sentence;
        }

        /** Returns advice on raising the limit. */
        public String advice() {
            return values.advice;
        }

        /**
         * Returns the rate expected after following the advice, as a multiple of the current rate; 1 if no gain is
         * expected.
         */
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
