package dev.weir.kafka;

import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.handler.TopicCheck;
import dev.weir.kafka.internal.in.lookup.UnboundedRead;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records that a source reads: partitions, start position and end. Immutable.
 *
 * <pre>{@code
 * Subscription.topics("orders").startingAt(Position.end())          // a new group starts with new records
 * Subscription.pattern("orders-.*")                                 // also topics that are created later
 * Subscription.partitions(new TopicPartition("orders", 0))          // not assigned by a group
 *         .startingAt(Position.time(yesterday)).until(Position.time(today))
 * Subscription.topics("orders", "alerts").priority("alerts", 1)     // alerts before orders
 * }</pre>
 */
public final class Subscription {

    private final Values values;

    private Subscription(Selection selection, Bound start, Bound end, Priorities priorities, @Nullable DueTimes due) {
        this.values = new Values(selection, start, end, priorities, due);
    }

    /** The selected partitions. */
    public Selection selection() {
        return values.selection;
    }

    /**
     * The start position. For {@link Topics} and {@link Matching}, it applies only to partitions without a committed
     * offset in the group. For {@link Partitions}, it always applies.
     */
    public Bound start() {
        return values.start;
    }

    /** The end position. Without one, the source never ends. */
    public Bound end() {
        return values.end;
    }

    /** The priorities of the partitions. */
    public Priorities priorities() {
        return values.priorities;
    }

    /** The function for the due time of each record, or null; see {@link #dueAt}. */
    public @Nullable DueTimes due() {
        return values.due;
    }

    /** Determines when a record is due. Called by the pipeline's threads, possibly more than once per record. */
    @FunctionalInterface
    public interface DueTimes {

        /**
         * Returns the earliest time for the delivery of the record, or null to deliver it immediately. Must return the
         * same time for the same record. Should be fast, because delivery waits for it.
         *
         * @param record the record, with key and value as bytes, which must not be modified
         */
        @Nullable
        Instant of(ConsumerRecord<byte[], byte[]> record);
    }

    /** The partitions that a source reads. */
    public sealed interface Selection {}

    /**
     * The partitions of the named topics. In a group, a source reads only the partitions assigned to this member;
     * otherwise, it reads all.
     *
     * @param names the topics, at least one
     */
    public record Topics(Set<String> names) implements Selection {

        /** Copies the names. Rejects an empty set and blank names. */
        public Topics {
            names = given("names", names);
            if (names.isEmpty() || names.stream().anyMatch(String::isBlank)) {
                throw new IllegalArgumentException(
                        "a subscription needs topic names that are not blank: topics=" + names);
            }
        }

        @Override
        public String toString() {
            return new TreeSet<>(names).toString();
        }
    }

    /**
     * The partitions of all topics whose names match a regular expression, including topics created later.
     *
     * @param regex a pattern that must match the complete name
     */
    public record Matching(String regex) implements Selection {

        /** Rejects an invalid regular expression. */
        public Matching {
            try {
                Pattern.compile(Objects.requireNonNull(regex, "regex"));
            } catch (PatternSyntaxException refused) {
                throw new IllegalArgumentException(
                        "pattern is not a regular expression: pattern=" + regex + ": " + refused.getDescription(),
                        refused);
            }
        }

        @Override
        public String toString() {
            return "topics matching " + regex;
        }
    }

    /**
     * Exactly the given partitions, even if other consumers read them too.
     *
     * @param ids the partitions, at least one
     */
    public record Partitions(Set<TopicPartition> ids) implements Selection {

        /** Copies the partitions. Rejects an empty set. */
        public Partitions {
            ids = given("ids", ids);
            if (ids.isEmpty()) {
                throw new IllegalArgumentException("a subscription needs partitions: partitions=[]");
            }
        }

        @Override
        public String toString() {
            return ids.stream().map(TopicPartition::toString).sorted().toList().toString();
        }
    }

    /**
     * A position for each partition.
     *
     * @param others the position of all partitions not in {@code each}, or null
     * @param each the positions of individual partitions
     */
    public record Bound(@Nullable Position others, Map<TopicPartition, Position> each) {

        /** A bound without any position. */
        public static final Bound NONE = new Bound(null, Map.of());

        /** Copies the positions. Rejects null. */
        public Bound {
            each = Map.copyOf(Objects.requireNonNull(each, "each"));
        }

        public boolean isNone() {
            return others == null && each.isEmpty();
        }

        /** Returns the position of a partition, or null if it has none. */
        public @Nullable Position of(TopicPartition id) {
            return each.getOrDefault(Objects.requireNonNull(id, "id"), others);
        }

        private Bound with(TopicPartition id, Position position) {
            Map<TopicPartition, Position> more = new HashMap<>(each);
            more.put(Objects.requireNonNull(id, "id"), Objects.requireNonNull(position, "position"));
            return new Bound(others, more);
        }
    }

