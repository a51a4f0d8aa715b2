package dev.weir.kafka.internal.producer;

import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SerializationException;

/** What a refusal says about the record that it came for. Stateless. */
final class Refusals {

    private Refusals() {}

    /** Whether the next record may fare better. A missing topic or right, or a broken producer, are not of one record. */
    static boolean isOfRecord(Exception refusal) {
        return switch (refusal) {
            case RecordTooLargeException tooLarge -> true;
            case SerializationException notSerialisable -> true;
            case InvalidRecordException invalid -> true;
            case InvalidTimestampException invalid -> true;
            case KafkaException ofTheClient -> false;
            case IllegalStateException ofTheClient -> false;
            // Thrown by a serializer.
            default -> true;
        };
    }

    /**
     * Whether it says nothing about the record: the client gives this class, and no other, to the neighbours of an invalid
     * record in its batch, and to all that it gives up when it is closed.
     */
    static boolean isOfNeighbour(Exception refusal) {
        return refusal.getClass() == KafkaException.class;
    }

    /** How much it says about why a producer stopped: of two the one with more is told. */
    static int weight(Exception refusal) {
        if (isOfNeighbour(refusal)) {
            return 0;
        }
        return isOfRecord(refusal) ? 1 : 2;
    }
}
