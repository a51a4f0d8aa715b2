package dev.weir.kafka.internal.in.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Records and state changes passed from a fetch thread to the owner. Written by the fetch thread until the hand-over;
 * afterwards only the owner uses the object.
 */
final class FetchedTurn {

    final List<Part> parts = new ArrayList<>();

    /** The failure that terminated the fetch thread; null if the thread is running. */
    @Nullable
    Throwable failure;

    boolean isEmpty() {
        return parts.isEmpty() && failure == null;
    }

    /** The new records of a placement, and its state after them. */
    static final class Part {

        final PartitionPlacement placement;
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long position;
        int leaderEpoch;
        long endOffset;
        int broker;

        /** The fault found after the records; null if there is none. */
        @Nullable
        KafkaException failure;

        /**
         * The id of the topic that the position belongs to, if the fetch thread has given the partition away; otherwise
         * null.
         */
        @Nullable
        Uuid givenAway;

        Part(PartitionPlacement placement) {
            this.placement = placement;
        }
    }
}
