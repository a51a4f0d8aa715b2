package dev.weir.kafka.internal.in.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** An assigned partition, with its records that are not handed out yet. Confined to the owner thread. */
final class LeanPartition {

    /** Value of {@link #index} if no {@link OwnReader} reads the partition. */
    static final int NOWHERE = -1;

    final TopicPartition id;

    int index = NOWHERE;

    boolean paused;

    /** The fault to throw after the records before it are handed out, or null. */
    @Nullable
    KafkaException failure;

    private static final int MAX_SPARE = 1_024;

    private List<Fetched> records = new ArrayList<>();

    /** The last list handed out as a whole, kept for reuse. */
    private List<Fetched> spare = new ArrayList<>();

    private int handedOut;

    LeanPartition(TopicPartition id) {
        this.id = id;
    }

    void add(Fetched record) {
        records.add(record);
    }

    /**
     * Returns the list of records, to which the caller may add. It may contain records that were already handed out.
     */
    List<Fetched> records() {
        return records;
    }

    /** Adds a list, which then belongs to this partition. */
    void add(List<Fetched> more) {
        if (isEmpty()) {
            records = more;
            handedOut = 0;
        } else {
            records.addAll(more);
        }
    }

    boolean isEmpty() {
        return handedOut == records.size();
    }

    /** Returns the offset of the next record to hand out. Must not be called if {@link #isEmpty} is true. */
    long nextOffset() {
        return records.get(handedOut).offset();
    }

    /** Hands out at most {@code most} records. The list is valid until {@link #takeBack}. */
    List<Fetched> handOut(int most) {
        if (handedOut == 0 && records.size() <= most) {
            List<Fetched> all = records;
            records = spare;
            spare = all;
            return all;
        }
        int to = Math.min(records.size(), handedOut + most);
        List<Fetched> next = records.subList(handedOut, to);
        handedOut = to;
        if (isEmpty()) {
            drop();
        }
        return next;
    }

    /** Reclaims the list handed out, which the caller no longer reads. */
    void takeBack() {
        if (spare.size() > MAX_SPARE) {
            spare = new ArrayList<>();
        } else if (!spare.isEmpty()) {
            spare.clear();
        }
    }

    void drop() {
        records = new ArrayList<>();
        handedOut = 0;
    }
}
