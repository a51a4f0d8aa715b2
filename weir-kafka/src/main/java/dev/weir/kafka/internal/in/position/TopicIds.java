package dev.weir.kafka.internal.in.position;

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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * The topic ids of the assigned partitions, used to detect recreated topics (ADR 56). Confined to the owner thread.
 *
 * <p>An id is queried when a partition needs it, and then at intervals. A new id must be reported twice, because a
 * single response may come from a broker with outdated metadata.
 */
final class TopicIds {

    private static final ConsumerLog LOG = ConsumerLog.of(TopicIds.class);

    /** The interval between queries, as documented in configuration.md. Each assigned partition adds a millisecond. */
    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** The interval between queries if fetches also detect a recreated topic. A query costs 25 kB of garbage. */
    private static final long INTERVAL_FETCHED_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long NANOS_PER_PARTITION = TimeUnit.MILLISECONDS.toNanos(1);

    /** The delay before a query is repeated to confirm a response. */
    private static final long CONFIRM_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private static final long FIRST_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MAX_DOUBLINGS = 5;
    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(3);

    interface Listener {

        /** Reports that the partition's position belongs to a deleted topic. */
        void recreated(AssignedPartition partition, Uuid now);
    }

    /** A partition that waits until its topic's id is confirmed by later queries. */
    private static final class Wait {

        final AssignedPartition partition;
        final Runnable same;

        /** The number of consecutive responses that must confirm the id. */
        final int needed;

        /** The number of the first query used for this wait. */
        final long from;

        /** True if the last {@link #times} responses differed from the expected id. */
        boolean differed;

        int times;

        Wait(AssignedPartition partition, Runnable same, long from, int needed) {
            this.partition = partition;
            this.same = same;
            this.from = from;
            this.needed = needed;
        }
    }

    private static final class Topic {

        final String name;
        final List<Wait> waits = new ArrayList<>();

        /** Earlier ids of the topic. */
        final Set<Uuid> left = new HashSet<>();

        @Nullable
        Uuid known;

        /** A different id reported by only one response, or null. */
        @Nullable
        Uuid suspected;

        long questions;

        boolean underWay;

        /** True if no partition of the topic is assigned. The topic is then not queried. */
        boolean idle;

        long dueNanos;
        int failures;

        /** The reason why the last query failed, or an empty string. */
        String trouble = "";

        Topic(String name, long dueNanos) {
            this.name = name;
            this.dueNanos = dueNanos;
        }
    }

    private final PartitionAssignment assignment;
    private final Lookup lookup;
    private final OwnerClock clock;
    private final Executor owner;
    private final Listener listener;
    private final Consumer<String> onRecreated;
    private final Map<String, Topic> topics = new HashMap<>();

    /** The values of {@link #topics}. Looping over a list by index allocates nothing. */
    private final List<Topic> all = new ArrayList<>();

    /**
     * Creates an object without any topics.
     *
     * @param owner the owner thread, which processes responses
     * @param onRecreated receives the name of each recreated topic, even if no partition of it is assigned
     */
    TopicIds(
            PartitionAssignment assignment,
            Lookup lookup,
            OwnerClock clock,
            Executor owner,
            Listener listener,
            Consumer<String> onRecreated) {
        this.onRecreated = onRecreated;
        this.assignment = assignment;
        this.lookup = lookup;
        this.clock = clock;
        this.owner = owner;
        this.listener = listener;
    }

    /**
     * Calls {@code same} once the brokers confirm that the partition's topic was not recreated. Calls it immediately if
     * the topic id was verified recently.
     */
    void identify(AssignedPartition partition, Runnable same) {
        Topic topic = topic(partition);
        Uuid known = topic.known;
        if (known != null && isSure(topic) && (partition.topicId() == null || known.equals(partition.topicId()))) {
            partition.identified(known);
            same.run();
        } else {
            await(topic, new Wait(partition, same, topic.questions, 1));
        }
    }

    private static boolean isSure(Topic topic) {
        return topic.suspected == null && !topic.idle;
    }

