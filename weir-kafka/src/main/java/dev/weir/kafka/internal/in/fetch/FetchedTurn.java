package dev.weir.kafka.internal.in.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * Records and news from a fetch thread to the owner: written by the fetch thread until the hand-over, then owned by the
 * owner.
 */
final class FetchedTurn {

    final List<Part> parts = new ArrayList<>();

    /** The failure that ended the thread. */
    @Nullable
    Throwable failure;

    boolean isEmpty() {
        return parts.isEmpty() && failure == null;
    }

    /** The news of a placement: its records, and the state after them. */
    static final class Part {

        final PartitionPlacement placement;
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long position;
        int leaderEpoch;
        long endOffset;
        int broker;

        /** The fault after the records. */
        @Nullable
        KafkaException failure;

        /** Set when the thread gives the partition away: the topic id that the position belongs to. */
        @Nullable
        Uuid givenAway;

        Part(PartitionPlacement placement) {
            this.placement = placement;
        }
    }
}
