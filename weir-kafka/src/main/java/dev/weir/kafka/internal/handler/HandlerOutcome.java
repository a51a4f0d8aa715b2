package dev.weir.kafka.internal.handler;

import dev.weir.kafka.deadletter.FailedRecord;
import dev.weir.kafka.spi.OfRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The outcome of handling a record. */
public sealed interface HandlerOutcome<R> {

    /**
     * The record was processed.
     *
     * @param attempts number of handler calls
     */
    record Done<R>(ConsumerRecord<byte[], byte[]> raw, R result, int attempts) implements HandlerOutcome<R>, OfRecord {

        /** Returns the failed record for a {@code result} that could not be written. */
        public FailedRecord unwritable(Throwable cause) {
            return new FailedRecord(raw, FailedRecord.Reason.WRITE, cause, attempts, false);
        }
    }

    /** The record failed and will be written to a topic for failed records. */
    record Failed<R>(FailedRecord failed) implements HandlerOutcome<R>, OfRecord {

        @Override
        public ConsumerRecord<byte[], byte[]> raw() {
            return failed.raw();
        }
    }

    /** The record failed, and its share group rejects it. */
    record Rejected<R>(ConsumerRecord<byte[], byte[]> raw) implements HandlerOutcome<R>, OfRecord {}

    /** The record failed and is dropped. */
    record Skipped<R>() implements HandlerOutcome<R> {}
}
