package dev.weir.kafka.view;

import dev.weir.lean.LeanRecord;

/**
 * Receives the records that a {@link ViewEncoder} writes. Confined to the thread of the call; allocates nothing per
 * record.
 */
public interface RecordOutput {

    /**
     * Returns an empty record to fill in: without key, value and headers, for any partition, with the time of sending
     * as timestamp. Always the same object.
     */
    LeanRecord record(String topic);

    /** Appends a copy of a record, from {@link #record} or elsewhere. It is sent when the sink receives the element. */
    void send(LeanRecord record);
}
