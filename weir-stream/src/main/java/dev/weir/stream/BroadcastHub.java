package dev.weir.stream;

import dev.weir.stream.internal.ack.SubstreamTarget;
import dev.weir.stream.spi.Batch;
import java.util.List;

/**
 * A place where one running pipeline brings its elements and any number of others take them all; pipelines come and go
 * on both sides. Thread-safe; its creator closes it.
 *
 * <p>One pipeline at a time ends in {@link #sink}; any number begin with {@link #source}, and take the elements that
 * are brought from then on. It goes at the pace of the slowest taker, and waits while there is none. An element is
 * acknowledged when all takers that were there when it was brought have done so.
 *
 * <p>A taker that is stopped takes the elements in its buffer. One that ends in another way leaves them: they are
 * acknowledged if another taker that got them goes on, otherwise they stay unfinished, so that the bringing pipeline
 * delivers them again when it starts anew. When the bringing pipeline ends the takers wait for the next one. {@link
 * #close} ends the bringing pipeline at once, without a failure, and the takers after the elements that were brought.
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
     * @param buffer how many elements may wait for each taker, at least 1; one batch more may stand there
     */
    public static <T> BroadcastHub<T> create(int buffer) {
        return new BroadcastHub<>(buffer);
    }

    /**
     * The sink to which a pipeline brings its elements; a second pipeline that begins while the first runs is refused.
     */
    public Sink<T> sink() {
        return sink("broadcastHub", true);
    }

    /** The source from which pipelines take all elements that are brought while they run. */
    public Source<T> source() {
        return source("broadcastHub", null);
    }

    /** The number of pipelines that take at present. */
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

    /** Each present taker gets the batch. */
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
