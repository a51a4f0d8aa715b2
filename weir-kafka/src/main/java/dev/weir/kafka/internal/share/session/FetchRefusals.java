package dev.weir.kafka.internal.share.session;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * The reasons why partitions could not be fetched the last time: asked for ten times a second, a reason is worth one
 * warning. Confined to the member's thread.
 */
final class FetchRefusals {

    private final Map<TopicIdPartition, Errors> last = new HashMap<>();

    /** A fetch was refused; whether the reason is another one than the last time, or nothing was refused since. */
    boolean isNews(TopicIdPartition partition, Errors error) {
        return last.put(partition, error) != error;
    }

    /** Records were acquired. */
    void acquired(TopicIdPartition partition) {
        last.remove(partition);
    }
}
