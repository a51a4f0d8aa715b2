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
 * The records that a source reads: partitions, starting position and end. Immutable.
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
     * The start of the read: a partition of {@link Topics} or {@link Matching} if the group has committed nothing of
     * it, one of {@link Partitions} in any case.
     */
    public Bound start() {
        return values.start;
    }

    /** The end of the read; a subscription without one goes on for ever. */
    public Bound end() {
        return values.end;
    }

    /** The priorities among them. */
    public Priorities priorities() {
        return values.priorities;
    }

    /** The time when each record is due, if that is asked; see {@link #dueAt}. */
    public @Nullable DueTimes due() {
        return values.due;
    }

    /** Says when a record is due. Called by threads of the pipeline, perhaps more than once for a record. */
    @FunctionalInterface
    public interface DueTimes {

        /**
         * The time before which a record is not delivered; null or a time that has passed for at once. Must give the
         * same for the same record. Should be quick: while it works no record is delivered, as while a handler blocks;
         * the consumer polls and commits meanwhile.
         *
         * @param record with key and value as bytes, which nobody may change
         */
        @Nullable
        Instant of(ConsumerRecord<byte[], byte[]> record);
    }

    /** The partitions that a source reads. */
    public sealed interface Selection {}

    /**
     * The partitions of these topics that the group gives to this member; all of them for a source without a group.
     *
     * @param names at least one
     */
    public record Topics(Set<String> names) implements Selection {

        /** Copies the names; refuses none at all, and a blank one. */
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
     * The partitions of all topics with a matching name, also those that are created later.
     *
     * @param regex matches the whole name
     */
    public record Matching(String regex) implements Selection {

        /** Refuses what is no regular expression. */
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

        /** Copies the partitions; refuses none at all. */
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
     * @param others that of partitions which are not in {@code each}, if they have one
     * @param each those of single partitions
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
     * Puts partitions before others, by a number each: 0 unless it is said otherwise, the greater ones first.
     *
     * @param topics those of the partitions of a topic
     * @param partitions those of single partitions
     */
    public record Priorities(Map<String, Integer> topics, Map<TopicPartition, Integer> partitions) {

        /** All partitions are equal. */
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

        /** The number of lower priorities, 0 included. */
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

    /** A priority of what is never read is a slip of the pen. */
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

    /** The partitions of the topics, without end. */
    public static Subscription topics(String... topics) {
        return topics(Arrays.asList(Objects.requireNonNull(topics, "topics")));
    }

    /** The partitions of the topics, without end. */
    public static Subscription topics(Collection<String> topics) {
        return new Subscription(new Topics(given("topics", topics)), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /**
     * The partitions of all topics whose whole name matches, without end. A topic that is created later is picked up
     * when the client next looks, every 30 seconds unless {@code metadata.max.age.ms} is set.
     */
    public static Subscription pattern(String regex) {
        return new Subscription(new Matching(regex), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /** These partitions, without end; needs a group only to commit. */
    public static Subscription partitions(TopicPartition... ids) {
        return partitions(Arrays.asList(Objects.requireNonNull(ids, "ids")));
    }

    /** These partitions, without end; needs a group only to commit. */
    public static Subscription partitions(Collection<TopicPartition> ids) {
        return new Subscription(new Partitions(given("ids", ids)), Bound.NONE, Bound.NONE, Priorities.NONE, null);
    }

    /** This subscription, begun at the position; see {@link #start}. */
    public Subscription startingAt(Position position) {
        return new Subscription(
                values.selection,
                new Bound(Objects.requireNonNull(position, "position"), values.start.each),
                values.end,
                values.priorities,
                values.due);
    }

    /** This subscription, with one partition begun at the position; see {@link #start}. */
    public Subscription startingAt(TopicPartition id, Position position) {
        return new Subscription(
                values.selection, values.start.with(id, position), values.end, values.priorities, values.due);
    }

    /**
     * This subscription, bounded: the source ends when each partition that this member has is read up to the end that
     * it has when the source starts.
     */
    public Subscription untilEnd() {
        return until(Position.end());
    }

    /**
     * This subscription, bounded: the source ends when each partition that this member has is read up to the position.
     */
    public Subscription until(Position position) {
        return new Subscription(
                values.selection,
                values.start,
                new Bound(Objects.requireNonNull(position, "position"), values.end.each),
                values.priorities,
                values.due);
    }

    /** This subscription, with the end of one partition; the others end where they end when the source starts. */
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
     * This subscription, with a priority for the partitions of a topic, 0 if it has none; greater ones go first. While
     * the pipeline pulls, fetched records of the highest priority go before all others; lower ones get one record for
     * each 16 of higher priorities, so that they are late and never stuck. Each partition keeps its order.
     *
     * <p>Records that the pipeline has pulled are not overtaken any more, so a stage should hold few. The higher a
     * priority the larger its share of {@link ConsumerSettings#bufferBytes}: twice that of the one below, up to 16
     * times. Where each partition is a stream of its own ({@link KafkaSource#partitioned}) the share is all that
     * counts.
     */
    public Subscription priority(String topic, int priority) {
        return new Subscription(
                values.selection, values.start, values.end, values.priorities.with(topic, priority), values.due);
    }

    /** This subscription, with a priority for one partition, which goes before the priority of its topic. */
    public Subscription priority(TopicPartition id, int priority) {
        return new Subscription(
                values.selection, values.start, values.end, values.priorities.with(id, priority), values.due);
    }

    /**
     * This subscription, with each record delivered when it is due, and not before, by the clock of this machine. A
     * partition keeps its order, so it waits for its first record, and what is due behind that waits with it; other
     * partitions go on. Topics of one delay each are read in the order of their times.
     *
     * <p>What waits has been fetched and not been pulled: up to the window and the partition's share of {@link
     * ConsumerSettings#bufferBytes}, beyond which the partition is paused. It is not committed, a drain does not wait
     * for it, a revocation drops it for the next owner, and no stall is reported; health and dumps call the partition
     * not due. A bounded read ends when the last record was due. A clock that is set back makes records wait longer
     * and delivers none twice. A time that never comes keeps its partition waiting until the topic's retention has
     * deleted the record and the pipeline starts anew. An exception of {@code due} fails the run with {@link
     * KafkaPipelineException}, when all before that record was delivered.
     *
     * {@snippet :
     * Subscription.topics("reminders")
     *         .dueAt(record -> Instant.ofEpochMilli(record.timestamp()).plus(Duration.ofHours(1)))
     * }
     *
     * <p>For at-least-once and exactly-once sources on both fetch paths, and those with {@link ExternalOffsets}.
     * Sources that do not track each record refuse it, as do views, {@link ReusableConsumer}, and a subscription with
     * priorities.
     */
    public Subscription dueAt(DueTimes due) {
        return new Subscription(
                values.selection, values.start, values.end, values.priorities, Objects.requireNonNull(due, "due"));
    }

    /** Returns whether the source ends by itself. */
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
