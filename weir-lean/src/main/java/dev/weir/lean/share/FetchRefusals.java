package dev.weir.lean.share;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.protocol.Errors;

/**
 * Remembers why the last fetch of each partition was refused. Fetches are retried ten times per second, so only a new
 * reason is logged. Confined to the member's thread.
 */
final class FetchRefusals {

    private final Map<TopicIdPartition, Errors> last = new HashMap<>();

    /**
     * Notes a refused fetch. Returns false if the partition's previous refusal had the same reason and no records have
     * been acquired since then.
     */
    boolean isNews(TopicIdPartition partition, Errors error) {
        return last.put(partition, error) != error;
    }

    /** Notes that records of the partition were acquired. */
    void acquired(TopicIdPartition partition) {
        last.remove(partition);
    }
}
