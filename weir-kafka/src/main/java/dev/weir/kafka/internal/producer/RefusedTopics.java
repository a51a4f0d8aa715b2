package dev.weir.kafka.internal.producer;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Topics that were missing or forbidden a moment ago: to ask again for each record would take the client
 * {@code max.block.ms}, or another producer. Confined to one thread.
 */
public final class RefusedTopics {

    /** How long it is not asked again. */
    static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record Refused(Exception refusal, long nanos) {}

    private final Map<String, Refused> topics = new HashMap<>();

    /** Notes a refusal, if it is one of a topic. */
    public void refused(String topic, Exception refusal) {
        if (Refusals.isOfTopic(refusal)) {
            topics.put(topic, new Refused(refusal, System.nanoTime()));
        }
    }

    /** Why the topic was refused, if it was just now. */
    @Nullable
    public Exception refusal(String topic) {
        if (topics.isEmpty()) {
            return null;
        }
        Refused refused = topics.get(topic);
        if (refused != null && System.nanoTime() - refused.nanos > MEMORY_NANOS) {
            topics.remove(topic);
            return null;
        }
        return refused == null ? null : refused.refusal;
    }
}
