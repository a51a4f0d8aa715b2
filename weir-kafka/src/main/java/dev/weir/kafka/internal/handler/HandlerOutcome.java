package dev.weir.kafka.internal.handler;

import dev.weir.kafka.FailedRecord;
import dev.weir.kafka.spi.OfRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** The outcome of a record in its handler's stage. */
public sealed interface HandlerOutcome<R> {

    /**
     * It is done.
     *
     * @param attempts how often the handler was called
     */
    record Done<R>(ConsumerRecord<byte[], byte[]> raw, R result, int attempts) implements HandlerOutcome<R>, OfRecord {

        /** The record as one whose result cannot be written. */
        public FailedRecord unwritable(Throwable cause) {
            return new FailedRecord(raw, FailedRecord.Reason.WRITE, cause, attempts, false);
        }
    }

    /** It failed and goes to a topic for failed records. */
    record Failed<R>(FailedRecord failed) implements HandlerOutcome<R>, OfRecord {

        @Override
        public ConsumerRecord<byte[], byte[]> raw() {
            return failed.raw();
        }
    }

    /** It failed and its share group is to forget it. */
    record Rejected<R>(ConsumerRecord<byte[], byte[]> raw) implements HandlerOutcome<R>, OfRecord {}

    /** It failed and is not wanted any more. */
    record Skipped<R>() implements HandlerOutcome<R> {}
}
