package dev.weir.lean.internal.producer;

import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** The topics that somebody sends to. Thread-safe. */
final class ProducerTopics {

    private final ConcurrentHashMap<String, ProducerTopic> byName = new ConcurrentHashMap<>();
    private final AtomicInteger ordinals = new AtomicInteger();
    private final Supplier<RuntimeException> closed;
    private volatile boolean added;
    private volatile boolean missed;

    /** @param closed what callers get once it is closed */
    ProducerTopics(Supplier<RuntimeException> closed) {
        this.closed = closed;
    }

    /** The topic of a name, which may not be found yet. */
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

    /** Returns whether one was added since this was asked last. */
    boolean takeNew() {
        boolean some = added;
        if (some) {
            added = false;
        }
        return some;
    }

    /** A topic has not got a partition that somebody sends to. */
    void miss() {
        missed = true;
    }

    /** Returns whether one was missed since this was asked last. */
    boolean takeMissed() {
        boolean some = missed;
        if (some) {
            missed = false;
        }
        return some;
    }

    /** No partition takes records any more. */
    void close() {
        for (ProducerTopic topic : all()) {
            for (ProducerPartition partition : topic.partitions()) {
                partition.intake.close(closed);
            }
        }
    }
}
