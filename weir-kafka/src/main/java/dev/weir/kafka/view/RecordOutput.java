package dev.weir.kafka.view;

import dev.weir.lean.LeanRecord;

/**
 * Receives the records that a {@link ViewEncoder} writes. Confined to the thread that calls the encoder. Allocates
 * nothing per record.
 */
public interface RecordOutput {

    /**
     * Returns an empty record to fill in: no key, value or headers, any partition, and the time of sending. Always
     * returns the same object.
     */
    LeanRecord record(String topic);

    /**
     * Appends a copy of a record, which need not come from {@link #record}. The sink sends the copy when it receives
     * the element.
     */
    void send(LeanRecord record);
}
