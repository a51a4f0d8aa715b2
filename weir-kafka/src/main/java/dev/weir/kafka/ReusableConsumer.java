package dev.weir.kafka;

import dev.weir.kafka.internal.in.owner.ReusableConsumerOwner;
import dev.weir.stream.Source;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * One member of a group that several pipelines read from, at once or one after the other. Thread-safe. It runs until it
 * is closed, which comes after its pipelines have ended.
 *
 * <p>The consumer outlives the pipelines, so that one which failed can be started again without a rebalance: it goes on
 * at the first record that was not acknowledged, and unfinished records after it are repeated.
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
     * Joins the group. Partitions are not read before a pipeline does.
     *
     * @param subscription all that the pipelines read; without end
     */
    public static <K, V> ReusableConsumer<K, V> start(ConsumerSettings<K, V> settings, Subscription subscription) {
        return new ReusableConsumer<>(new ReusableConsumerOwner<>(settings, subscription));
    }

    /**
     * The {@link KafkaSource#atLeastOnce committable} records of these topics, or of all topics that no other pipeline
     * reads if none is given. A topic is read by one running pipeline at a time: a second is refused when it starts.
     */
    public Source<ConsumerRecord<K, V>> records(String... topics) {
        List<String> names = Arrays.asList(topics);
        return Source.custom("consume", sharing.reader(Set.copyOf(names)));
    }

    public ConsumerHandle handle() {
        return sharing.handle();
    }

    /**
     * Waits up to 30 seconds for the records that pipelines still work on, commits the finished part, and leaves the
     * group.
     */
    @Override
    public void close() {
        sharing.close();
    }
}
