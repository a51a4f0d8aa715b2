package dev.weir.kafka.internal.in.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The records and news that a fetch thread has for the owner: made by the one, and the other's once it is handed over.
 */
final class FetchedTurn {

    final List<Part> parts = new ArrayList<>();

    /** The failure that ended the thread. */
    @Nullable
    Throwable failure;

    boolean isEmpty() {
        return parts.isEmpty() && failure == null;
    }

    /** The news of a placement: records, and where it stands behind them. */
    static final class Part {

        final PartitionPlacement placement;
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        long position;
        int leaderEpoch;
        long endOffset;
        int broker;

        /** The fault behind the records. */
        @Nullable
        KafkaException failure;

        /** Given away by the thread: the id of the topic in which the position is. */
        @Nullable
        Uuid givenAway;

        Part(PartitionPlacement placement) {
            this.placement = placement;
        }
    }
}
