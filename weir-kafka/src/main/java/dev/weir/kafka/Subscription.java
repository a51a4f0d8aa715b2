package dev.weir.kafka;

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
 * Subscription.topics("orders").startingAt(Position.end())          // a new group begins with what comes
 * Subscription.pattern("orders-.*")                                 // also topics that are created later
 * Subscription.partitions(new TopicPartition("orders", 0))          // without the group's help
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
     * The start of the read. It applies to a partition of {@link Topics} or {@link Matching} only if the group has no
     * committed offset for it, and to one of {@link Partitions} always.
     */
    public Bound start() {
        return values.start;
    }

    /** The end of the read; without one the source never ends. */
    public Bound end() {
        return values.end;
    }

    /** The priorities of the partitions. */
    public Priorities priorities() {
        return values.priorities;
    }

    /** The delivery time of each record, if one is set; see {@link #dueAt}. */
    public @Nullable DueTimes due() {
        return values.due;
    }

    /** Computes when a record is due. Called by threads of the pipeline, perhaps more than once for a record. */
    @FunctionalInterface
    public interface DueTimes {

        /**
         * Returns the time before which the record is not delivered; null or a past time delivers it at once. Must
         * return the same time for the same record. Should be quick: delivery waits for it as for a handler that
         * blocks, while the consumer keeps polling and committing.
         *
         * @param record with key and value as bytes, which must not be changed
         */
        @Nullable
        Instant of(ConsumerRecord<byte[], byte[]> record);
    }

    /** The partitions that a source reads. */
    public sealed interface Selection {}

    /**
     * The partitions of these topics that the group assigns to this member; all of them for a source without a group.
     *
     * @param names at least one
     */
    public record Topics(Set<String> names) implements Selection {

        /** Copies the names; refuses an empty set and blank names. */
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
     * The partitions of all topics with a matching name, including topics created later.
     *
     * @param regex matches the whole name
     */
    public record Matching(String regex) implements Selection {

        /** Refuses an invalid regular expression. */
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
     * Exactly these partitions, whether or not others read them too.
     *
     * @param ids at least one
     */
    public record Partitions(Set<TopicPartition> ids) implements Selection {

        /** Copies the partitions; refuses an empty set. */
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
     * A position per partition.
     *
     * @param others the position of all other partitions, if they have one
     * @param each the positions of single partitions
     */
    public record Bound(@Nullable Position others, Map<TopicPartition, Position> each) {

        /** No position at all. */
        public static final Bound NONE = new Bound(null, Map.of());

        /** Copies the positions; refuses null. */
        public Bound {
            each = Map.copyOf(Objects.requireNonNull(each, "each"));
        }

        public boolean isNone() {
            return others == null && each.isEmpty();
        }

        /** The position of a partition, if it has one. */
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
     * The priorities of partitions: higher numbers are read first, and the default is 0.
     *
     * @param topics the priorities of whole topics
     * @param partitions the priorities of single partitions
     */
    public record Priorities(Map<String, Integer> topics, Map<TopicPartition, Integer> partitions) {

        /** All partitions have the same priority. */
        public static final Priorities NONE = new Priorities(Map.of(), Map.of());

        /** Copies the numbers; refuses null. */
        public Priorities {
            topics = Map.copyOf(Objects.requireNonNull(topics, "topics"));
            partitions = Map.copyOf(Objects.requireNonNull(partitions, "partitions"));
        }

        public boolean isNone() {
            return topics.isEmpty() && partitions.isEmpty();
        }

        /** The priority of a partition. */
        public int of(TopicPartition id) {
            Integer own = partitions.get(Objects.requireNonNull(id, "id"));
            return own == null ? topics.getOrDefault(id.topic(), 0) : own;
        }

        /** The number of lower priority levels, including 0. */
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

    /** A priority for a topic or partition that is not read is a mistake. */
    private static <E> Set<E> given(String name, Collection<E> elements) {
        for (E element : Objects.requireNonNull(elements, name)) {
            Objects.requireNonNull(element, () -> name + " has a null");
        }
        return Set.copyOf(elements);
    }

    private static void checkRead(Selection selection, String topic, @Nullable TopicPartition id) {
        boolean read = switch (selection) {
            case Topics topics -> topics.names.contains(topic);
            case Matching matching -> Pattern.matches(matching.regex, topic);
            case Partitions partitions ->
                id == null
                        ? partitions.ids.stream().anyMatch(each -> each.topic().equals(topic))
                        : partitions.ids.contains(id);
        };
        if (!read) {
            throw new IllegalArgumentException("the subscription does not read what a priority is for: priority="
                    + (id == null ? topic : id) + " of " + selection);
        }
    }

    /** All partitions of the topics, unbounded. */
    public static Subscription topics(String... topics) {
        return topics(Arrays.asList(Objects.requireNonNull(topics, "topics")));
    }

    /** All partitions of the topics, unbounded. */
    public static Subscription topics(Collection<String> topics) {
        return new Subscription(new Topics(given("topics", topics)), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /**
     * The partitions of all topics whose whole name matches, unbounded. A topic created later is found at the client's
     * next metadata refresh, every 30 seconds unless {@code metadata.max.age.ms} is set.
     */
    public static Subscription pattern(String regex) {
        return new Subscription(new Matching(regex), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /** Exactly these partitions, unbounded; a group is needed only to commit. */
    public static Subscription partitions(TopicPartition... ids) {
        return partitions(Arrays.asList(Objects.requireNonNull(ids, "ids")));
    }

    /** Exactly these partitions, unbounded; a group is needed only to commit. */
    public static Subscription partitions(Collection<TopicPartition> ids) {
        return new Subscription(new Partitions(given("ids", ids)), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /** Returns a copy that starts at the position; see {@link #start}. */
    public Subscription startingAt(Position position) {
        return new Subscription(
                values.selection,
                new Bound(Objects.requireNonNull(position, "position"), values.start.each),
                values.end,
                values.priorities,
                values.due);
    }

    /** Returns a copy in which one partition starts at the position; see {@link #start}. */
    public Subscription startingAt(TopicPartition id, Position position) {
        return new Subscription(
                values.selection, values.start.with(id, position), values.end, values.priorities, values.due);
    }

    /**
     * Returns a bounded copy: the source ends when each of this member's partitions is read to its end as of the start.
     */
    public Subscription untilEnd() {
        return until(Position.end());
    }

    /** Returns a bounded copy: the source ends when each of this member's partitions is read up to the position. */
    public Subscription until(Position position) {
        return new Subscription(
                values.selection,
                values.start,
                new Bound(Objects.requireNonNull(position, "position"), values.end.each),
                values.priorities,
                values.due);
    }

    /** Returns a copy with an end for one partition; the other partitions end where they end when the source starts. */
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
     * Returns a copy with a priority for the partitions of a topic; the default is 0, and higher ones go first. While
     * the pipeline pulls, fetched records of the highest priority are emitted first. Lower priorities get one record
     * for every 16 of higher ones, so they are late but never stuck. Each partition stays in order.
     *
     * <p>Priority does not affect records already pulled, so stages should hold few. A higher priority also gets a
     * larger part of {@link ConsumerSettings#bufferBytes}: twice as much as the next lower one, up to 16 times. With
     * one stream per partition ({@link KafkaSource#partitioned}) that is its only effect.
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
     * Returns a copy that delivers each record when it is due by this machine's clock, and not before. A partition
     * stays in order: it waits for its first record, and later records wait behind that even if they are due. Other
     * partitions continue. Use one topic per delay, so that records are due in the order of the topic.
     *
     * <p>Waiting records are fetched and not pulled, up to the window and the partition's part of
     * {@link ConsumerSettings#bufferBytes}; beyond that the partition is paused. They are not committed, a drain does
     * not wait for them, a revocation drops them for the next owner, and no stall is reported; health and dumps show
     * the partition as not due. A bounded read ends when its last record was due. Setting the clock back makes records
     * wait longer and repeats none. A time that never comes blocks the partition until retention has deleted the record
     * and the pipeline is restarted. An exception in {@code due} fails the run with {@link KafkaPipelineException}
     * after all earlier records were delivered.
     *
     * {@snippet :
     * Subscription.topics("reminders")
     *         .dueAt(record -> Instant.ofEpochMilli(record.timestamp()).plus(Duration.ofHours(1)))
     * }
     *
     * <p>For at-least-once and exactly-once sources on both fetch paths, and for sources with {@link ExternalOffsets}.
     * Refused by sources that do not track each record, views, {@link ReusableConsumer}, and subscriptions with
     * priorities.
     */
    public Subscription dueAt(DueTimes due) {
        return new Subscription(
                values.selection, values.start, values.end, values.priorities, Objects.requireNonNull(due, "due"));
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
                checkRead(selection, topic, null);
            }
            for (TopicPartition id : priorities.partitions.keySet()) {
                checkRead(selection, id.topic(), id);
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
