package dev.weir.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All that tells why a consumer is where it is. Immutable. */
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

    /** For tests of code that reads one, about a run whose stages have no troubles. */
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

    /** Creates one for tests of code that reads it; in a run the engine creates it. */
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

    /** The same with other answers of {@link #decodeNanos} and {@link #decodeThreads}. */
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

    /** The same with another answer of {@link #throttledNanos}. */
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

    /** The time when this was so. */
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

    /** The number of times that partitions were assigned so far. */
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
     * Sentences of stages below that make no progress, each behind the name of its stage: a producer whose records have
     * had no answer for long, and what the brokers say about it. {@link #why} has them as well.
     */
    public List<String> troubles() {
        return values.troubles;
    }

    /**
     * The time that a decoder of views has taken so far on the threads that fetch, estimated from samples; 0 without
     * one, since deserializers work in the source's stage.
     */
    public long decodeNanos() {
        return values.decodeNanos;
    }

    /** The threads that fetch, and on which a decoder of views works. */
    public int decodeThreads() {
        return values.decodeThreads;
    }

    /**
     * The time for which brokers throttled the fetches so far, in sum over their answers: a quota is used up. Of the
     * official client it is derived from the means that it publishes.
     */
    public long throttledNanos() {
        return values.throttledNanos;
    }

    /** The reason for which nothing of a partition is fetched, or goes out. */
    public enum Paused {
        /** The pipeline cannot keep up: {@link ConsumerSettings#maxOutstandingRecords} of it are unfinished. */
        WINDOW("window full"),
        /**
         * The pipeline cannot keep up: the unfinished records fill its share of {@link ConsumerSettings#bufferBytes},
         * or all of it.
         */
        BUDGET("memory budget full"),
        /** A user has paused it. */
        USER("paused by a user"),
        /** Its next record is for later: a retry topic. */
        NOT_DUE("next record not due yet"),
        /** It is not yet known where to start. */
        STARTING("position not known yet"),
        /**
         * It is read with {@code isolation.level=read_committed}, and records have waited behind its last stable offset
         * for a minute, or up to half a minute longer: a transaction is open there. {@link PartitionDump#trouble} says
         * whose. Weir does not end it.
         */
        OPEN_TRANSACTION("held up by an open transaction of another producer"),
        /** No pipeline of a reusable consumer reads it. */
        UNREAD("no pipeline reads it"),
        /** It is read to the end that was asked for, or the consumer was stopped. */
        END("at the end that was asked for, or stopped");

        private final String words;

        Paused(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
        }
    }

    /**
     * The reason why not everything flows, for people: that no broker answers, if so, the {@link #troubles} of stages,
     * and a sentence for each partition that has a reason or an unfinished record.
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

    /** One assigned partition. */
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

        /** Creates one for tests of code that reads it; in a run the engine creates it. */
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

        /** The same with other answers of {@link #windowFull} and {@link #budgetFull}. */
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

        /** Number of the assignment that brought it, see {@link ConsumerDump#assignments}. */
        public int epoch() {
            return values.epoch;
        }

        /** Records fetched that the pipeline has not pulled. */
        public int buffered() {
            return values.buffered;
        }

        /** Records pulled and not finished, or finished after one that is not. */
        public int inFlight() {
            return values.inFlight;
        }

        /** The first unfinished record, if there is one. */
        public @Nullable Oldest oldest() {
            return values.oldest;
        }

        /** The reason why it stands still, empty if it does not. */
        public Set<Paused> paused() {
            return values.paused;
        }

        /** The offset last committed in this assignment, or -1. */
        public long committed() {
            return values.committed;
        }

        /** The time since then. */
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
         * The age of the first unfinished record, by its own timestamp; zero if none is behind; null if not known:
         * nothing of what is behind was fetched yet, or the record bears no timestamp.
         */
        public @Nullable Duration lagTime() {
            return values.lagTime;
        }

        /** The time for which it has stood still for {@link Paused#WINDOW} so far, also between two looks. */
        public Duration windowFull() {
            return values.windowFull;
        }

        /** The same for {@link Paused#BUDGET}. */
        public Duration budgetFull() {
            return values.budgetFull;
        }

        /**
         * The reason why no broker can say where to start, or which transaction holds it up, in words; null if one can,
         * or was asked just now, and none does.
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

    /** The first unfinished record of a partition, which keeps all after it from being committed. */
    public static final class Oldest {

        /** The stage of a record that the pipeline has not pulled. */
        public static final String BUFFERED = "buffered";

        /** The first words of the stage of a record that the pipeline has pulled. */
        public static final String IN_FLIGHT = "in flight";

        private final OldestValues values;

        private Oldest(long offset, Duration age, @Nullable Integer keyHash, String stage) {
            this.values = new OldestValues(offset, age, keyHash, stage);
        }

        /** Creates one for tests of code that reads it; in a run the engine creates it. */
        public static Oldest of(long offset, Duration age, @Nullable Integer keyHash, String stage) {
            return new Oldest(offset, age, keyHash, stage);
        }

        /** Its offset. */
        public long offset() {
            return values.offset;
        }

        /** The time for which it has been the first one, to a tenth of a second or so. */
        public Duration age() {
            return values.age;
        }

        /**
         * The default partitioner's hash of its key (murmur2), so that the keys themselves need not be shown; null if
         * it has no key, or if it is not known: the stage that has the record has made something else of it, or
         * cannot tell. Of a typed key it is known if that is a string, in UTF-8.
         */
        public @Nullable Integer keyHash() {
            return values.keyHash;
        }

        /**
         * The place it is at: {@value #BUFFERED}, not pulled yet; or {@value #IN_FLIGHT}, with the name of the stage
         * that has it, and whether it waits there, if that is known.
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
