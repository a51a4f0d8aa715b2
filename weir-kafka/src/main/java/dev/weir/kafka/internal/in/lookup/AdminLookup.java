package dev.weir.kafka.internal.in.lookup;

import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription.Matching;
import dev.weir.kafka.Subscription.Partitions;
import dev.weir.kafka.Subscription.Selection;
import dev.weir.kafka.Subscription.Topics;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.LeaderNotAvailableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Queries brokers with an admin client. Creates the admin client for the first query. Thread-safe. */
public final class AdminLookup implements Lookup {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

    private final Map<String, Object> config;
    private final IsolationLevel isolation;
    private final ReentrantLock lock = new ReentrantLock();

    private final Set<LogComparison> comparisons = ConcurrentHashMap.newKeySet();

    // Guarded by the lock.
    private @Nullable Admin admin;
    private boolean closed;

    /**
     * Creates a lookup that is not connected.
     *
     * @param consumerConfig the consumer's configuration
     */
    public AdminLookup(Map<String, Object> consumerConfig) {
        config = new HashMap<>(consumerConfig);
        boolean committedOnly =
                "read_committed".equals(String.valueOf(consumerConfig.get(ConsumerConfig.ISOLATION_LEVEL_CONFIG)));
        isolation = committedOnly ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED;
    }

