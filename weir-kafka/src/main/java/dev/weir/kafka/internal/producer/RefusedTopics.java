package dev.weir.kafka.internal.producer;

import dev.weir.kafka.internal.send.Refusals;
import dev.weir.stream.spi.Clock;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Topics that were missing or forbidden a moment ago: to ask again for each record would take the client
 * {@code max.block.ms}, or another producer. Confined to one thread.
 */
public final class RefusedTopics {

    /** The time for which it is not asked again. */
    static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(10);

    private record Refused(Exception refusal, long nanos) {}

    private final Clock clock;

    private final Map<String, Refused> topics = new HashMap<>();

    /** Creates what remembers nothing yet, and forgets by this clock. */
    public RefusedTopics(Clock clock) {
        this.clock = clock;
    }

    /**
     * Notes a refusal, if it is one of a topic. While one is remembered another says nothing new: with each record that
     * is refused from memory the time would begin anew, and the topic never be asked again.
     */
    public void refused(String topic, Exception refusal) {
        if (Refusals.isOfTopic(refusal)) {
            topics.compute(
                    topic,
                    (same, before) -> before != null && (before.refusal == refusal || !isOver(before))
                            ? before
                            : new Refused(refusal, clock.nanoTime()));
        }
    }

    private boolean isOver(Refused refused) {
        return clock.nanoTime() - refused.nanos > MEMORY_NANOS;
    }

    /** The reason why the topic was refused, if it was just now. */
    @Nullable
    public Exception refusal(String topic) {
        if (topics.isEmpty()) {
            return null;
        }
        Refused refused = topics.get(topic);
        if (refused != null && isOver(refused)) {
            topics.remove(topic);
            return null;
        }
        return refused == null ? null : refused.refusal;
    }
}
