package dev.weir.kafka.internal.in.fetch;

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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Finds the batch that made a poll of Kafka's client fail. Immutable.
 *
 * <p>The client does not report the offset of a batch that it cannot decode. If a batch is too large for the heap, the
 * client does not even report the partition. A {@link Look} therefore reads the partitions with a lean consumer, on its
 * own thread.
 */
public class ClientRescue {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    private final Supplier<LeanSettings> settings;
    private final int maxRecords;
    private final long maxBytes;

    /**
     * Creates a rescue.
     *
     * @param settings creates the lean consumer's settings when needed
     * @param maxRecords the client's maximum number of records per poll, and the maximum number read from each
     *     partition
     * @param maxBytes limit for the total size of the returned records
     */
    public ClientRescue(Supplier<LeanSettings> settings, int maxRecords, long maxBytes) {
        this.settings = settings;
        this.maxRecords = maxRecords;
        this.maxBytes = maxBytes;
    }

    /**
     * The records before an unreadable batch.
     *
     * @param nextOffset the offset after the returned records
     * @param batch the unreadable batch; null if some records before it did not fit into the size limit
     */
    record Rescued(
            TopicPartition id,
            List<ConsumerRecord<byte[], byte[]>> records,
            long nextOffset,
            @Nullable UnreadableBatch batch) {}

    /**
     * Starts the search.
     *
     * @param positions the positions at the start of the poll
     * @param hint the client's error message; a partition named in it is read first
     */
    Look begin(Map<TopicPartition, LogPosition> positions, String hint) {
        Look look = new Look(Map.copyOf(positions), hint);
        look.thread.start();
        return look;
    }

    /** A search for the batch at fault. The owner thread checks whether it is done but never waits for it. */
    final class Look {

        private final Map<TopicPartition, LogPosition> positions;
        private final CompletableFuture<Optional<Rescued>> answer = new CompletableFuture<>();
        private final Thread thread;
        private volatile boolean cancelled;

        private Look(Map<TopicPartition, LogPosition> positions, String hint) {
            this.positions = positions;
            this.thread = Thread.ofVirtual().name("weir-rescue").unstarted(() -> {
                try {
                    answer.complete(Optional.ofNullable(search(this, hint)));
                } catch (Throwable failure) {
                    answer.completeExceptionally(failure);
                }
            });
        }

        Map<TopicPartition, LogPosition> positions() {
            return positions;
        }

        boolean isDone() {
            return answer.isDone();
        }

        /**
         * Returns the result of a finished search; null if it found no such batch or failed.
         *
         * @param failure the client's error; an exception of the search is added to it as suppressed
         */
        @Nullable
        Rescued found(Throwable failure) {
            if (answer.isCompletedExceptionally()) {
                // For example, the lean client may not support these brokers. The caller reports the client's error.
                failure.addSuppressed(answer.exceptionNow());
                return null;
            }
            return answer.resultNow().orElse(null);
        }

        /** Cancels the search without waiting for it to end. */
        void cancel() {
            cancelled = true;
            thread.interrupt();
        }
    }

    /** Searches on the look's thread. Returns null if there is no such batch. */
    @Nullable
    Rescued search(Look look, String hint) {
        Map<TopicPartition, LogPosition> positions = look.positions();
        List<TopicPartition> ids = new ArrayList<>(positions.keySet());
        ids.sort(Comparator.comparing((TopicPartition id) -> !hint.contains(id.toString()))
                .thenComparing(TopicPartition::toString));
        long endNanos = System.nanoTime() + PATIENCE_NANOS;
        try (LeanConsumer lean = LeanConsumer.open(settings.get())) {
            for (TopicPartition id : ids) {
                LogPosition position = positions.get(id);
                Rescued found = position == null ? null : new Reading(look, lean, id, endNanos).from(position.offset());
                if (found != null) {
                    return found;
                }
            }
            return null;
        }
    }

    /** Reads one partition until it finds a fault or has read as many records as a poll of the client. */
    private final class Reading {

        private final Look look;
        private final LeanConsumer lean;
        private final TopicPartition id;
        private final long endNanos;
        private final List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        private long bytes;
        private int seen;

        Reading(Look look, LeanConsumer lean, TopicPartition id, long endNanos) {
            this.look = look;
            this.lean = lean;
            this.id = id;
            this.endNanos = endNanos;
        }

        @Nullable
        Rescued from(long offset) {
            int index = lean.assign(id.topic(), id.partition(), StartAt.offset(offset));
            try {
                while (seen < maxRecords && !isAtEnd(index) && goesOn()) {
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
                // The fault does not concern a single batch. The client's next poll will report it.
                return null;
            }
            boolean all = records.size() == seen;
            long next = all ? fault.offset() : records.getLast().offset() + 1;
            if (!all) {
                return new Rescued(id, records, next, null);
            }
            long behind = lean.offsetBehindFault(index);
            byte[] bytes = lean.bytesAtFault(index);
            return new Rescued(id, records, next, UnreadableBatch.of(id, end(index, behind, bytes), bytes, fault));
        }

        /**
         * Returns the end offset of the batch at fault. A damaged header may contain too low an end. If the broker
         * returns the same batch at that offset, the real end is higher.
         */
        private long end(int index, long behind, byte @Nullable [] bytes) {
            long base = UnreadableBatch.baseOffset(bytes);
            long end = behind;
            while (base >= 0 && end > base && end < lean.endOffset(index) && goesOn()) {
                long further = endOfRest(index, end, base);
                if (further <= end) {
                    break;
                }
                end = further;
            }
            return end;
        }

        /**
         * Reads at {@code offset}. Returns the offset after the batch if the broker returns the batch with base offset
         * {@code base} again; otherwise -1.
         */
        private long endOfRest(int index, long offset, long base) {
            lean.seek(index, StartAt.offset(offset));
            try {
                while (lean.poll(record -> lean.endPoll()) == 0
                        && lean.position(index) == offset
                        && !isAtEnd(index)
                        && goesOn()) {
                    lean.await(LONGEST_WAIT);
                }
                return -1;
            } catch (PartitionException fault) {
                boolean isSame =
                        LeanFaults.isOfABatch(fault) && UnreadableBatch.baseOffset(lean.bytesAtFault(index)) == base;
                return isSame ? lean.offsetBehindFault(index) : -1;
            }
        }

        private boolean goesOn() {
            return !look.cancelled && System.nanoTime() - endNanos < 0;
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
