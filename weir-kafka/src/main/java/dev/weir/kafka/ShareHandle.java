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

        /** A builder whose numbers are 0 and whose other values are empty. */
        public static Builder builder() {
            return new Builder();
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

        /** Number of group members of this run: one, or the share consumers of Kafka's client. */
        public int lanes() {
            return values.lanes;
        }

        /** Number of records that each of them may have acquired at once. */
        public int pollRecords() {
            return values.pollRecords;
        }

        /** Their {@code share.acquire.mode}. */
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

        /** Gathers counts; in a run the engine does, elsewhere tests of code that reads them. Not thread-safe. */
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

            /** Freezes the values. */
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
