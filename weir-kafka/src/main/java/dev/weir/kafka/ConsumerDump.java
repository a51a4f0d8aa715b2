package dev.weir.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The facts that explain a consumer's position: partitions, buffers, waits and troubles. Immutable. */
public final class ConsumerDump {

    private final Values values;

    private ConsumerDump(
            Instant at,
            String reads,
            String state,
            Duration sinceLastPoll,
            int assignments,
            int rebalances,
            long commits,
            long failedCommits,
            List<PartitionDump> partitions,
            @Nullable Instant noAnswerSince,
            List<String> troubles,
            long decodeNanos,
            int decodeThreads,
            long throttledNanos) {
        this.values = new Values(
                at,
                reads,
                state,
                sinceLastPoll,
                assignments,
                rebalances,
                commits,
                failedCommits,
                partitions,
                noAnswerSince,
                List.copyOf(troubles),
                decodeNanos,
                decodeThreads,
                throttledNanos);
    }

    /** Creates a dump without stage troubles, for tests of code that reads one. */
    public static ConsumerDump of(
            Instant at,
            String reads,
            String state,
            Duration sinceLastPoll,
            int assignments,
            int rebalances,
            long commits,
            long failedCommits,
            List<PartitionDump> partitions,
            @Nullable Instant noAnswerSince) {
        return of(
                at,
                reads,
                state,
                sinceLastPoll,
                assignments,
                rebalances,
                commits,
                failedCommits,
                partitions,
                noAnswerSince,
                List.of());
    }

    /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
    public static ConsumerDump of(
            Instant at,
            String reads,
            String state,
            Duration sinceLastPoll,
            int assignments,
            int rebalances,
            long commits,
            long failedCommits,
            List<PartitionDump> partitions,
            @Nullable Instant noAnswerSince,
            List<String> troubles) {
        return new ConsumerDump(
                at,
                reads,
                state,
                sinceLastPoll,
                assignments,
                rebalances,
                commits,
                failedCommits,
                partitions,
                noAnswerSince,
                Objects.requireNonNull(troubles, "troubles"),
                0,
                1,
                0);
    }

    /** Returns a copy with other values of {@link #decodeNanos} and {@link #decodeThreads}. */
    public ConsumerDump withDecoding(long nanos, int threads) {
        return new ConsumerDump(
                values.at,
                values.reads,
                values.state,
                values.sinceLastPoll,
                values.assignments,
                values.rebalances,
                values.commits,
                values.failedCommits,
                values.partitions,
                values.noAnswerSince,
                values.troubles,
                nanos,
                threads,
                values.throttledNanos);
    }

    /** Returns a copy with another value of {@link #throttledNanos}. */
    public ConsumerDump withThrottledNanos(long nanos) {
        return new ConsumerDump(
                values.at,
                values.reads,
                values.state,
                values.sinceLastPoll,
                values.assignments,
                values.rebalances,
                values.commits,
                values.failedCommits,
                values.partitions,
                values.noAnswerSince,
                values.troubles,
                values.decodeNanos,
                values.decodeThreads,
                nanos);
    }

    /** The time of this dump. */
    public Instant at() {
        return values.at;
    }

    /** Its subscription. */
    public String reads() {
        return values.reads;
    }

    /** Its state: running, stopped (nothing more is emitted), or closed. */
    public String state() {
        return values.state;
    }

    /** The time since the client was last polled; the group expels a member after {@code max.poll.interval.ms}. */
    public Duration sinceLastPoll() {
        return values.sinceLastPoll;
    }

    /** The number of partition assignments so far. */
    public int assignments() {
        return values.assignments;
    }

    /** The number of times that partitions were revoked or lost. */
    public int rebalances() {
        return values.rebalances;
    }

    /** Commits that succeeded so far. */
    public long commits() {
        return values.commits;
    }

    /** Commits that failed so far, each of them retried. */
    public long failedCommits() {
        return values.failedCommits;
    }

    /** The assigned partitions. */
    public List<PartitionDump> partitions() {
        return values.partitions;
    }

    /** See {@link ConsumerHealth#noAnswerSince}. */
    public @Nullable Instant noAnswerSince() {
        return values.noAnswerSince;
    }

    /**
     * One sentence per downstream stage without progress, prefixed with the stage's name: for example, a producer that
     * has had no answer for long, with the brokers' error. {@link #why} includes them.
     */
    public List<String> troubles() {
        return values.troubles;
    }

    /**
     * The time spent so far by a decoder of views on the fetch threads, estimated from samples; 0 without such a
     * decoder, since deserializers run in the source's stage.
     */
    public long decodeNanos() {
        return values.decodeNanos;
    }

    /** The number of fetch threads, on which a decoder of views runs. */
    public int decodeThreads() {
        return values.decodeThreads;
    }

    /**
     * The total time for which broker quotas have throttled fetches so far. On the client path it is derived from the
     * client's average metrics.
     */
    public long throttledNanos() {
        return values.throttledNanos;
    }

