package dev.weir.stream;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;

/**
 * Hands every element of one running pipeline to any number of other pipelines, called takers. Writing and reading
 * pipelines may join and leave at any time. Thread-safe; its creator closes it.
 *
 * <p>Only one pipeline at a time writes to {@link #sink}. Any number of pipelines read from {@link #source}, and each
 * receives all elements that are written after it has joined. The slowest taker determines the rate. If there are no
 * takers, the writing pipeline waits. An element is acknowledged once it has been acknowledged by every taker that was
 * present when it was written.
 *
 * <p>A taker that is stopped still receives the elements in its buffer. A taker that ends in any other way abandons
 * them. If a taker fails or is cancelled, it also abandons the elements that it has received but not finished. If
 * another taker of an element is still running, abandoning the element counts as acknowledging it. Otherwise the
 * writing pipeline delivers the element again after a restart. When the writing pipeline ends, the takers wait for the
 * next one. {@link #close} ends the writing pipeline immediately, without a failure, and ends the takers after they
 * have received the elements written so far.
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
        super(buffer, null);
    }

    /**
     * Creates an open hub.
     *
     * @param buffer maximum number of elements queued for each taker, at least 1; the last batch added may exceed it
     */
    public static <T> BroadcastHub<T> create(int buffer) {
        return new BroadcastHub<>(buffer);
    }

    /** The sink to which a pipeline writes its elements. Refuses a second pipeline while the first one is running. */
    public Sink<T> sink() {
        return sink("broadcastHub", true);
    }

    /** The source from which each pipeline receives all elements that are written while it runs. */
    public Source<T> source() {
        return source("broadcastHub");
    }

    /** Number of pipelines that read from the hub. */
    public int takers() {
        return takerCount();
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        return whenRoom(this::isRoomForAll, batch, () -> addToAll(batch));
    }

    private boolean isRoomForAll() {
        for (Taker<T> taker : present()) {
            if (taker.inbox().elements() >= buffer) {
                return false;
            }
        }
        return !present().isEmpty();
    }

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
        EachAcknowledgement.of(batches, batch -> batch.forgoFrom(0));
    }
}
