package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.encode.RecordBytes;

/** Records that were put together before they are sent, by their number. Confined to the thread that sends. */
public interface PreparedRecords {

    String topic(int number);

    /** -1 for any. */
    int partition(int number);

    /** Time of the record; {@code LeanRecord.NOW} for the time of sending. */
    long timestampMillis(int number);

    /** Shows a record, until the next one is shown. */
    RecordBytes bytes(int number);
}