    /**
     * Calls {@code same} once new responses confirm that the topic was not recreated.
     *
     * @param times number of consecutive responses needed; two if a recreation is suspected
     */
    void identifyAgain(AssignedPartition partition, int times, Runnable same) {
        Topic topic = topic(partition);
        await(topic, new Wait(partition, same, topic.questions + 1, times));
    }

    private void await(Topic topic, Wait wait) {
        topic.waits.add(wait);
        topic.idle = false;
        askSoon(topic, 0);
    }

    private Topic topic(AssignedPartition partition) {
        return topics.computeIfAbsent(partition.id().topic(), name -> {
            Topic topic = new Topic(name, clock.nanoTime());
            all.add(topic);
            return topic;
        });
    }

    private void askSoon(Topic topic, long delayNanos) {
        long due = clock.nanoTime() + delayNanos;
        if (topic.failures == 0 && due - topic.dueNanos < 0) {
            topic.dueNanos = due;
        }
    }

    /** Returns the reason why the partition's topic id is unknown; null if it is known or no query has failed. */
    @Nullable
    String trouble(AssignedPartition partition) {
        Topic topic = topics.get(partition.id().topic());
        if (topic == null || topic.trouble.isEmpty()) {
            return null;
        }
        return topic.waits.stream().anyMatch(wait -> wait.partition == partition) ? topic.trouble : null;
    }

    /** Returns whether the brokers have reported an id for the topic during this run. */
    boolean isKnown(String name) {
        Topic topic = topics.get(name);
        return topic != null && topic.known != null;
    }

    boolean wasRecreated(String name) {
        Topic topic = topics.get(name);
        return topic != null && !topic.left.isEmpty();
    }

