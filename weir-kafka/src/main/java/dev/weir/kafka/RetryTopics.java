package dev.weir.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A sequence of retry topics for failed records. A record waits in each topic for the topic's delay before the next
 * attempt. Immutable.
 *
 * {@snippet :
 * RetryTopics.of("orders-retry-1m", Duration.ofMinutes(1)).then("orders-retry-10m", Duration.ofMinutes(10))
 * }
 */
public final class RetryTopics {

    private static final Duration LONGEST = Duration.ofDays(7);

    private final Values values;

    private RetryTopics(List<Tier> tiers) {
        this.values = new Values(tiers);
    }

    /** The retry topics, in the order in which a record passes through them. */
    public List<Tier> tiers() {
        return values.tiers;
    }

    /**
     * A retry topic and its delay.
     *
     * @param topic the name of the topic, which must exist
     * @param delay how long a record waits in the topic: 1 ms to 7 days
     */
    public record Tier(String topic, Duration delay) {

        /** Rejects a blank name, and a delay outside the range 1 ms to 7 days. */
        public Tier {
            if (topic.isBlank()) {
                throw new IllegalArgumentException("a retry topic must have a name: topic=" + topic);
            }
            if (delay.compareTo(Duration.ofMillis(1)) < 0 || delay.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException("delay must be 1 ms to 7 days: delay=" + delay + " topic=" + topic);
            }
        }
    }

    /** Creates a sequence with a single retry topic, in which records wait for the given time. */
    public static RetryTopics of(String topic, Duration delay) {
        return new RetryTopics(List.of(new Tier(topic, delay)));
    }

    /** Returns a copy with another retry topic at the end. */
    public RetryTopics then(String topic, Duration delay) {
        List<Tier> all = new ArrayList<>(values.tiers);
        all.add(new Tier(topic, delay));
        return new RetryTopics(all);
    }

    /** The prefix of the headers that Weir adds to a record in a retry topic. */
    public static final String PREFIX = "weir-retry-";

    /** Header: the topic from which the record was first read. */
    public static final String TOPIC = PREFIX + "topic";

    /** Header: the partition from which the record was first read. */
    public static final String PARTITION = PREFIX + "partition";

    /** Header: the record's offset in the partition from which it was first read. */
    public static final String OFFSET = PREFIX + "offset";

    /** Header: the record's timestamp, in milliseconds; absent if the record had no timestamp, or a negative one. */
    public static final String TIMESTAMP = PREFIX + "timestamp";

    /** Header: the number of handler calls for the record so far. */
    public static final String ATTEMPTS = PREFIX + "attempts";

    /** Header: the number of retry topics to which the record has been written so far, including the current one. */
    public static final String TIER = PREFIX + "tier";

    /** Header: the time of the next attempt, in milliseconds since the Unix epoch. */
    public static final String DUE = PREFIX + "due";

    /** Header: the handler's last exception, as text. */
    public static final String CAUSE = PREFIX + "cause";

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RetryTopics that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "RetryTopics");
    }

    private record Values(List<Tier> tiers) {

        Values {
            tiers = List.copyOf(Objects.requireNonNull(tiers, "tiers"));
            if (tiers.isEmpty()) {
                throw new IllegalArgumentException("there must be at least one retry topic");
            }
            if (tiers.stream().map(Tier::topic).distinct().count() < tiers.size()) {
                throw new IllegalArgumentException("each retry topic can have one delay only: tiers=" + tiers);
            }
        }
    }
}
