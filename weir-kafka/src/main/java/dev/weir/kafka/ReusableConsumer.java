package dev.weir.kafka;

import dev.weir.kafka.internal.in.owner.ReusableConsumerOwner;
import dev.weir.stream.Source;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A group member that serves several pipelines, concurrently or one after the other. Thread-safe. The consumer runs
 * until {@link #close} is called. Close it only after its pipelines have ended.
 *
 * <p>A failed pipeline can be restarted without a rebalance, because the consumer stays in the group. The restarted
 * pipeline continues at the first unacknowledged record and skips later records that are already finished.
 *
 * <pre>{@code
 * try (var consumer = ReusableConsumer.start(settings, Subscription.topics("orders", "returns"))) {
 *     var orders = consumer.records("orders").to(booking).run();
 *     var returns = consumer.records("returns").to(refunding).run();
 *     ...
 * }
 * }</pre>
 */
public final class ReusableConsumer<K, V> implements AutoCloseable {

    private final ReusableConsumerOwner<K, V> sharing;

    private ReusableConsumer(ReusableConsumerOwner<K, V> sharing) {
        this.sharing = sharing;
    }

    /**
     * Joins the group. A partition is not fetched until a pipeline reads it.
     *
     * @param subscription the topics of all pipelines together; must be unbounded
     */
    public static <K, V> ReusableConsumer<K, V> start(ConsumerSettings<K, V> settings, Subscription subscription) {
        return new ReusableConsumer<>(new ReusableConsumerOwner<>(settings, subscription));
    }

    /**
     * Returns a source of {@link KafkaSource#atLeastOnce committable} records from the given topics; without arguments,
     * from all topics that no other pipeline reads. A topic may have one running pipeline; a second one fails when it
     * starts.
     */
    public Source<ConsumerRecord<K, V>> records(String... topics) {
        List<String> names = Arrays.asList(topics);
        return Source.custom("consume", sharing.reader(Set.copyOf(names)));
    }

    public ConsumerHandle handle() {
        return sharing.handle();
    }

    /** Waits up to 30 seconds for records in progress, commits finished records, and leaves the group. */
    @Override
    public void close() {
        sharing.close();
    }
}
