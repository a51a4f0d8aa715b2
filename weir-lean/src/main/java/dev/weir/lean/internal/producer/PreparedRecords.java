package dev.weir.lean.internal.producer;

import dev.weir.lean.internal.encode.RecordBytes;

/** Records that were encoded in advance, accessed by index. Confined to the sending thread. */
public interface PreparedRecords {

    String topic(int number);

    /** The partition; -1 for any. */
    int partition(int number);

    /** The record's timestamp; {@code LeanRecord.NOW} for the time of sending. */
    long timestampMillis(int number);

    /** Returns a reference to a record. The reference is valid until the next call. */
    RecordBytes bytes(int number);
}
