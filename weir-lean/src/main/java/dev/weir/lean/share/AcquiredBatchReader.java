package dev.weir.lean.share;

import dev.weir.lean.internal.wire.FailureText;
import java.util.function.Consumer;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.internals.BufferSupplier;
import org.apache.kafka.common.utils.internals.CloseableIterator;

/** Reads the records of a batch, up to a limit in decompressed bytes. Confined to the member's thread. */
final class AcquiredBatchReader implements AutoCloseable {

    private final BufferSupplier buffers = BufferSupplier.create();
    private final ShareMember.Reading reading;

    static final class TooLarge extends KafkaException {

        private static final long serialVersionUID = 1L;

        TooLarge(int limitBytes) {
            super("larger than maxBatchBytes=" + limitBytes + " bytes");
        }
    }

    AcquiredBatchReader(ShareMember.Reading reading) {
        this.reading = reading;
    }

    /**
     * Passes all records of the batch to {@code to}. Records before a fault have already been passed.
     *
     * @throws KafkaException if the batch is damaged or too large
     * @throws IllegalArgumentException if its codec is unknown
     */
    void read(RecordBatch batch, Consumer<Record> to) {
        if (reading.checksCrc()) {
            batch.ensureValid();
        }
        long left = reading.maxBytes();
        long before = batch.baseOffset() - 1;
        try (CloseableIterator<Record> records = batch.streamingIterator(buffers, reading.maxBytes())) {
            while (records.hasNext()) {
                Record record = records.next();
                left -= record.sizeInBytes();
                if (left < 0) {
                    throw new TooLarge(reading.maxBytes());
                }
                // Brokers check this for compressed batches only, and archive a record that is acknowledged as a gap.
                if (record.offset() <= before || record.offset() > batch.lastOffset()) {
                    throw new CorruptRecordException("offset " + record.offset() + " after " + before);
                }
                before = record.offset();
                to.accept(record);
            }
        } catch (InvalidRecordException fault) {
            // Kafka has no separate exception for a record above the limit, so look for the limit in the message.
            if (FailureText.of(fault).contains(Integer.toString(reading.maxBytes()))) {
                throw new TooLarge(reading.maxBytes());
            }
            throw fault;
        }
    }

    @Override
    public void close() {
        buffers.close();
    }
}
