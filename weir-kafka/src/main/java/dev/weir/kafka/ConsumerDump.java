package dev.weir.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A detailed view of a consumer's state: its partitions and buffers, and the reasons why records are not processed.
 * Immutable.
 */
public final class ConsumerDump {

    private final Values values;

    private ConsumerDump(Values values) {
        this.values = values;
    }

    /** Returns a builder in which all numbers are 0 and all other values are empty. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts with these values. */
    public Builder toBuilder() {
        Builder builder = new Builder();
        builder.at = values.at;
        builder.reads = values.reads;
        builder.state = values.state;
        builder.sinceLastPoll = values.sinceLastPoll;
        builder.assignments = values.assignments;
        builder.rebalances = values.rebalances;
        builder.commits = values.commits;
        builder.failedCommits = values.failedCommits;
        builder.partitions = values.partitions;
        builder.noAnswerSince = values.noAnswerSince;
        builder.troubles = values.troubles;
        builder.decodeNanos = values.decodeNanos;
        builder.decodeThreads = values.decodeThreads;
        builder.throttledNanos = values.throttledNanos;
        return builder;
    }
    /** The time of this dump. */
    public Instant at() {
        return values.at;
    }

    /** The consumer's subscription. */
    public String reads() {
        return values.reads;
    }

    /** The consumer's state: running, stopped (no more records are emitted), or closed. */
    public String state() {
        return values.state;
    }

    /**
     * The time since the client was last polled. The group expels a member that has not polled for
     * {@code max.poll.interval.ms}.
     */
    public Duration sinceLastPoll() {
        return values.sinceLastPoll;
    }

    /** The number of partition assignments since the consumer started. */
    public int assignments() {
        return values.assignments;
    }

    /** The number of times that partitions were revoked or lost. */
    public int rebalances() {
        return values.rebalances;
    }

    /** The number of successful commits since the consumer started. */
    public long commits() {
        return values.commits;
    }

