package dev.weir.kafka.internal.in.position;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.spi.Lookup;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * The pending queries for the positions of partitions. Confined to the owner thread.
 *
 * <p>Each partition receives its result independently. A query without a response is repeated, with increasing delays,
 * while the partition is assigned. The reason is logged whenever it changes. A permanent failure ends the run.
 */
public final class OffsetQueries {

    private static final ConsumerLog LOG = ConsumerLog.of(OffsetQueries.class);

    /**
     * Timeout of the first query, doubled for each repetition. It is short, because only a new query finds a new
     * leader.
     */
    private static final long FIRST_TIMEOUT_SECONDS = 3;

    private static final long MAX_TIMEOUT_SECONDS = 60;
    private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_DELAY_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final int MAX_DOUBLINGS = 10;

    private static final int MAX_NAMES = 10;

    private static final class Query {

        final AssignedPartition partition;
        final List<Position> positions;
        final Consumer<List<Long>> then;
        final Runnable gone;

        int attempt;
        boolean underWay;
        long dueNanos;

        /** The reason for the last failure, or an empty string. */
        String trouble = "";

        /** The last logged reason. */
        String logged = "";

        Query(
                AssignedPartition partition,
                List<Position> positions,
                Consumer<List<Long>> then,
                Runnable gone,
                long dueNanos) {
            this.partition = partition;
            this.positions = positions;
            this.then = then;
            this.gone = gone;
            this.dueNanos = dueNanos;
        }
    }

    private final PartitionAssignment assignment;
    private final Lookup lookup;
    private final OwnerClock clock;
    private final Executor owner;
    private final TopicIds topicIds;
    private final Map<AssignedPartition, Query> queries = new LinkedHashMap<>();

    /**
     * Creates an object without any queries.
     *
     * @param owner the owner thread, which processes responses
     */
    OffsetQueries(PartitionAssignment assignment, Lookup lookup, OwnerClock clock, Executor owner, TopicIds topicIds) {
        this.topicIds = topicIds;
        this.assignment = assignment;
        this.lookup = lookup;
        this.clock = clock;
        this.owner = owner;
    }

    /**
     * Adds a query in place of a pending query for the partition. The query is sent once the partition's topic id is
     * known.
     *
     * @param positions the positions whose offsets are queried
     * @param then called with those offsets if the partition is still assigned
     * @param gone called instead of {@code then} if the partition is no longer assigned, or if the query is replaced
     */
    void add(AssignedPartition partition, List<Position> positions, Consumer<List<Long>> then, Runnable gone) {
        Query replaced = queries.put(partition, new Query(partition, positions, then, gone, clock.nanoTime()));
        if (replaced != null) {
            replaced.gone.run();
        }
        if (partition.topicId() == null) {
            topicIds.identify(partition, () -> {});
        }
    }

    private static boolean isDue(Query query, long now) {
        return !query.underWay && query.partition.topicId() != null && now - query.dueNanos >= 0;
    }

    /** Returns the reason why the partition's position is still unknown; null if no query has failed. */
    @Nullable
    String trouble(AssignedPartition partition) {
        Query query = queries.get(partition);
        return query == null || query.trouble.isEmpty() ? null : query.trouble;
    }

    long nanosUntilDue() {
        if (queries.isEmpty()) {
            return Long.MAX_VALUE; // the usual case
        }
        long now = clock.nanoTime();
        long least = Long.MAX_VALUE;
        for (Query query : queries.values()) {
            if (!query.underWay && query.partition.topicId() != null) {
                least = Math.min(least, Math.max(0, query.dueNanos - now));
            }
        }
        return least;
    }

