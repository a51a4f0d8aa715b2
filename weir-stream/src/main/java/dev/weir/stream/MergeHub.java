package dev.weir.stream;

import dev.weir.stream.spi.Batch;

/**
 * Merges the elements of any number of running pipelines into one other pipeline, called the taker. Writing and reading
 * pipelines may join and leave at any time. Thread-safe; its creator closes it.
 *
 * <p>Any number of pipelines write to {@link #sink}; only one at a time reads from {@link #source}. The hub's buffer is
 * bounded: while it is full, the writing pipelines wait, whether or not there is a taker. Elements keep their
 * acknowledgements. When a writing pipeline ends, its source waits until the taker has acknowledged the elements that
 * are still pending.
 *
 * <p>When the taker ends, for any reason, the elements that it has not pulled stay in the hub for the next taker. If
 * the taker fails or is cancelled, the elements that it has pulled but not finished stay unacknowledged, and their
 * sources do not wait for them. {@link #close} ends the writing pipelines immediately, without a failure, and ends the
 * taker after it has received the elements written so far. A closed hub keeps no elements for another taker.
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

    private final Inbox<T> inbox;

    private MergeHub(int buffer, Inbox<T> inbox) {
        super(buffer, inbox);
        this.inbox = inbox;
    }

    /**
     * Creates an open hub.
     *
     * @param buffer maximum number of elements queued in the hub, at least 1; the last batch added may exceed it
     */
    public static <T> MergeHub<T> create(int buffer) {
        return new MergeHub<>(buffer, new Inbox<>());
    }

    /** The sink to which any number of pipelines write their elements. */
    public Sink<T> sink() {
        return sink("mergeHub", false);
    }

    /**
     * The source from which a pipeline reads all elements. Refuses a second pipeline while the first one is running.
     */
    public Source<T> source() {
        return source("mergeHub");
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        return whenRoom(() -> inbox.elements() < buffer, batch, () -> inbox.add(batch));
    }
}
