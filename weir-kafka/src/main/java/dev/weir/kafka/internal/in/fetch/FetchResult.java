package dev.weir.kafka.internal.in.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;

/**
 * The elements from a poll, by partition. Valid until the next poll, which may reuse the lists. Confined to the owner
 * thread.
 */
public final class FetchResult {

    private final List<TopicPartition> ids = new ArrayList<>();
    private final List<List<Fetched>> lists = new ArrayList<>();

    FetchResult() {}

    static FetchResult none() {
        return new FetchResult();
    }

    /** Converts the records of a client's poll. Omits partitions without records. */
    public static FetchResult of(ConsumerRecords<byte[], byte[]> records) {
        FetchResult result = new FetchResult();
        for (TopicPartition id : records.partitions()) {
            List<ConsumerRecord<byte[], byte[]>> list = records.records(id);
            if (!list.isEmpty()) {
                List<Fetched> elements = new ArrayList<>(list.size());
                for (int i = 0; i < list.size(); i++) {
                    elements.add(new Fetched.OfRecord(list.get(i)));
                }
                result.add(id, elements);
            }
        }
        return result;
    }

    void clear() {
        ids.clear();
        lists.clear();
    }

    /** Adds the elements of a further partition. The list must not be empty. */
    void add(TopicPartition id, List<Fetched> elements) {
        ids.add(id);
        lists.add(elements);
    }

    public boolean isEmpty() {
        return ids.isEmpty();
    }

    /** Returns the number of partitions with elements. */
    public int partitions() {
        return ids.size();
    }

    public TopicPartition partition(int index) {
        return ids.get(index);
    }

    /** Returns the elements of a partition, in order. */
    public List<Fetched> elements(int index) {
        return lists.get(index);
    }
}