    void askIfDue() {
        if (queries.isEmpty()) {
            return;
        }
        forgetGone();
        long now = clock.nanoTime();
        Map<Integer, List<Query>> due = new TreeMap<>();
        Map<String, List<TopicPartition>> troubled = new LinkedHashMap<>();
        for (Query query : queries.values()) {
            if (!query.trouble.equals(query.logged)) {
                query.logged = query.trouble;
                troubled.computeIfAbsent(query.trouble, each -> new ArrayList<>())
                        .add(query.partition.id());
            }
            if (isDue(query, now)) {
                query.underWay = true;
                due.computeIfAbsent(query.attempt, attempt -> new ArrayList<>()).add(query);
            }
        }
        troubled.forEach((trouble, ids) ->
                LOG.warn("no position yet of {}: {}; it is requested again and again", names(ids), trouble));
        due.forEach((attempt, several) -> ask(several, timeout(attempt)));
    }

    private static Duration timeout(int attempt) {
        return Duration.ofSeconds(
                Math.min(MAX_TIMEOUT_SECONDS, FIRST_TIMEOUT_SECONDS << Math.min(attempt, MAX_DOUBLINGS)));
    }

    private void forgetGone() {
        List<Query> gone = queries.values().stream()
                .filter(query -> !assignment.isCurrent(query.partition))
                .toList();
        for (Query query : gone) {
            queries.remove(query.partition);
            query.gone.run();
        }
    }

    private void ask(List<Query> several, Duration within) {
        Map<Query, CompletionStage<List<Long>>> answers = new LinkedHashMap<>();
        several.forEach(query -> answers.put(query, null));
        int most =
                several.stream().mapToInt(query -> query.positions.size()).max().orElse(0);
        for (int i = 0; i < most; i++) {
            int n = i;
            Map<TopicPartition, Position> wanted = new HashMap<>();
            for (Query query : several) {
                if (n < query.positions.size()) {
                    wanted.put(query.partition.id(), query.positions.get(n));
                }
            }
            Map<TopicPartition, CompletionStage<Long>> offsets = lookup.offsets(wanted, within);
            answers.replaceAll((query, before) -> n < query.positions.size()
                    ? and(before, Objects.requireNonNull(offsets.get(query.partition.id())))
                    : before);
        }
        answers.forEach((query, answer) ->
                answer.whenComplete((offsets, failure) -> owner.execute(() -> answered(query, offsets, failure))));
    }

    private static CompletionStage<List<Long>> and(
            @Nullable CompletionStage<List<Long>> before, CompletionStage<Long> next) {
        return before == null
                ? next.thenApply(List::of)
                : before.thenCombine(next, (offsets, offset) -> {
                    List<Long> all = new ArrayList<>(offsets);
                    all.add(offset);
                    return all;
                });
    }

    private void answered(Query query, @Nullable List<Long> offsets, @Nullable Throwable failure) {
        if (queries.get(query.partition) != query) {
            return;
        }
        if (!assignment.isCurrent(query.partition)) {
            queries.remove(query.partition);
            query.gone.run();
        } else if (offsets != null) {
            queries.remove(query.partition);
            if (!query.trouble.isEmpty()) {
                LOG.info("the position of {} is known now", query.partition);
            }
            query.then.accept(offsets);
        } else {
            retryLater(query, Objects.requireNonNull(failure));
        }
    }

    private void retryLater(Query query, Throwable failure) {
        Throwable cause = Thrown.unwrapped(failure);
        if (!(cause instanceof RetriableException)) {
            throw new KafkaPipelineException(
                    "cannot find out where to start " + query.partition + ": " + Thrown.message(cause), cause);
        }
        query.underWay = false;
        query.trouble = String.valueOf(Thrown.message(cause));
        query.dueNanos = clock.nanoTime()
                + Math.min(MAX_DELAY_NANOS, FIRST_DELAY_NANOS << Math.min(query.attempt, MAX_DOUBLINGS));
        query.attempt++;
    }

    /** Names the first few partitions and counts the others. */
    public static String names(Collection<TopicPartition> ids) {
        String names =
                ids.stream().limit(MAX_NAMES).map(TopicPartition::toString).collect(Collectors.joining(", "));
        return ids.size() <= MAX_NAMES ? names : names + " and " + (ids.size() - MAX_NAMES) + " more";
    }
}
