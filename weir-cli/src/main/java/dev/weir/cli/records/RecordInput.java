package dev.weir.cli.records;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The records that {@code weir produce} writes, in order. Confined to the sending thread. */
interface RecordInput {

    /** The key and value of a record. Owned by the caller of {@link #next}. */
    final class KeyValue {

        private final byte @Nullable [] key;
        private final byte[] value;

        /** @param key null for a record without a key */
        KeyValue(byte @Nullable [] key, byte[] value) {
            this.key = key;
            this.value = value;
        }

        byte @Nullable [] key() {
            return key;
        }

        byte[] value() {
            return value;
        }
    }

    /** Returns the next record, or null at the end. May block. */
    @Nullable
    KeyValue next() throws IOException;

    /** Returns a name for a record in messages. Numbers start at 1. */
    String place(long number);
}
