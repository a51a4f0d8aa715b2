package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.RebalanceListener;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.DueRecords;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Creates the runtime objects of a source: a consumer, and the stage that pulls from it. Immutable. */
public final class ConsumerSource<K, V> implements SourceFactory<ConsumerRecord<K, V>> {

    private final ConsumerSettings<K, V> settings;
    private final ConsumerStart start;
    private final @Nullable ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis;

    private ConsumerSource(
            ConsumerSettings<K, V> settings,
            Subscription subscription,
            Delivery delivery,
            @Nullable ExternalOffsets external) {
        this(settings, subscription, delivery, external, null);
    }

    private ConsumerSource(
            ConsumerSettings<K, V> settings,
            Subscription subscription,
            Delivery delivery,
            @Nullable ExternalOffsets external,
            @Nullable ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis) {
        this.settings = settings;
        this.dueMillis = dueMillis;
        this.start = new ConsumerStart(settings, subscription, delivery, external);
    }

    /** Returns a source that commits records after they are acknowledged. */
    public static <K, V> ConsumerSource<K, V> committable(ConsumerSettings<K, V> settings, Subscription subscription) {
        return new ConsumerSource<>(settings, subscription, new Delivery.Committable(), null);
    }

    /** Returns a committable source that emits an unreadable batch as one record. */
    public static ConsumerSource<byte[], byte[]> committableWithUnreadable(
            ConsumerSettings<byte[], byte[]> settings, Subscription subscription) {
        return new ConsumerSource<>(settings, subscription, new Delivery.Committable(true), null);
    }

    /**
     * Returns a committable source that holds each record until it is due. Records of a partition are emitted in offset
     * order, so a record that is not due also delays later records.
     *
     * @param dueMillis returns a record's due time in milliseconds since the Unix epoch
     */
    public static <K, V> ConsumerSource<K, V> committableWhenDue(
            ConsumerSettings<K, V> settings,
            Subscription subscription,
            ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis) {
        return new ConsumerSource<>(settings, subscription, new Delivery.Committable(), null, dueMillis);
    }

    /** Returns a source that commits nothing. Work on revoked records ends before the listener is called. */
    public static <K, V> ConsumerSource<K, V> plain(
            ConsumerSettings<K, V> settings, Subscription subscription, @Nullable ExternalOffsets external) {
        return new ConsumerSource<>(settings, subscription, untold(settings, external), external);
    }

    static Delivery untold(ConsumerSettings<?, ?> settings, @Nullable ExternalOffsets external) {
        return new Delivery.Plain(external != null || settings.rebalanceListener() != RebalanceListener.NONE);
    }

    /** Returns a source that commits records before it emits them. */
    public static <K, V> ConsumerSource<K, V> atMostOnce(
            ConsumerSettings<K, V> settings, Subscription subscription, int commitAhead) {
        return new ConsumerSource<>(settings, subscription, new Delivery.AtMostOnce(commitAhead), null);
    }

    @Override
    public Stage<ConsumerRecord<K, V>> create(StageContext context) {
        RecordBuffer buffer = new RecordBuffer(
                context.clock(),
                dueMillis == null ? start.delay() : new DueRecords(dueMillis, System::currentTimeMillis));
        return start.pulled(start.open(context, buffer, settings, null), context);
    }
}