    long nanosUntilDue() {
        long now = clock.nanoTime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < all.size(); i++) { // avoids allocating an iterator
            Topic topic = all.get(i);
            if (!topic.underWay && !topic.idle) {
                least = Math.min(least, Math.max(0, topic.dueNanos - now));
            }
        }
        return least;
    }

    void askIfDue() {
        if (nanosUntilDue() > 0) {
            return;
        }
        long now = clock.nanoTime();
        List<Topic> due = new ArrayList<>();
        for (Topic topic : topics.values()) {
            if (!topic.underWay && !topic.idle && now - topic.dueNanos >= 0) {
                due.add(topic);
            }
        }
        Set<String> assigned = new HashSet<>();
        assignment.all().forEach(partition -> assigned.add(partition.id().topic()));
        for (Topic topic : due) {
            topic.waits.removeIf(wait -> !assignment.isCurrent(wait.partition));
            topic.idle = !assigned.contains(topic.name);
        }
        due.removeIf(topic -> topic.idle);
        ask(due);
    }

    private void ask(Collection<Topic> due) {
        if (due.isEmpty()) {
            return;
        }
        due.forEach(topic -> {
            topic.underWay = true;
            topic.questions++;
        });
        lookup.topicIds(due.stream().map(topic -> topic.name).toList(), ANSWER_TIMEOUT)
                .forEach((name, answer) -> answer.whenComplete((id, failure) -> owner.execute(() -> {
                    Topic topic = topics.get(name);
                    if (topic != null) {
                        answered(topic, id, failure);
                    }
                })));
    }

    private void answered(Topic topic, @Nullable Uuid id, @Nullable Throwable failure) {
        topic.underWay = false;
        long now = clock.nanoTime();
        if (id == null) {
            topic.dueNanos = now + (FIRST_DELAY_NANOS << Math.min(topic.failures, MAX_DOUBLINGS));
            topic.failures++;
            failed(topic, why(topic, failure == null ? null : Thrown.unwrapped(failure)));
            return;
        }
        if (!topic.trouble.isEmpty()) {
            LOG.info("the id of topic {} is known: {}", topic.name, id);
            topic.trouble = "";
        }
        topic.failures = 0;
        topic.dueNanos = now
                + (isFetched(topic) ? INTERVAL_FETCHED_NANOS : INTERVAL_NANOS)
                + NANOS_PER_PARTITION * assignment.all().size();
        if (isBelieved(topic, id)) {
            judge(topic, id);
        } else {
            askSoon(topic, CONFIRM_NANOS);
        }
    }

    /**
     * Returns whether all assigned partitions of the topic are being fetched. A fetch then detects a recreated topic.
     */
    private boolean isFetched(Topic topic) {
        if (!assignment.isFetchedByTopicId() || !topic.waits.isEmpty()) {
            return false;
        }
        for (AssignedPartition partition : assignment.all()) {
            if (partition.id().topic().equals(topic.name) && (partition.isPaused() || partition.isHeld())) {
                return false;
            }
        }
        return true;
    }

    private static void failed(Topic topic, String trouble) {
        boolean isNew = !trouble.equals(topic.trouble);
        topic.trouble = trouble;
        if (isNew) {
            LOG.warn(
                    "{}; {}it is requested again and again",
                    trouble,
                    topic.waits.isEmpty()
                            ? ""
                            : "its partitions wait, "
                                    + OffsetQueries.names(topic.waits.stream()
                                            .map(wait -> wait.partition.id())
                                            .toList())
                                    + "; ");
        }
    }

    private static String why(Topic topic, @Nullable Throwable cause) {
        return cause instanceof UnknownTopicOrPartitionException
                ? "topic " + topic.name + " does not exist"
                : "the id of topic " + topic.name + " is not known: " + cause;
    }

    /** Stores a response. Returns false if it may come from a broker with outdated metadata. */
    private boolean isBelieved(Topic topic, Uuid id) {
        Uuid known = topic.known;
        if (topic.left.contains(id)) {
            return false;
        }
        if (known == null || known.equals(id)) {
            topic.known = id;
            topic.suspected = null;
            return true;
        }
        if (id.equals(topic.suspected)) {
            topic.left.add(known);
            topic.known = id;
            topic.suspected = null;
            LOG.warn("topic {} was recreated: its id was {} and is {}", topic.name, known, id);
            onRecreated.accept(topic.name);
            return true;
        }
        topic.suspected = id;
        return false;
    }

    private void judge(Topic topic, Uuid id) {
        List<Wait> waits = List.copyOf(topic.waits);
        Set<AssignedPartition> waiting = new HashSet<>();
        for (Wait wait : waits) {
            waiting.add(wait.partition);
            judge(topic, wait, id);
        }
        for (AssignedPartition partition : List.copyOf(assignment.all())) {
            if (!waiting.contains(partition)
                    && partition.id().topic().equals(topic.name)
                    && assignment.isCurrent(partition)) {
                judge(partition, id);
            }
        }
    }

    private void judge(Topic topic, Wait wait, Uuid id) {
        AssignedPartition partition = wait.partition;
        if (!assignment.isCurrent(partition)) {
            return; // askIfDue removes the wait
        }
        if (topic.questions < wait.from) {
            askSoon(topic, 0);
            return;
        }
        boolean differs = partition.topicId() != null && !isSame(partition.topicId(), id);
        wait.times = differs == wait.differed ? wait.times + 1 : 1;
        wait.differed = differs;
        // A different id must be reported twice, unless an earlier response has shown that the position's id is
        // outdated.
        int needed = differs ? (topic.left.contains(partition.topicId()) ? 1 : 2) : wait.needed;
        if (wait.times < needed) {
            askSoon(topic, CONFIRM_NANOS);
            return;
        }
        topic.waits.remove(wait);
        if (differs) {
            listener.recreated(partition, id);
        } else {
            partition.identified(id);
            wait.same.run();
        }
    }

    private void judge(AssignedPartition partition, Uuid id) {
        if (partition.topicId() == null) {
            partition.identified(id);
        } else if (!isSame(partition.topicId(), id)) {
            listener.recreated(partition, id);
        }
    }

    /**
     * Returns whether the ids may belong to the same topic. Brokers before Kafka 2.8 report zero, which matches any id.
     */
    private static boolean isSame(Uuid one, Uuid other) {
        return one.equals(other) || one.equals(Uuid.ZERO_UUID) || other.equals(Uuid.ZERO_UUID);
    }
}