    /**
     * The priorities of partitions. Partitions with a higher number are read first; the default is 0.
     *
     * @param topics the priorities of complete topics
     * @param partitions the priorities of individual partitions
     */
    public record Priorities(Map<String, Integer> topics, Map<TopicPartition, Integer> partitions) {

        /** The same priority for all partitions. */
        public static final Priorities NONE = new Priorities(Map.of(), Map.of());

        /** Copies the maps. Rejects null. */
        public Priorities {
            topics = Map.copyOf(Objects.requireNonNull(topics, "topics"));
            partitions = Map.copyOf(Objects.requireNonNull(partitions, "partitions"));
        }

        public boolean isNone() {
            return topics.isEmpty() && partitions.isEmpty();
        }

        /** Returns the priority of a partition. */
        public int of(TopicPartition id) {
            Integer own = partitions.get(Objects.requireNonNull(id, "id"));
            return own == null ? topics.getOrDefault(id.topic(), 0) : own;
        }

        /** Returns the number of distinct priorities below the given one, including the default 0. */
        public int countBelow(int priority) {
            Set<Integer> below = new TreeSet<>(topics.values());
            below.addAll(partitions.values());
            below.add(0);
            below.removeIf(other -> other >= priority);
            return below.size();
        }

        private Priorities with(String topic, int priority) {
            Map<String, Integer> more = new HashMap<>(topics);
            more.put(Objects.requireNonNull(topic, "topic"), priority);
            return new Priorities(more, partitions);
        }

        private Priorities with(TopicPartition id, int priority) {
            Map<TopicPartition, Integer> more = new HashMap<>(partitions);
            more.put(Objects.requireNonNull(id, "id"), priority);
            return new Priorities(topics, more);
        }
    }

    /** Copies the elements. Rejects a null element. */
    private static <E> Set<E> given(String name, Collection<E> elements) {
        for (E element : Objects.requireNonNull(elements, name)) {
            Objects.requireNonNull(element, () -> name + " has a null");
        }
        return Set.copyOf(elements);
    }

    private static boolean isRead(Selection selection, String topic, @Nullable TopicPartition id) {
        return (id != null && selection instanceof Partitions partitions)
                ? partitions.ids.contains(id)
                : UnboundedRead.includes(selection, topic);
    }

    private static void checkRead(String setting, Selection selection, String topic, @Nullable TopicPartition id) {
        if (!isRead(selection, topic, id)) {
            throw new IllegalArgumentException("the subscription does not read what a setting is for: " + setting + "="
                    + (id == null ? topic : id) + " of " + selection
                    + "; correct the name, or add it to the subscription");
        }
    }

    /** Creates an unbounded subscription to all partitions of the topics. */
    public static Subscription topics(String... topics) {
        return topics(Arrays.asList(Objects.requireNonNull(topics, "topics")));
    }

