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
 * Reads, by a lean consumer of its own, what a poll of Kafka's client has failed at: the client does not say which
 * offsets a batch has that it cannot decode, and of one that is too large for the heap not even the partition. It reads
 * on a thread of its own, one for each {@link Look}. Immutable.
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
     * Begins to look for the batch.
     *
     * @param positions where the poll had begun
     * @param hint what the client said; a partition that it names is read first
     */
    Look begin(Map<TopicPartition, LogPosition> positions, String hint) {
        Look look = new Look(Map.copyOf(positions), hint);
        look.thread.start();
        return look;
    }

    /** A search for the batch at fault. Belongs to the owner thread, which only looks at the answer. */
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

        /** The positions at which the failed poll began. */
        Map<TopicPartition, LogPosition> positions() {
            return positions;
        }

        boolean isDone() {
            return answer.isDone();
        }

        /**
         * Returns the result once it is done: null if there is no such batch, or the brokers did not answer in time.
         *
         * @param failure of the client, which gets what this failed with
         */
        @Nullable
        Rescued found(Throwable failure) {
            if (answer.isCompletedExceptionally()) {
                // The lean client may not suit these brokers: what the official one says stands.
                failure.addSuppressed(answer.exceptionNow());
                return null;
            }
            return answer.resultNow().orElse(null);
        }

        /** Ends it soon. Does not wait for that. */
        void cancel() {
            cancelled = true;
            thread.interrupt();
        }
    }

    private @Nullable Rescued search(Look look, String hint) {
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

    /** One partition that is read to a fault, or as far as a poll of the client could have come. */
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
                return null; // The client's own poll will say so.
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

        /** The end of the batch at fault, whose own header may name one that is too low. */
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
         * Returns the end of the batch of that base offset, as far as it is read at {@code offset}; -1 if it is not
         * there.
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
