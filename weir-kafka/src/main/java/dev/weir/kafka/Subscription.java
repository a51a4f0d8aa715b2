package dev.weir.kafka;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which records a source reads. Immutable.
 *
 * @param topics at least one topic name
 * @param isUntilEnd whether the source ends at the end offsets that the partitions have when it starts
 */
public record Subscription(Set<String> topics, boolean isUntilEnd) {

    /** Checks and copies. */
    public Subscription {
        topics = Set.copyOf(new TreeSet<>(topics));
        if (topics.isEmpty() || topics.stream().anyMatch(String::isBlank)) {
            throw new IllegalArgumentException("a subscription needs topic names that are not blank: topics=" + topics);
        }
    }

    /** All partitions of the topics that the group assigns to this member, without end. */
    public static Subscription topics(String... topics) {
        return topics(List.of(topics));
    }

    /** All partitions of the topics that the group assigns to this member, without end. */
    public static Subscription topics(Collection<String> topics) {
        return new Subscription(Set.copyOf(topics), false);
    }

    /**
     * The same, but bounded: the source ends when each partition that this member is assigned has been read up to the end
     * that it had at the start.
     */
    public Subscription untilEnd() {
        return new Subscription(topics, true);
    }
}