    /** Creates an unbounded subscription to all partitions of the topics. */
    public static Subscription topics(Collection<String> topics) {
        return new Subscription(new Topics(given("topics", topics)), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /**
     * Creates an unbounded subscription to the partitions of all topics whose complete names match a regular
     * expression. A topic created later is found at the client's next metadata refresh: every 30 seconds, unless
     * {@code metadata.max.age.ms} is set.
     */
    public static Subscription pattern(String regex) {
        return new Subscription(new Matching(regex), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /** Creates an unbounded subscription to exactly these partitions. A group is needed only for commits. */
    public static Subscription partitions(TopicPartition... ids) {
        return partitions(Arrays.asList(Objects.requireNonNull(ids, "ids")));
    }

    /** Creates an unbounded subscription to exactly these partitions. A group is needed only for commits. */
    public static Subscription partitions(Collection<TopicPartition> ids) {
        return new Subscription(new Partitions(given("ids", ids)), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /** Returns a copy that starts at the given position; see {@link #start}. */
    public Subscription startingAt(Position position) {
        return new Subscription(
                values.selection,
                new Bound(Objects.requireNonNull(position, "position"), values.start.each),
                values.end,
                values.priorities,
                values.due);
    }

    /**
     * Returns a copy in which one partition starts at the given position; see {@link #start}. A run fails at its start
     * if the topic exists but has no such partition. The same holds for an end or a priority.
     *
     * @throws IllegalArgumentException if the subscription does not include the partition
     */
    public Subscription startingAt(TopicPartition id, Position position) {
        return new Subscription(
                values.selection, values.start.with(id, position), values.end, values.priorities, values.due);
    }

    /**
     * Returns a bounded copy. The source ends when each of this member's partitions has been read up to the end offset
     * that was determined when the source started. If none of the partitions has a leader, the start waits about 15
     * seconds for an election, and then fails.
     */
    public Subscription untilEnd() {
        return until(Position.end());
    }

    /**
     * Returns a bounded copy. The source ends when each of this member's partitions has been read up to the position.
     */
    public Subscription until(Position position) {
        return new Subscription(
                values.selection,
                values.start,
                new Bound(Objects.requireNonNull(position, "position"), values.end.each),
                values.priorities,
                values.due);
    }

    /**
     * Returns a copy with an end position for one partition. By default, other partitions are read up to their end
     * offsets when the source starts.
     *
     * @throws IllegalArgumentException if the subscription does not include the partition
     */
    public Subscription until(TopicPartition id, Position position) {
        Position others = values.end.others == null ? Position.end() : values.end.others;
        return new Subscription(
                values.selection,
                values.start,
                new Bound(others, values.end.each).with(id, position),
                values.priorities,
                values.due);
    }

    /**
     * Returns a copy with a priority for the partitions of a topic. The default is 0. The source emits fetched records
     * of the highest priority first. For every 16 records of a higher priority, it emits one of a lower priority, so
     * that lower priorities are delayed but never starved. The order within each partition is kept.
     *
     * <p>Priorities do not affect records that have already been pulled, so stages should buffer few records. A higher
     * priority also gets a larger part of {@link ConsumerSettings#bufferBytes}: twice as much as the next lower
     * priority, up to 16 times as much as the lowest. With {@link KafkaSource#partitioned}, which emits one stream per
     * partition, priorities affect only the buffer and not the order of emission.
     */
    public Subscription priority(String topic, int priority) {
        return new Subscription(
                values.selection, values.start, values.end, values.priorities.with(topic, priority), values.due);
    }

    /** Returns a copy with a priority for one partition, which overrides the priority of its topic. */
    public Subscription priority(TopicPartition id, int priority) {
        return new Subscription(
                values.selection, values.start, values.end, values.priorities.with(id, priority), values.due);
    }

    /**
     * Returns a copy that does not deliver a record before the record is due according to this machine's clock. The
     * order within a partition is kept: later records wait behind the first record that is not due, even if they are
     * due themselves. Other partitions continue. Use one topic per delay, so that records become due in the order in
     * which they are stored.
     *
     * <p>Records that are not due are fetched but not pulled. The partition is paused when these records have used up
     * {@link ConsumerSettings#maxOutstandingRecords} or the partition's part of {@link ConsumerSettings#bufferBytes}.
     * Waiting records are not committed, and a drain does not wait for them. If the partition is revoked, these records
     * are dropped, and the next owner of the partition reads them. The wait does not count as a stall. Health reports
     * and dumps show the partition as not due. A bounded read does not end before its last record is due. If this
     * machine's clock is set back, records wait longer, but no record is delivered twice. If a record never becomes
     * due, it blocks the partition until retention has deleted the record and the pipeline is restarted. If {@code due}
     * throws, the run fails with {@link KafkaPipelineException} after all earlier records have been delivered.
     *
     * {@snippet :
     * Subscription.topics("reminders")
     *         .dueAt(record -> Instant.ofEpochMilli(record.timestamp()).plus(Duration.ofHours(1)))
     * }
     *
     * <p>Supported by at-least-once and exactly-once sources on both fetch paths, and by sources with
     * {@link ExternalOffsets}. Refused by sources that do not track individual records, by views, by
     * {@link ReusableConsumer}, and by subscriptions with priorities.
     */
    public Subscription dueAt(DueTimes due) {
        return new Subscription(
                values.selection, values.start, values.end, values.priorities, Objects.requireNonNull(due, "due"));
    }

    boolean reads(String topic) {
        return isRead(values.selection, topic, null);
    }

    /** Throws if a flow with this subscription would endlessly read its own dead-letter records. */
    void refuseLoop(DeadLetterTopic topic, ConsumerSettings<?, ?> settings) {
        if (!isBounded() && reads(topic.topic())) {
            TopicCheck.refuseLoop(topic, settings.properties(), values.selection);
        }
    }

    /** Returns whether the source is bounded. */
    public boolean isBounded() {
        return !values.end.isNone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Subscription that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    private record Values(
            Selection selection,
            Bound start,
            Bound end,
            Priorities priorities,
            @Nullable DueTimes due) {

        Values {
            Objects.requireNonNull(selection, "selection");
            Objects.requireNonNull(start, "start");
            Objects.requireNonNull(end, "end");
            for (String topic : priorities.topics.keySet()) {
                checkRead("priority", selection, topic, null);
            }
            for (TopicPartition id : priorities.partitions.keySet()) {
                checkRead("priority", selection, id.topic(), id);
            }
            for (TopicPartition id : start.each.keySet()) {
                checkRead("startingAt", selection, id.topic(), id);
            }
            for (TopicPartition id : end.each.keySet()) {
                checkRead("until", selection, id.topic(), id);
            }
            if (due != null && !priorities.isNone()) {
                throw new IllegalArgumentException(
                        "dueAt does not go with priorities: a partition that waits would keep"
                                + " lower ones waiting; use a pipeline for each priority");
            }
            if (end.others == Position.Edge.BEGINNING || end.each.containsValue(Position.Edge.BEGINNING)) {
                throw new IllegalArgumentException("a read until the beginning would read nothing: until=" + end);
            }
        }
    }
}
