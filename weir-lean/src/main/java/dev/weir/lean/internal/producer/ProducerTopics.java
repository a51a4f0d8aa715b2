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

    /**
     * Returns the topic with the given name, and adds it if necessary. The brokers may not have reported the topic yet.
     */
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

    /** Reports that a record specifies a partition that does not exist in its topic. */
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

    /** Closes all partitions, so that they accept no more records. */
    void close() {
        for (ProducerTopic topic : all()) {
            for (ProducerPartition partition : topic.partitions()) {
                partition.intake.close(closed);
            }
        }
    }
}
