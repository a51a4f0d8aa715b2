package dev.weir.drivers.lean;

import dev.weir.driver.Pass;
import dev.weir.lean.SendException;
import dev.weir.lean.SendListener;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Tracks the offset up to which each partition has been copied. The producer's thread advances the offsets, and the
 * main thread commits them.
 *
 * <p>A record's token is its offset in the source partition. The producer reports the results of a partition's records
 * in order. A refused record fails the pass before later results are reported. Therefore, all records before a
 * committed offset are in the output.
 */
final class CopiedOffsets implements SendListener {
    private final Pass pass;
    private final AtomicLongArray next; // offset after the last acknowledged record, by partition; 0 if none
    private final long[] committed; // confined to the main thread

    CopiedOffsets(Pass pass) {
        this.pass = pass;
        this.next = new AtomicLongArray(pass.configuration().partitions());
        this.committed = new long[next.length()];
    }

    @Override
    public void acknowledged(long token, String topic, int partition, long offset) {
        next.setRelease(partition, token + 1);
    }

    @Override
    public void failed(long token, SendException why) {
        pass.fail(why);
    }

    /** Commits the offsets of all records acknowledged so far. Throws if a record was refused. */
    void commit(Consumer<?, ?> consumer) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        for (int partition = 0; partition < committed.length; partition++) {
            long copied = next.getAcquire(partition);
            if (copied > committed[partition]) {
                committed[partition] = copied;
                offsets.put(new TopicPartition(pass.configuration().topic(), partition), new OffsetAndMetadata(copied));
            }
        }
        // Check for failures after reading the offsets. A failure means that an offset may be past a refused record.
        pass.requireNoFailure();
        if (!offsets.isEmpty()) {
            consumer.commitSync(offsets);
        }
    }
}
