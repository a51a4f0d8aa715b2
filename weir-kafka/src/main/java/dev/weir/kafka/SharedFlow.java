package dev.weir.kafka;

import dev.weir.kafka.internal.handler.HandlerPlan;
import dev.weir.kafka.internal.handler.HandlerPlan.HandlerStage;
import dev.weir.kafka.internal.share.member.ShareSource;
import dev.weir.stream.Action;
import dev.weir.stream.Handler;
import dev.weir.stream.Ordering;
import dev.weir.stream.Parallelism;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * A {@link KafkaFlow} over the records of a share group. Immutable; nothing runs until a pipeline created from it is
 * run.
 *
 * {@snippet :
 * KafkaFlow.shared(orders, "orders")
 *         .forEach(300, Ordering.unordered(), order -> price(order.value()))
 *         .deadLetter("orders-dead")
 *         .run();
 * }
 *
 * <p>A record whose handler still fails after all retries is released, and the group delivers it again, to this or
 * another member. A record that fails in its last delivery is written to the dead-letter topic, if there is one, and
 * accepted. {@link HandledSharedFlow#reject} rejects records that must not be delivered again. There are no retry
 * topics.
 *
 * <p>Records are unordered. With ordering by key, a member keeps the order of equal keys among the records that it has
 * acquired. There is no order across members.
 */
public final class SharedFlow<K, V> {

    private final ShareSettings<K, V> settings;
    private final List<String> topics;

    private SharedFlow(ShareSettings<K, V> settings, List<String> topics) {
        this.settings = settings;
        this.topics = topics;
    }

    /** Creates a flow over the records that the group delivers from the topics. */
    public static <K, V> SharedFlow<K, V> from(ShareSettings<K, V> settings, String... topics) {
        return new SharedFlow<>(Objects.requireNonNull(settings, "settings"), ShareSource.topics(topics));
    }

    /** Calls the handler with a fixed concurrency; see {@link #handle(Parallelism, Ordering, Handler)}. */
    public <R> HandledSharedFlow<K, V, R> handle(
            int concurrency,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Handler<? super ConsumerRecord<K, V>, ? extends R> handler) {
        return handle(Parallelism.fixed(concurrency), ordering, handler);
    }

    /**
     * Calls {@code handler}, which may block, on virtual threads, with at most the given number of concurrent calls.
     *
     * @param ordering unordered or by key; a share group has no input order
     */
    public <R> HandledSharedFlow<K, V, R> handle(
            Parallelism concurrency,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Handler<? super ConsumerRecord<K, V>, ? extends R> handler) {
        Objects.requireNonNull(concurrency, "concurrency");
        return handled(concurrency.max(), ordering, HandlerStage.blocking(concurrency, handler));
    }

    /**
     * Calls an action without a result, like {@link #handle}. Complete the flow with
     * {@link HandledSharedFlow#pipeline}.
     */
    public HandledSharedFlow<K, V, ConsumerRecord<K, V>> forEach(
            int concurrency,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Action<? super ConsumerRecord<K, V>> action) {
        Objects.requireNonNull(action, "action");
        return handle(concurrency, ordering, record -> {
            action.accept(record);
            return record;
        });
    }

    /** Starts an asynchronous computation for each record, at most {@code parallelism} at a time. */
    public <R> HandledSharedFlow<K, V, R> handleAsync(
            int parallelism,
            Ordering<? super ConsumerRecord<K, V>> ordering,
            Function<? super ConsumerRecord<K, V>, ? extends CompletionStage<? extends R>> handler) {
        return handled(parallelism, ordering, HandlerStage.async(parallelism, handler));
    }

    private <R> HandledSharedFlow<K, V, R> handled(
            int workers, Ordering<? super ConsumerRecord<K, V>> ordering, HandlerStage<K, V, R> stage) {
        ShareSettings<K, V> forWorkers = settings.toBuilder().workers(workers).build();
        RecordDecoder<K, V> decoder = new RecordDecoder<>(settings.keyDeserializer(), settings.valueDeserializer());
        return HandledSharedFlow.of(HandlerPlan.of(decoder, checked(ordering), stage), forWorkers, topics);
    }

    private static <T> Ordering<T> checked(Ordering<T> ordering) {
        Objects.requireNonNull(ordering, "ordering");
        if (ordering.isInput()) {
            throw new IllegalArgumentException("a share group has no order that could be kept: ordering=input;"
                    + " use Ordering.unordered(), or RecordOrdering.byKey() for records of one key within this member");
        }
        return ordering;
    }
}
