package dev.weir.stream;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;

/**
 * Merges the elements of any number of running pipelines for one that takes them. Pipelines may join and leave on both
 * sides. Thread-safe; its creator closes it.
 *
 * <p>Any number of pipelines write to {@link #sink}; one at a time reads from {@link #source}. The hub's buffer is
 * bounded: a full hub halts the writing pipelines, with or without a taker. Acknowledgements go with the elements into
 * the taking pipeline; the source of a writing pipeline that ends waits for those still in flight.
 *
 * <p>When the taking pipeline ends, for any reason, the elements that it had not pulled wait for the next one.
 * {@link #close} ends the writing pipelines at once, without a failure, and the taking one after the elements written
 * so far.
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
     * @param buffer number of elements that may wait in it, at least 1; the last batch may exceed it
     */
    public static <T> MergeHub<T> create(int buffer) {
        return new MergeHub<>(buffer);
    }

    /** The sink to which any number of pipelines write their elements. */
    public Sink<T> sink() {
        return sink("mergeHub", false);
    }

    /** The source from which a pipeline takes all elements. Refuses a second pipeline while the first runs. */
    public Source<T> source() {
        return source("mergeHub", inbox);
    }

    /** Adds the taker, without a run. */
    Taker<T> taker(Clock clock, StageMeter meter) {
        return join(inbox, clock, meter);
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        return whenRoom(() -> inbox.elements() < buffer, () -> inbox.add(batch));
    }
}
