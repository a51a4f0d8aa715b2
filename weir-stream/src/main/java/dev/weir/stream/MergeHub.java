package dev.weir.stream;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;

/**
 * A place where running pipelines bring their elements to one that takes them; pipelines come and go on both sides.
 * Thread-safe; its creator closes it.
 *
 * <p>Any number of pipelines end in {@link #sink}; one at a time begins with {@link #source}. Elements between them are
 * bounded in elements: a full hub halts the bringing pipelines, also while nobody takes. Acknowledgements go with the
 * elements into the taking pipeline; a bringing pipeline that ends has its source wait for those still under way.
 *
 * <p>When the taking pipeline ends, in whatever way, the elements that it had not pulled wait for the next one. {@link
 * #close} ends the bringing pipelines at once, without a failure, and the taking one after the elements that were
 * brought.
 *
 * {@snippet :
 * void collect() throws InterruptedException {
 *     try (MergeHub<Event> hub = MergeHub.create(1024);
 *             RunningPipeline all = hub.source().to(archive).run();
 *             RunningPipeline one = connection1.to(hub.sink()).run();
 *             RunningPipeline two = connection2.to(hub.sink()).run()) {
 *         one.await();
 *     }
 * }
 * }
 */
public final class MergeHub<T> extends Hub<T> {

    private final Inbox<T> inbox = new Inbox<>();

    private MergeHub(int buffer) {
        super(buffer);
    }

    /**
     * Creates an open hub.
     *
     * @param buffer how many elements may wait in it, at least 1; one batch more may stand in it
     */
    public static <T> MergeHub<T> create(int buffer) {
        return new MergeHub<>(buffer);
    }

    /** The sink to which pipelines bring their elements, any number at once. */
    public Sink<T> sink() {
        return sink("mergeHub", false);
    }

    /**
     * The source from which a pipeline takes all elements; a second one that begins while the first runs is refused.
     */
    public Source<T> source() {
        return source("mergeHub", inbox);
    }

    /** The one that takes, without a run. */
    Taker<T> taker(Clock clock, StageMeter meter) {
        return join(inbox, clock, meter);
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        return whenRoom(() -> inbox.elements() < buffer, () -> inbox.add(batch));
    }
}