    private Admin admin() {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the pipeline has ended");
            }
            if (admin == null) {
                admin = Admin.create(config);
            }
            return admin;
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>First asks a broker which partitions have a leader. Without this check, Kafka's client would request a missing
     * leader thousands of times a second.
     */
    @Override
    public Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, Duration within) {
        return offsets(positions, options(isolation, within));
    }

    private static ListOffsetsOptions options(IsolationLevel isolation, Duration within) {
        return new ListOffsetsOptions(isolation).timeoutMs((int) within.toMillis());
    }

    private Map<TopicPartition, CompletionStage<Long>> offsets(
            Map<TopicPartition, Position> positions, ListOffsetsOptions options) {
        Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
        Map<TopicPartition, CompletableFuture<Long>> open = new HashMap<>();
        Set<String> topics = new HashSet<>();
        positions.forEach((id, position) -> {
            if (position instanceof Position.Offset given) {
                answers.put(id, CompletableFuture.completedStage(given.offset()));
            } else {
                CompletableFuture<Long> answer = new CompletableFuture<>();
                open.put(id, answer);
                answers.put(id, answer.minimalCompletionStage());
                topics.add(id.topic());
            }
        });
        if (!open.isEmpty()) {
            Map<TopicPartition, String> leaders = new HashMap<>();
            Map<String, Throwable> failures = new HashMap<>();
            Map<String, Integer> sizes = new HashMap<>();
            describe(topics, new DescribeTopicsOptions().timeoutMs(options.timeoutMs()), (name, topic, failure) -> {
                        if (topic == null) {
                            failures.put(name, Objects.requireNonNull(failure));
                        } else {
                            sizes.put(name, topic.partitions().size());
                            topic.partitions().forEach(each -> leader(name, each, leaders));
                        }
                    })
                    .whenComplete((done, refused) -> {
                        open.forEach((id, answer) -> {
                            Throwable failure = refused != null ? Thrown.unwrapped(refused) : failures.get(id.topic());
                            if (failure != null || !leaders.containsKey(id)) {
                                answer.completeExceptionally(unled(id, failure, sizes.getOrDefault(id.topic(), 0)));
                            }
                        });
                        askLeaders(positions, leaders, open, options);
                    });
        }
        return answers;
    }

    private static void leader(String topic, TopicPartitionInfo partition, Map<TopicPartition, String> leaders) {
        Node leader = partition.leader();
        if (leader != null && !leader.isEmpty()) {
            leaders.put(
                    new TopicPartition(topic, partition.partition()),
                    "broker " + leader.id() + " at " + leader.host() + ":" + leader.port());
        }
    }

    private static Throwable unled(TopicPartition id, @Nullable Throwable failure, int size) {
        if (failure instanceof UnknownTopicOrPartitionException) {
            return new UnknownTopicOrPartitionException("topic " + id.topic() + " does not exist", failure);
        }
        if (failure != null) {
            return failure;
        }
        return id.partition() < size
                ? new LeaderNotAvailableException("it has no leader")
                : new UnknownTopicOrPartitionException("topic " + id.topic() + " has " + size + " partitions");
    }

    private void askLeaders(
            Map<TopicPartition, Position> positions,
            Map<TopicPartition, String> leaders,
            Map<TopicPartition, CompletableFuture<Long>> open,
            ListOffsetsOptions options) {
        Map<TopicPartition, OffsetSpec> edges = new HashMap<>();
        Map<TopicPartition, OffsetSpec> times = new HashMap<>();
        open.forEach((id, answer) -> {
            if (!answer.isDone()) {
                Position position = positions.get(id);
                edges.put(id, position == Position.Edge.BEGINNING ? OffsetSpec.earliest() : OffsetSpec.latest());
                if (position instanceof Position.Time time) {
                    times.put(id, OffsetSpec.forTimestamp(time.instant().toEpochMilli()));
                }
            }
        });
        // Query the end offsets first, so that records written between the two queries are not skipped.
        AfterEnds afterEnds = new AfterEnds(times, options);
        ask(edges, options).forEach((id, edge) -> {
            CompletableFuture<Long> answer = Objects.requireNonNull(open.get(id));
            (times.containsKey(id) ? afterEnds.offset(id, edge) : edge).whenComplete((offset, failure) -> {
                if (failure == null) {
                    answer.complete(offset);
                } else {
                    answer.completeExceptionally(
                            Thrown.unwrapped(failure) instanceof TimeoutException late
                                    ? new TimeoutException("no answer from its leader, " + leaders.get(id), late)
                                    : Thrown.unwrapped(failure));
                }
            });
        });
    }

    private Map<TopicPartition, CompletionStage<Long>> ask(
            Map<TopicPartition, OffsetSpec> wanted, ListOffsetsOptions options) {
        Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
        if (wanted.isEmpty()) {
            return answers;
        }
        try {
            // One call suffices: the client queries each leader separately.
            ListOffsetsResult result = admin().listOffsets(wanted, options);
            wanted.keySet()
                    .forEach(id -> answers.put(
                            id, result.partitionResult(id).toCompletionStage().thenApply(info -> info.offset())));
        } catch (RuntimeException refused) {
            wanted.keySet().forEach(id -> answers.put(id, CompletableFuture.failedStage(refused)));
        }
        return answers;
    }

    /** Queries offsets by timestamp once the end offsets are known, for several partitions at a time. Thread-safe. */
    private final class AfterEnds {

        private final Map<TopicPartition, OffsetSpec> times;
        private final ListOffsetsOptions options;
        private Map<TopicPartition, CompletableFuture<Long>> waiting = new HashMap<>();

        AfterEnds(Map<TopicPartition, OffsetSpec> times, ListOffsetsOptions options) {
            this.times = times;
            this.options = options;
        }

        CompletionStage<Long> offset(TopicPartition id, CompletionStage<Long> end) {
            return end.thenCompose(at -> {
                CompletableFuture<Long> first = new CompletableFuture<>();
                synchronized (this) {
                    waiting.put(id, first);
                }
                ForkJoinPool.commonPool().execute(this::askAll);
                // A negative offset means that no record has this timestamp or a later one.
                return first.thenApply(offset -> offset < 0 ? at : offset);
            });
        }

        private void askAll() {
            Map<TopicPartition, CompletableFuture<Long>> asked;
            synchronized (this) {
                asked = waiting;
                waiting = new HashMap<>();
            }
            Map<TopicPartition, OffsetSpec> wanted = new HashMap<>(times);
            wanted.keySet().retainAll(asked.keySet());
            ask(wanted, options)
                    .forEach((id, answer) -> answer.whenComplete((offset, failure) -> {
                        CompletableFuture<Long> first = asked.get(id);
                        if (first != null && failure == null) {
                            first.complete(offset);
                        } else if (first != null) {
                            first.completeExceptionally(Thrown.unwrapped(failure));
                        }
                    }));
        }
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> highWatermarks(Collection<TopicPartition> ids, Duration within) {
        if (isolation == IsolationLevel.READ_UNCOMMITTED) {
            return Map.of();
        }
        Map<TopicPartition, Position> ends = ids.stream().collect(Collectors.toMap(id -> id, id -> Position.end()));
        return offsets(ends, options(IsolationLevel.READ_UNCOMMITTED, within));
    }

    @Override
    public Map<TopicPartition, CompletionStage<Long>> divergentOffsets(
            Map<TopicPartition, OffsetAndMetadata> positions, Duration within) {
        try {
            LogComparison comparison = new LogComparison(positions, within);
            comparisons.removeIf(LogComparison::isDone);
            comparisons.add(comparison);
            return comparison.ask(admin(), config);
        } catch (RuntimeException refused) {
            Map<TopicPartition, CompletionStage<Long>> answers = new HashMap<>();
            positions.keySet().forEach(id -> answers.put(id, CompletableFuture.failedStage(refused)));
            return answers;
        }
    }

    @Override
    public CompletionStage<String> openTransaction(TopicPartition id, Duration within) {
        try {
            return new OpenProducer(admin(), within).of(id);
        } catch (RuntimeException refused) {
            return CompletableFuture.failedStage(refused);
        }
    }

    @Override
    public CompletionStage<Described> partitions(Selection selection) {
        return switch (selection) {
            case Partitions given -> CompletableFuture.completedStage(new Described(given.ids(), Map.of()));
            case Topics topics -> describe(topics.names());
            case Matching matching -> {
                Predicate<String> matches = Pattern.compile(matching.regex()).asMatchPredicate();
                yield topics().thenCompose(
                                names -> describe(names.stream().filter(matches).toList()))
                        .thenApply(AdminLookup::withoutMissing);
            }
        };
    }

    /** Removes the failures of topics that were deleted after they were listed. */
    private static Described withoutMissing(Described described) {
        Map<String, Throwable> failures = new HashMap<>(described.failures());
        failures.values().removeIf(UnknownTopicOrPartitionException.class::isInstance);
        return new Described(described.ids(), failures);
    }

    private CompletionStage<Described> describe(Collection<String> topics) {
        Set<TopicPartition> ids = new HashSet<>();
        Map<String, Throwable> failures = new HashMap<>();
        return describe(topics, new DescribeTopicsOptions(), (name, topic, failure) -> {
                    if (topic == null) {
                        failures.put(name, Objects.requireNonNull(failure));
                    } else {
                        topic.partitions().forEach(each -> ids.add(new TopicPartition(name, each.partition())));
                    }
                })
                .thenApply(done -> new Described(Set.copyOf(ids), Map.copyOf(failures)));
    }

    private interface TopicAnswer {
        void of(String name, @Nullable TopicDescription topic, @Nullable Throwable failure);
    }

    /** Describes the topics and passes each result to {@code answer}, one topic at a time. */
    private CompletionStage<Void> describe(
            Collection<String> topics, DescribeTopicsOptions options, TopicAnswer answer) {
        try {
            CompletionStage<Void> told = CompletableFuture.completedStage(null);
            for (var each :
                    admin().describeTopics(topics, options).topicNameValues().entrySet()) {
                CompletionStage<Void> before = told;
                told = each.getValue()
                        .toCompletionStage()
                        .handle((topic, failure) -> before.thenAccept(done -> answer.of(
                                each.getKey(),
                                failure == null ? topic : null,
                                failure == null ? null : Thrown.unwrapped(failure))))
                        .thenCompose(done -> done);
            }
            return told;
        } catch (RuntimeException refused) {
            return CompletableFuture.failedStage(refused);
        }
    }

    @Override
    public Map<String, CompletionStage<Uuid>> topicIds(Collection<String> topics, Duration within) {
        Map<String, CompletionStage<Uuid>> ids = new HashMap<>();
        try {
            admin().describeTopics(topics, new DescribeTopicsOptions().timeoutMs((int) within.toMillis()))
                    .topicNameValues()
                    .forEach((name, answer) ->
                            ids.put(name, answer.toCompletionStage().thenApply(TopicDescription::topicId)));
        } catch (RuntimeException refused) {
            topics.forEach(name -> ids.put(name, CompletableFuture.failedStage(refused)));
        }
        return ids;
    }

    @Override
    public CompletionStage<Set<String>> topics() {
        try {
            return admin().listTopics().names().toCompletionStage();
        } catch (RuntimeException refused) {
            return CompletableFuture.failedStage(refused);
        }
    }

    @Override
    public CompletionStage<Map<TopicPartition, OffsetAndMetadata>> commits(String group) {
        try {
            return admin().listConsumerGroupOffsets(group)
                    .partitionsToOffsetAndMetadata()
                    .toCompletionStage()
                    .thenApply(offsets -> {
                        Map<TopicPartition, OffsetAndMetadata> commits = new HashMap<>(offsets);
                        commits.values().removeIf(Objects::isNull);
                        return commits;
                    });
        } catch (RuntimeException refused) {
            return CompletableFuture.failedStage(refused);
        }
    }

    /** Returns the committed offsets of a group. */
    public CompletionStage<Map<TopicPartition, Long>> committed(String group) {
        return commits(group).thenApply(commits -> {
            Map<TopicPartition, Long> offsets = new HashMap<>();
            commits.forEach((id, commit) -> offsets.put(id, commit.offset()));
            return offsets;
        });
    }

    @Override
    public void close() {
        Admin closing;
        lock.lock();
        try {
            closed = true;
            closing = admin;
        } finally {
            lock.unlock();
        }
        comparisons.forEach(LogComparison::cancel);
        if (closing != null) {
            closing.close(CLOSE_TIMEOUT);
        }
    }
}
