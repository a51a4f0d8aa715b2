package dev.weir.stream;

import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;

/**
 * Hands every element of one running pipeline to any number of other pipelines (takers). Pipelines may join and leave
 * on both sides. Thread-safe; its creator closes it.
 *
 * <p>One pipeline at a time writes to {@link #sink}. Any number read from {@link #source} and get the elements written
 * from then on. The slowest taker sets the pace; without takers the writer waits. An element is acknowledged once every
 * taker that was present when it was written has acknowledged it.
 *
 * <p>A taker that is stopped still gets the elements in its buffer. A taker that ends in any other way leaves them:
 * they are acknowledged if another taker of the same elements keeps running; otherwise they stay unfinished, and the
 * writing pipeline delivers them again after a restart. When the writing pipeline ends, the takers wait for the next
 * one. {@link #close} ends the writing pipeline at once, without a failure, and ends the takers after the elements
 * written so far.
 *
 * {@snippet :
 * void publish() throws InterruptedException {
 *     try (BroadcastHub<Price> hub = BroadcastHub.create(1024);
 *             RunningPipeline feed = prices.to(hub.sink()).run();
 *             RunningPipeline client = hub.source().to(connection).run()) {
 *         feed.await();
 *     }
 * }
 * }
 */
public final class BroadcastHub<T> extends Hub<T> {

    private BroadcastHub(int buffer) {
        super(buffer);
    }

    /**
     * Creates an open hub.
     *
     * @param buffer number of elements that may wait for each taker, at least 1; the last batch may exceed it
     */
    public static <T> BroadcastHub<T> create(int buffer) {
        return new BroadcastHub<>(buffer);
    }

    /** The sink to which a pipeline writes its elements. Refuses a second pipeline while the first runs. */
    public Sink<T> sink() {
        return sink("broadcastHub", true);
    }

    /** The source from which pipelines take all elements that are written while they run. */
    public Source<T> source() {
        return source("broadcastHub", null);
    }

    /** The number of pipelines that take elements now. */
    public int takers() {
        return takerCount();
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        return whenRoom(this::isRoomForAll, () -> addToAll(batch));
    }

    private boolean isRoomForAll() {
        for (Taker<T> taker : present()) {
            if (taker.inbox().elements() >= buffer) {
                return false;
            }
        }
        return !present().isEmpty();
    }

    /** Adds the batch to the inbox of each present taker. */
    private void addToAll(Batch<T> batch) {
        List<Taker<T>> all = List.copyOf(present());
        int copies = all.size() - 1;
        if (copies > 0) {
            batch.retainAll(copies);
        }
        for (int i = 0; i <= copies; i++) {
            Taker<T> taker = all.get(i);
            Batch<T> share = i < copies ? batch.copy() : batch;
            share.retarget(new SubstreamTarget.Wrapper(() -> othersGoOn(taker, all)));
            taker.inbox().add(share);
        }
    }

    @Override
    void left(List<Batch<T>> batches) {
        for (Batch<T> batch : batches) {
            for (int i = 0; i < batch.size(); i++) {
                batch.forgo(i);
            }
        }
    }
}