    /** The reason why a partition is not fetched or emits no records. */
    public enum Paused {
        /**
         * The pipeline cannot keep up: the partition has {@link ConsumerSettings#maxOutstandingRecords} unfinished
         * records.
         */
        WINDOW("window full"),
        /**
         * The pipeline cannot keep up: unfinished records fill the partition's part of
         * {@link ConsumerSettings#bufferBytes}, or all partitions together fill it.
         */
        BUDGET("memory budget full"),
        /** A user has paused the partition. */
        USER("paused by a user"),
        /** The next record is not due yet, as in a retry topic. */
        NOT_DUE("next record not due yet"),
        /** The start position is not known yet. */
        STARTING("position not known yet"),
        /**
         * An open transaction holds up a partition read with {@code isolation.level=read_committed}: records have
         * waited behind its last stable offset for 60 to 90 seconds. {@link PartitionDump#trouble} names the
         * transaction's producer. Weir does not end the transaction.
         */
        OPEN_TRANSACTION("held up by an open transaction of another producer"),
        /** No pipeline of a reusable consumer reads the partition. */
        UNREAD("no pipeline reads it"),
        /** The partition has been read to its requested end, or the consumer was stopped. */
        END("at the end that was asked for, or stopped");

        private final String words;

        Paused(String words) {
            this.words = words;
        }

        /** Describes the dump for people. */
        public String words() {
            return words;
        }
    }

    /**
     * Explains for people why records do not flow: no broker answers, the {@link #troubles} of stages, and one sentence
     * for each partition that is paused or has an unfinished record.
     */
    public List<String> why() {
        List<String> sentences = new ArrayList<>();
        if (values.noAnswerSince != null) {
            sentences.add(ConsumerHealth.noAnswer(values.noAnswerSince));
        }
        sentences.addAll(values.troubles);
        if (values.partitions.isEmpty()) {
            sentences.add(
                    values.assignments == 0
                            ? "no partition is assigned: not yet a member of the group"
                            : "no partition is assigned: other members have them all");
        }
        for (PartitionDump dump : values.partitions) {
            PartitionDump.PartitionValues partition = dump.values;
            Oldest oldest = partition.oldest;
            List<String> causes = new ArrayList<>();
            partition.paused.stream()
                    .sorted()
                    .forEach(reason -> causes.add(
                            partition.trouble != null
                                            && (reason == Paused.STARTING || reason == Paused.OPEN_TRANSACTION)
                                    ? reason.words + " (" + partition.trouble + ")"
                                    : reason.words));
            if (oldest != null) {
                causes.add(String.format(
                        Locale.ROOT,
                        "offset %d unfinished for %.1f s, %s",
                        oldest.offset(),
                        oldest.age().toMillis() / 1e3,
                        oldest.stage()));
            }
            if (!causes.isEmpty()) {
                sentences.add(partition.topic + "-" + partition.partition + ": " + String.join(", ", causes));
            }
        }
        return sentences;
    }

    /** Dump of one assigned partition. */
    public static final class PartitionDump {

        private final PartitionValues values;

        private PartitionDump(
                String topic,
                int partition,
                int epoch,
                int buffered,
                int inFlight,
                @Nullable Oldest oldest,
                Set<Paused> paused,
                long committed,
                @Nullable Duration sinceCommit,
                long position,
                long lag,
                @Nullable Duration lagTime,
                @Nullable String trouble) {
            this(new PartitionValues(
                    topic,
                    partition,
                    epoch,
                    buffered,
                    inFlight,
                    oldest,
                    paused,
                    committed,
                    sinceCommit,
                    position,
                    lag,
                    lagTime,
                    trouble,
                    Duration.ZERO,
                    Duration.ZERO));
        }

        private PartitionDump(PartitionValues values) {
            this.values = values;
        }

        /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
        public static PartitionDump of(
                String topic,
                int partition,
                int epoch,
                int buffered,
                int inFlight,
                @Nullable Oldest oldest,
                Set<Paused> paused,
                long committed,
                @Nullable Duration sinceCommit,
                long position,
                long lag,
                @Nullable Duration lagTime,
                @Nullable String trouble) {
            return new PartitionDump(
                    topic,
                    partition,
                    epoch,
                    buffered,
                    inFlight,
                    oldest,
                    paused,
                    committed,
                    sinceCommit,
                    position,
                    lag,
                    lagTime,
                    trouble);
        }

        /** Returns a copy with other values of {@link #windowFull} and {@link #budgetFull}. */
        public PartitionDump withFull(Duration window, Duration budget) {
            PartitionValues from = values;
            return new PartitionDump(new PartitionValues(
                    from.topic,
                    from.partition,
                    from.epoch,
                    from.buffered,
                    from.inFlight,
                    from.oldest,
                    from.paused,
                    from.committed,
                    from.sinceCommit,
                    from.position,
                    from.lag,
                    from.lagTime,
                    from.trouble,
                    Objects.requireNonNull(window, "window"),
                    Objects.requireNonNull(budget, "budget")));
        }

