package dev.weir.lean.internal.producer;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The topics to which records are sent. Thread-safe. */
final class ProducerTopics {

    private final ConcurrentHashMap<String, ProducerTopic> byName = new ConcurrentHashMap<>();
    private final AtomicInteger ordinals = new AtomicInteger();
    private final Supplier<RuntimeException> closed;
    private volatile boolean added;
    private volatile boolean missed;

    /** @param closed creates the exception that callers get once the producer is closed */
    ProducerTopics(Supplier<RuntimeException> closed) {
        this.closed = closed;
    }

    /** Returns or adds the topic with the given name. The brokers may not have reported it yet. */
    ProducerTopic of(String name) {
        ProducerTopic topic = byName.get(name);
        if (topic == null) {
            topic = byName.computeIfAbsent(name, each -> new ProducerTopic(each, ordinals.getAndIncrement()));
            added = true;
        }
        return topic;
    }

    Map<String, ProducerTopic> byName() {
        return byName;
    }

    Collection<ProducerTopic> all() {
        return byName.values();
    }

    /** Returns whether a topic was added since the last call. */
    boolean takeNew() {
        boolean some = added;
        if (some) {
            added = false;
        }
        return some;
    }

    /** Reports a record for a partition that its topic does not have. */
    void miss() {
        missed = true;
    }

    /** Returns whether {@link #miss} was called since the last call of this method. */
    boolean takeMissed() {
        boolean some = missed;
        if (some) {
            missed = false;
        }
        return some;
    }

    void close() {
        for (ProducerTopic topic : all()) {
            for (ProducerPartition partition : topic.partitions()) {
                partition.intake.close(closed);
            }
        }
    }
}