    /** The number of failed commits since the consumer started. Failed commits are retried. */
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
     * The problems of downstream stages that make no progress: a sentence per stage, after the stage's name. For
     * example, a producer that waits for brokers reports the state of its topics. {@link #why} includes these
     * sentences.
     */
    public List<String> troubles() {
        return values.troubles;
    }

    /**
     * The total time that the decoder of {@link KafkaSource#decodedBy} has spent so far, estimated from samples; 0 if
     * there is none. Does not include deserializers, which run in the source's stage.
     */
    public long decodeNanos() {
        return values.decodeNanos;
    }

    /** The number of fetch threads, which run the decoder of {@link KafkaSource#decodedBy}, if any. */
    public int decodeThreads() {
        return values.decodeThreads;
    }

    /**
     * The total time for which broker quotas have throttled fetches. With {@link FetchPath#CLIENT}, estimated from the
     * client's averages.
     */
    public long throttledNanos() {
        return values.throttledNanos;
    }

    /** The reason why a partition is not fetched or does not emit records. */
    public enum Paused {
        /**
         * The pipeline cannot keep up: the partition has {@link ConsumerSettings#maxOutstandingRecords} unfinished
         * records.
         */
        WINDOW("window full"),
        /**
         * The pipeline cannot keep up: the partition's unfinished records have used up its part of
         * {@link ConsumerSettings#bufferBytes}, or all unfinished records together have filled the buffer.
         */
        BUDGET("memory budget full"),
        /** A user has paused the partition. */
        USER("paused by a user"),
        /** The next record is not due yet, for example in a retry topic. */
        NOT_DUE("next record not due yet"),
        /** The start position is not known yet. */
        STARTING("position not known yet"),
        /**
         * Another producer's open transaction blocks the partition, which is read with
         * {@code isolation.level=read_committed}. Reported after 60 to 90 seconds. {@link PartitionDump#trouble}
         * identifies the producer. Weir does not end the transaction.
         */
        OPEN_TRANSACTION("held up by an open transaction of another producer"),
        /** No pipeline of the {@link ReusableConsumer} reads the partition. */
        UNREAD("no pipeline reads it"),
        /** The partition has been read to its requested end, or the consumer was stopped. */
        END("at the requested end, or stopped");

        private final String words;

        Paused(String words) {
            this.words = words;
        }

        /** The human-readable form of the reason. */
        public String words() {
            return words;
        }
    }

    /**
     * Explains why records do not flow, in one sentence per reason: no broker responds, no partition is assigned, each
     * of the {@link #troubles}, and each partition that is paused or has an unfinished record.
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

    /** The state of one assigned partition. Immutable. */
    public static final class PartitionDump {

        private final PartitionValues values;

        private PartitionDump(PartitionValues values) {
            this.values = values;
        }

        /** Returns a builder in which all numbers are 0 and all other values are empty. */
        public static Builder builder() {
            return new Builder();
        }

        /** Returns a builder that starts with these values. */
        public Builder toBuilder() {
            Builder builder = new Builder();
            builder.topic = values.topic;
            builder.partition = values.partition;
            builder.epoch = values.epoch;
            builder.buffered = values.buffered;
            builder.inFlight = values.inFlight;
            builder.oldest = values.oldest;
            builder.paused = values.paused;
            builder.committed = values.committed;
            builder.sinceCommit = values.sinceCommit;
            builder.position = values.position;
            builder.lag = values.lag;
            builder.lagTime = values.lagTime;
            builder.trouble = values.trouble;
            builder.windowFull = values.windowFull;
            builder.budgetFull = values.budgetFull;
            return builder;
        }
        /** The topic of the partition. */
        public String topic() {
            return values.topic;
        }

        /** The partition number. */
        public int partition() {
            return values.partition;
        }

        /** The sequence number of the assignment that added the partition; see {@link ConsumerDump#assignments}. */
        public int epoch() {
            return values.epoch;
        }

        /** The number of fetched records that the pipeline has not pulled. */
        public int buffered() {
            return values.buffered;
        }

        /**
         * The number of pulled records, starting with the first unfinished one. Includes later finished records,
         * because their offsets cannot be committed yet.
         */
        public int inFlight() {
            return values.inFlight;
        }

        /** The first unfinished record, or null if there is none. */
        public @Nullable Oldest oldest() {
            return values.oldest;
        }

        /** The reasons why the partition is paused, or an empty set if it is not paused. */
        public Set<Paused> paused() {
            return values.paused;
        }

        /** The offset last committed during this assignment, or -1 if there was no commit. */
        public long committed() {
            return values.committed;
        }

        /** The time since the last commit, or null if there was none. */
        public @Nullable Duration sinceCommit() {
            return values.sinceCommit;
        }

        /** The offset of the next fetch, or -1 if unknown. */
        public long position() {
            return values.position;
        }

        /** The number of records between the first unfinished record and the end of the partition, or -1 if unknown. */
        public long lag() {
            return values.lag;
        }

        /**
         * The age of the first unfinished record, according to its timestamp. Zero if there is no lag. Null if that
         * record was not fetched yet or has no timestamp.
         */
        public @Nullable Duration lagTime() {
            return values.lagTime;
        }

        /** The total time for which the partition has been paused for {@link Paused#WINDOW}. */
        public Duration windowFull() {
            return values.windowFull;
        }

        /** The total time for which the partition has been paused for {@link Paused#BUDGET}. */
        public Duration budgetFull() {
            return values.budgetFull;
        }

        /**
         * The reason why the start or end position is unknown, or the transaction that blocks the partition; otherwise
         * null.
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

        /**
         * Builds the dump of a partition. Weir uses it during a run; tests can use it to create input for code that
         * reads dumps. Not thread-safe.
         */
        public static final class Builder {

            private String topic = "";
            private int partition;
            private int epoch;
            private int buffered;
            private int inFlight;
            private @Nullable Oldest oldest;
            private Set<Paused> paused = Set.of();
            private long committed;
            private @Nullable Duration sinceCommit;
            private long position;
            private long lag;
            private @Nullable Duration lagTime;
            private @Nullable String trouble;
            private Duration windowFull = Duration.ZERO;
            private Duration budgetFull = Duration.ZERO;

            private Builder() {}

            /** See {@link PartitionDump#topic()}. */
            public Builder topic(String value) {
                topic = Objects.requireNonNull(value, "value");
                return this;
            }

            /** See {@link PartitionDump#partition()}. */
            public Builder partition(int value) {
                partition = value;
                return this;
            }

            /** See {@link PartitionDump#epoch()}. */
            public Builder epoch(int value) {
                epoch = value;
                return this;
            }

            /** See {@link PartitionDump#buffered()}. */
            public Builder buffered(int value) {
                buffered = value;
                return this;
            }

            /** See {@link PartitionDump#inFlight()}. */
            public Builder inFlight(int value) {
                inFlight = value;
                return this;
            }

            /** See {@link PartitionDump#oldest()}. */
            public Builder oldest(@Nullable Oldest value) {
                oldest = value;
                return this;
            }

            /** See {@link PartitionDump#paused()}. */
            public Builder paused(Set<Paused> value) {
                paused = Objects.requireNonNull(value, "value");
                return this;
            }

            /** See {@link PartitionDump#committed()}. */
            public Builder committed(long value) {
                committed = value;
                return this;
            }

            /** See {@link PartitionDump#sinceCommit()}. */
            public Builder sinceCommit(@Nullable Duration value) {
                sinceCommit = value;
                return this;
            }

            /** See {@link PartitionDump#position()}. */
            public Builder position(long value) {
                position = value;
                return this;
            }

            /** See {@link PartitionDump#lag()}. */
            public Builder lag(long value) {
                lag = value;
                return this;
            }

            /** See {@link PartitionDump#lagTime()}. */
            public Builder lagTime(@Nullable Duration value) {
                lagTime = value;
                return this;
            }

            /** See {@link PartitionDump#trouble()}. */
            public Builder trouble(@Nullable String value) {
                trouble = value;
                return this;
            }

            /** See {@link PartitionDump#windowFull()}. */
            public Builder windowFull(Duration value) {
                windowFull = Objects.requireNonNull(value, "value");
                return this;
            }

            /** See {@link PartitionDump#budgetFull()}. */
            public Builder budgetFull(Duration value) {
                budgetFull = Objects.requireNonNull(value, "value");
                return this;
            }

            /** Returns an immutable dump of the values set so far. */
            public PartitionDump build() {
                return new PartitionDump(new PartitionValues(
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
                        windowFull,
                        budgetFull));
            }
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

    /** The first unfinished record of a partition. No later offset can be committed until it is finished. */
    public static final class Oldest {

        /** The value of {@link #stage} for a record that the pipeline has not pulled. */
        public static final String BUFFERED = "buffered";

        /** The prefix of {@link #stage} for a record that the pipeline has pulled. */
        public static final String IN_FLIGHT = "in flight";

        private final OldestValues values;

        private Oldest(long offset, Duration age, @Nullable Integer keyHash, String stage) {
            this.values = new OldestValues(offset, age, keyHash, stage);
        }

        /** Creates an instance, for tests. */
        public static Oldest of(long offset, Duration age, @Nullable Integer keyHash, String stage) {
            return new Oldest(offset, age, keyHash, stage);
        }

        /** The offset of the record. */
        public long offset() {
            return values.offset;
        }

        /** The time for which the record has been the first unfinished one, to about a tenth of a second. */
        public Duration age() {
            return values.age;
        }

        /**
         * The murmur2 hash of the record's key, as computed by the default partitioner. A string key is hashed as
         * UTF-8. Null if the record has no key, or if its key is unknown.
         */
        public @Nullable Integer keyHash() {
            return values.keyHash;
        }

        /**
         * The record's location in the pipeline: {@value #BUFFERED} until it is pulled, and then a text that begins
         * with {@value #IN_FLIGHT}. The text also says in which stage the record is waiting or being processed, if
         * known.
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

    /**
     * Builds a dump. Weir uses it during a run; tests can use it to create input for code that reads dumps. Not
     * thread-safe.
     */
    public static final class Builder {

        private Instant at = Instant.EPOCH;
        private String reads = "";
        private String state = "running";
        private Duration sinceLastPoll = Duration.ZERO;
        private int assignments;
        private int rebalances;
        private long commits;
        private long failedCommits;
        private List<PartitionDump> partitions = List.of();
        private @Nullable Instant noAnswerSince;
        private List<String> troubles = List.of();
        private long decodeNanos;
        private int decodeThreads = 1;
        private long throttledNanos;

        private Builder() {}

        /** See {@link ConsumerDump#at()}. */
        public Builder at(Instant value) {
            at = Objects.requireNonNull(value, "value");
            return this;
        }

        /** See {@link ConsumerDump#reads()}. */
        public Builder reads(String value) {
            reads = Objects.requireNonNull(value, "value");
            return this;
        }

        /** See {@link ConsumerDump#state()}. */
        public Builder state(String value) {
            state = Objects.requireNonNull(value, "value");
            return this;
        }

        /** See {@link ConsumerDump#sinceLastPoll()}. */
        public Builder sinceLastPoll(Duration value) {
            sinceLastPoll = Objects.requireNonNull(value, "value");
            return this;
        }

        /** See {@link ConsumerDump#assignments()}. */
        public Builder assignments(int value) {
            assignments = value;
            return this;
        }

        /** See {@link ConsumerDump#rebalances()}. */
        public Builder rebalances(int value) {
            rebalances = value;
            return this;
        }

        /** See {@link ConsumerDump#commits()}. */
        public Builder commits(long value) {
            commits = value;
            return this;
        }

        /** See {@link ConsumerDump#failedCommits()}. */
        public Builder failedCommits(long value) {
            failedCommits = value;
            return this;
        }

        /** See {@link ConsumerDump#partitions()}. */
        public Builder partitions(List<PartitionDump> value) {
            partitions = List.copyOf(Objects.requireNonNull(value, "value"));
            return this;
        }

        /** See {@link ConsumerDump#noAnswerSince()}. */
        public Builder noAnswerSince(@Nullable Instant value) {
            noAnswerSince = value;
            return this;
        }

        /** See {@link ConsumerDump#troubles()}. */
        public Builder troubles(List<String> value) {
            troubles = List.copyOf(Objects.requireNonNull(value, "value"));
            return this;
        }

        /** See {@link ConsumerDump#decodeNanos()}. */
        public Builder decodeNanos(long value) {
            decodeNanos = value;
            return this;
        }

        /** See {@link ConsumerDump#decodeThreads()}. */
        public Builder decodeThreads(int value) {
            decodeThreads = value;
            return this;
        }

        /** See {@link ConsumerDump#throttledNanos()}. */
        public Builder throttledNanos(long value) {
            throttledNanos = value;
            return this;
        }

        /** Returns an immutable dump of the values set so far. */
        public ConsumerDump build() {
            return new ConsumerDump(new Values(
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
                    troubles,
                    decodeNanos,
                    decodeThreads,
                    throttledNanos));
        }
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