        /** Its topic. */
        public String topic() {
            return values.topic;
        }

        /** Its number. */
        public int partition() {
            return values.partition;
        }

        /** The number of the assignment that added the partition, see {@link ConsumerDump#assignments}. */
        public int epoch() {
            return values.epoch;
        }

        /** Records fetched that the pipeline has not pulled. */
        public int buffered() {
            return values.buffered;
        }

        /** Pulled records that are unfinished, or that finished after an unfinished one. */
        public int inFlight() {
            return values.inFlight;
        }

        /** The first unfinished record, if there is one. */
        public @Nullable Oldest oldest() {
            return values.oldest;
        }

        /** The reason why the partition is paused; empty if it is not. */
        public Set<Paused> paused() {
            return values.paused;
        }

        /** The offset last committed in this assignment, or -1. */
        public long committed() {
            return values.committed;
        }

        /** The time since that commit. */
        public @Nullable Duration sinceCommit() {
            return values.sinceCommit;
        }

        /** The offset of the next fetch, or -1 if not known. */
        public long position() {
            return values.position;
        }

        /** Records between the first unfinished one and the end of the partition, or -1 if not known. */
        public long lag() {
            return values.lag;
        }

        /**
         * The age of the first unfinished record, by its own timestamp. Zero if the partition has no lag; null if none
         * of the remaining records was fetched yet or the record has no timestamp.
         */
        public @Nullable Duration lagTime() {
            return values.lagTime;
        }

        /** The total time paused for {@link Paused#WINDOW} so far, including pauses between two readings. */
        public Duration windowFull() {
            return values.windowFull;
        }

        /** The total time paused for {@link Paused#BUDGET} so far. */
        public Duration budgetFull() {
            return values.budgetFull;
        }

        /**
         * The reason why no broker can give a start position, or the transaction that holds the partition up; null if
         * there is no such trouble.
         */
        public @Nullable String trouble() {
            return values.trouble;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof PartitionDump that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("PartitionValues", "PartitionDump");
        }

        private record PartitionValues(
                String topic,
                int partition,
                int epoch,
                int buffered,
                int inFlight,
                @Nullable Oldest oldest,
                Set<Paused> paused,
                long committed,
                @Nullable Duration sinceCommit,
                long position,
                long lag,
                @Nullable Duration lagTime,
                @Nullable String trouble,
                Duration windowFull,
                Duration budgetFull) {}
    }

    /** The first unfinished record of a partition. No later offset can be committed before it is finished. */
    public static final class Oldest {

        /** The value of {@link #stage} for a record that the pipeline has not pulled. */
        public static final String BUFFERED = "buffered";

        /** The beginning of {@link #stage} for a record that the pipeline has pulled. */
        public static final String IN_FLIGHT = "in flight";

        private final OldestValues values;

        private Oldest(long offset, Duration age, @Nullable Integer keyHash, String stage) {
            this.values = new OldestValues(offset, age, keyHash, stage);
        }

        /** Creates an instance for tests of code that reads it. In a run the engine creates it. */
        public static Oldest of(long offset, Duration age, @Nullable Integer keyHash, String stage) {
            return new Oldest(offset, age, keyHash, stage);
        }

        /** Its offset. */
        public long offset() {
            return values.offset;
        }

        /** The time for which it has been the first unfinished record, accurate to about a tenth of a second. */
        public Duration age() {
            return values.age;
        }

        /**
         * The default partitioner's murmur2 hash of the record's key, so that dumps need not show keys. Null if the
         * record has no key, or if the hash is not known: a stage has mapped the record to something else, or cannot
         * tell. A typed key has a known hash only if it is a string; its UTF-8 bytes are hashed.
         */
        public @Nullable Integer keyHash() {
            return values.keyHash;
        }

        /**
         * The record's place: {@value #BUFFERED} before it is pulled, or {@value #IN_FLIGHT} with the stage that has it
         * and whether it waits there, if known.
         */
        public String stage() {
            return values.stage;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Oldest that && values.equals(that.values);
        }

        @Override
        public int hashCode() {
            return values.hashCode();
        }

        @Override
        public String toString() {
            return values.toString().replaceFirst("OldestValues", "Oldest");
        }

        private record OldestValues(
                long offset, Duration age, @Nullable Integer keyHash, String stage) {}
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ConsumerDump that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "ConsumerDump");
    }

    private record Values(
            Instant at,
            String reads,
            String state,
            Duration sinceLastPoll,
            int assignments,
            int rebalances,
            long commits,
            long failedCommits,
            List<PartitionDump> partitions,
            @Nullable Instant noAnswerSince,
            List<String> troubles,
            long decodeNanos,
            int decodeThreads,
            long throttledNanos) {}
}
