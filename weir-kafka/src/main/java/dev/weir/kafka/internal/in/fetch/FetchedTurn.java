package dev.weir.kafka.internal.in.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/**
 * The records and state changes from one poll of a fetch thread. The fetch thread fills the object and passes it to the
 * owner thread.
 */
final class FetchedTurn {

    final List<Part> parts = new ArrayList<>();

    @Nullable
    Throwable failure;

    boolean isEmpty() {
        return parts.isEmpty() && failure == null;
    }

    /** The new records of one partition, and the partition's state after them. */
    static final class Part {

        final PartitionPlacement placement;
        List<Fetched> elements = new ArrayList<>();
        long position;
        int leaderEpoch;
        long endOffset;
        int broker;

        /** The fault found after the records, or null. */
        @Nullable
        KafkaException failure;

        /** The topic id for {@link #position} if the fetch thread gave the partition away; otherwise null. */
        @Nullable
        Uuid givenAway;

        Part(PartitionPlacement placement) {
            this.placement = placement;
        }
    }
}
