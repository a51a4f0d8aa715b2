package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.fetch.FetchedMaker;
import dev.weir.kafka.internal.in.view.ViewPool;
import dev.weir.kafka.internal.meters.DecodeTime;
import dev.weir.kafka.view.RecordViews;
import dev.weir.lean.RecordView;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.BatchPool;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Creates the runtime objects of a source that decodes its elements in the receive buffer. Immutable. */
public final class ViewSource<T> implements SourceFactory<T> {

    private final ConsumerSettings<byte[], byte[]> settings;
    private final ConsumerStart start;
    private final boolean inRows;

    private ViewSource(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            Delivery delivery,
            @Nullable ExternalOffsets external,
            boolean inRows,
            Function<DecodeTime, FetchedMaker> makers) {
        if (subscription.due() != null) {
            throw new IllegalArgumentException("dueAt does not go with a decoder of views, which keeps no record to ask"
                    + " about: leave the decoder out");
        }
        this.settings = settings.raw();
        this.inRows = inRows;
        this.start = new ConsumerStart(settings, subscription, delivery, external, makers);
    }

    /** Returns a committable source of elements that each hold several consecutive records. */
    public static ViewSource<RecordViews> keeping(ConsumerSettings<?, ?> settings, Subscription subscription) {
        ViewPool pool = new ViewPool();
        return new ViewSource<>(
                settings, subscription, new Delivery.Committable(), null, true, time -> FetchedMaker.keeping(pool));
    }

    /** Returns a committable source. Decoders run on the fetch threads, or on the owner thread if there are none. */
    public static <T> ViewSource<T> committable(
            ConsumerSettings<?, ?> settings, Subscription subscription, Function<RecordView, ? extends T> decoder) {
        return decoding(settings, subscription, new Delivery.Committable(), null, decoder);
    }

    /** Returns a source that commits nothing; see {@link ConsumerSource#plain}. */
    public static <T> ViewSource<T> plain(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            @Nullable ExternalOffsets external,
            Function<RecordView, ? extends T> decoder) {
        return decoding(settings, subscription, ConsumerSource.untold(settings, external), external, decoder);
    }

    /** Returns a source that commits records before it emits them. */
    public static <T> ViewSource<T> atMostOnce(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            int commitAhead,
            Function<RecordView, ? extends T> decoder) {
        return decoding(settings, subscription, new Delivery.AtMostOnce(commitAhead), null, decoder);
    }

    private static <T> ViewSource<T> decoding(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            Delivery delivery,
            @Nullable ExternalOffsets external,
            Function<RecordView, ? extends T> decoder) {
        Objects.requireNonNull(subscription, "subscription");
        Objects.requireNonNull(decoder, "decoder");
        if (settings.fetch() != FetchPath.LEAN) {
            throw new IllegalArgumentException("a decoder of views needs the lean path: fetch=" + settings.fetch()
                    + "; set fetch(FetchPath.LEAN)");
        }
        return new ViewSource<>(
                settings, subscription, delivery, external, false, time -> FetchedMaker.decoding(decoder, time));
    }

    @Override
    public Stage<T> create(StageContext context) {
        RecordBuffer buffer = new RecordBuffer(context.clock(), null);
        Stage<T> elements = start.open(context, buffer, settings, null);
        return inRows ? new Rows<>(elements, buffer) : elements;
    }

    /**
     * Moves the elements into batches from a pool, which avoids a new batch per fetch. Confined to the stage's thread.
     */
    private static final class Rows<T> implements Stage<T> {

        private static final int USUAL_ROWS = 8;

        private final Stage<T> elements;
        private final RecordBuffer buffer;
        private final BatchPool pool = new BatchPool(USUAL_ROWS);

        Rows(Stage<T> elements, RecordBuffer buffer) {
            this.elements = elements;
            this.buffer = buffer;
        }

        @Override
        public @Nullable Batch<T> pull(long deadlineNanos) throws InterruptedException {
            Batch<T> batch = elements.pull(deadlineNanos);
            if (batch == null) {
                return null;
            }
            Batch<T> rows = pool.take();
            for (int i = 0; i < batch.size(); i++) {
                rows.add(batch.get(i), batch.target(i), batch.token(i));
            }
            buffer.giveBack(batch.retyped());
            return rows;
        }

        @Override
        public void close() {
            elements.close();
        }
    }
}
