package dev.weir.kafka.internal.fetch;

import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.PartitionException;
import dev.weir.lean.RecordView;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads, by a lean consumer of its own, what a poll of Kafka's client has failed at: the client does not say which
 * offsets a batch has that it cannot decode, and of one that is too large for the heap not even the partition. Confined
 * to the owner thread, which waits for it.
 */
public final class ClientRescue {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final Supplier<LeanSettings> settings;
    private final int maxRecords;
    private final long maxBytes;

    /**
     * Creates a rescue.
     *
     * @param settings of the lean consumer, made when there is something to rescue
     * @param maxRecords of a poll, among which the batch is
     * @param maxBytes of the records before the batch that are handed out
     */
    public ClientRescue(Supplier<LeanSettings> settings, int maxRecords, long maxBytes) {
        this.settings = settings;
        this.maxRecords = maxRecords;
        this.maxBytes = maxBytes;
    }

    /**
     * The records before a batch that cannot be read, and the batch if nothing is left out between them.
     *
     * @param nextOffset behind those records
     */
    record Rescued(
            TopicPartition id,
            List<ConsumerRecord<byte[], byte[]>> records,
            long nextOffset,
            @Nullable UnreadableBatch batch) {}

    /**
     * Looks for the batch; null if there is none, or the brokers do not answer in time.
     *
     * @param hint what the client said; a partition that it names is read first
     */
    @Nullable
    Rescued look(Map<TopicPartition, LogPosition> positions, String hint) {
        List<TopicPartition> ids = new ArrayList<>(positions.keySet());
        ids.sort(Comparator.comparing((TopicPartition id) -> !hint.contains(id.toString()))
                .thenComparing(TopicPartition::toString));
        long endNanos = System.nanoTime() + PATIENCE_NANOS;
        try (LeanConsumer lean = LeanConsumer.open(settings.get())) {
            for (TopicPartition id : ids) {
                LogPosition position = positions.get(id);
                Rescued found = position == null ? null : new Reading(lean, id, endNanos).from(position.offset());
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
    }

    /** One partition that is read to a fault, or as far as a poll of the client could have come. */
    private final class Reading {

        private final LeanConsumer lean;
        private final TopicPartition id;
        private final long endNanos;
        private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        private long bytes;
        private int seen;

        Reading(LeanConsumer lean, TopicPartition id, long endNanos) {
            this.lean = lean;
            this.id = id;
            this.endNanos = endNanos;
        }

        @Nullable
        Rescued from(long offset) {
            int index = lean.assign(id.topic(), id.partition(), StartAt.offset(offset));
            try {
                while (seen < maxRecords && !isAtEnd(index) && System.nanoTime() - endNanos < 0) {
                    if (lean.poll(this::take) == 0) {
                        lean.await(LONGEST_WAIT);
                    }
                }
                return null;
            } catch (PartitionException fault) {
                return rescued(index, fault);
            } finally {
                lean.unassign(index);
            }
        }

        private @Nullable Rescued rescued(int index, PartitionException fault) {
            if (!LeanFaults.isOfABatch(fault)) {
                return null; // The client's own poll will say so.
            }
            boolean all = records.size() == seen;
            long next = all ? fault.offset() : records.getLast().offset() + 1;
            UnreadableBatch batch =
                    UnreadableBatch.of(id, lean.offsetBehindFault(index), lean.bytesAtFault(index), fault);
            return new Rescued(id, records, next, all ? batch : null);
        }

        private boolean isAtEnd(int index) {
            long end = lean.endOffset(index);
            return end >= 0 && lean.position(index) >= end;
        }

        private void take(RecordView record) {
            seen++;
            if (bytes < maxBytes) {
                bytes += record.sizeBytes();
                records.add(record.toConsumerRecord());
            }
            if (seen >= maxRecords) {
                lean.endPoll();
            }
        }
    }
}
