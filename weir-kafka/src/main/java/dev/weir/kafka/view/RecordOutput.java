package dev.weir.kafka.view;

import dev.weir.lean.LeanRecord;

/**
 * Receives the records that a {@link ViewEncoder} writes. Confined to the thread that calls the encoder. Allocates
 * nothing per record.
 */
public interface RecordOutput {

    /**
     * Returns an empty record to fill in: it has no key, value or headers, may go to any partition, and its timestamp
     * is the time of sending. Always returns the same object.
     */
    LeanRecord record(String topic);

    /**
     * Appends a copy of a record, which need not come from {@link #record}. The copy is sent when the sink receives the
     * element.
     */
    void send(LeanRecord record);
}
