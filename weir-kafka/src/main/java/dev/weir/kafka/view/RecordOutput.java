package dev.weir.kafka.view;

import dev.weir.lean.LeanRecord;

/** Takes what a {@link ViewEncoder} writes. Confined to the thread of the call; allocates nothing per record. */
public interface RecordOutput {

    /**
     * A record to be filled in: without key, value and headers, for any partition, with the time at which it is sent.
     * It is the same object each time.
     */
    LeanRecord record(String topic);

    /** Appends a copy of a record: one of {@link #record}, or any other. It leaves when the sink gets it. */
    void send(LeanRecord record);
}
