package dev.weir.stream;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.StageMeter;

/**
 * Merges the elements of any number of running pipelines for one other pipeline, the taker, which reads them. Pipelines
 * may join and leave on both sides. Thread-safe; its creator closes it.
 *
 * <p>Any number of pipelines write to {@link #sink}; only one at a time reads from {@link #source}. The hub's buffer is
 * bounded: while it is full, the writing pipelines wait, whether or not there is a taker. Elements carry their
 * acknowledgements into the taker; when a writing pipeline ends, its source waits for the acknowledgements that are
 * still pending.
 *
 * <p>When the taker ends, for any reason, the elements that it had not pulled stay in the hub for the next taker.
 * {@link #close} ends the writing pipelines at once, without a failure, and ends the taker after it has received the
 * elements written so far.
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
     * @param buffer number of elements that may be queued in the hub, at least 1; may be exceeded by up to one batch
     */
    public static <T> MergeHub<T> create(int buffer) {
        return new MergeHub<>(buffer);
    }

    /** The sink to which any number of pipelines write their elements. */
    public Sink<T> sink() {
        return sink("mergeHub", false);
    }

    /**
     * The source from which a pipeline reads all elements. It refuses a second pipeline while the first one is running.
     */
    public Source<T> source() {
        return source("mergeHub", inbox);
    }

    /** Adds a taker without a run. Used by tests. */
    Taker<T> taker(Clock clock, StageMeter meter) {
        return join(inbox, clock, meter);
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        return whenRoom(() -> inbox.elements() < buffer, () -> inbox.add(batch));
    }
}
