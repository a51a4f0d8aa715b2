package dev.weir.cli.pipe;

import org.apache.kafka.clients.consumer.ConsumerRecord;

/** A failure of an {@code exec:} or {@code each:} command, or of its input. The record stays unacknowledged. */
final class LineProcessException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    LineProcessException(String message) {
        super(message);
    }

    /** Returns this failure with a message that names the record. */
    LineProcessException of(ConsumerRecord<?, ?> record) {
        LineProcessException named = new LineProcessException(PipeRecords.name(record) + ": " + getMessage());
        named.initCause(this);
        return named;
    }
}
