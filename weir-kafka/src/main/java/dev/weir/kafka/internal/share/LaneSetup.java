package dev.weir.kafka.internal.share;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What all lanes of a run have in common. Immutable.
 *
 * @param name the pipeline's, for messages and threads
 * @param config of their clients, but for what a plan says
 * @param clients makes a client of a configuration
 * @param deliveryLimit deliveries after which the group gives a record up
 * @param copies keeps records that are at risk, or null if nobody does
 * @param onLost told when locks were lost, on the lane's thread; must not block
 * @param onFailure told of a fault that waiting does not cure
 */
record LaneSetup(
        String name,
        Map<String, Object> config,
        List<String> topics,
        Function<Map<String, Object>, ShareConsumer<byte[], byte[]>> clients,
        int deliveryLimit,
        ReadyRecords ready,
        ShareCounters counters,
        Scouts scouts,
        @Nullable ParkedCopies copies,
        Runnable onLost,
        Consumer<Throwable> onFailure) {}
