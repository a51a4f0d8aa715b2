package dev.weir.stream;

import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A place where one running pipeline brings its elements and each goes to one of those that take; pipelines come and go
 * on both sides. Thread-safe; its creator closes it.
 *
 * <p>One pipeline at a time ends in {@link #sink}; any number begin with {@link #source}. A {@link Route} chooses the
 * taker of an element. When there is no room with that one the bringing pipeline waits, as it does while fewer take
 * than there must be. Acknowledgements go with the elements.
 *
 * <p>A taker that is stopped takes the elements in its inbox. One that ends in another way leaves them, and the
 * elements it was working on, unfinished, and never gives them to another taker: the bringing pipeline delivers them
 * again when it starts anew. When the bringing pipeline ends the takers wait for the next one. {@link #close} ends the
 * bringing pipeline at once, without a failure, and the takers after the elements that were brought.
 *
 * {@snippet :
 * void book() throws InterruptedException {
 *     try (PartitionHub<Order> hub = PartitionHub.create(1024, 2, (order, takers) -> order.customer() % takers);
 *             RunningPipeline one = hub.source().to(ledger1).run();
 *             RunningPipeline two = hub.source().to(ledger2).run();
 *             RunningPipeline feed = orders.to(hub.sink()).run()) {
 *         feed.await();
 *     }
 * }
 * }
 */
public final class PartitionHub<T> extends Hub<T> {

    private final int minTakers;
    private final Route<? super T> route;

    /** Chooses the taker of an element. Called on the bringing pipeline's thread only. */
    @FunctionalInterface
    public interface Route<T> {

        /** Stands for no taker: the element is dropped, and acknowledged at once. */
        int NOBODY = -1;

        /**
         * The number of the taker, from 0, in the order in which they came; or {@link #NOBODY}. Called again for an
         * element whose taker has left before it got it. What it throws, like any other number, fails the bringing
         * pipeline.
         *
         * @param takers how many there are, at least as many as there must be
         */
        int takerOf(T element, int takers);
    }

    private PartitionHub(int buffer, int minTakers, Route<? super T> route) {
        super(buffer);
        if (minTakers < 1) {
            throw new IllegalArgumentException("minTakers must be at least 1: minTakers=" + minTakers);
        }
        this.minTakers = minTakers;
        this.route = Objects.requireNonNull(route, "route");
    }

    /**
     * Creates an open hub.
     *
     * @param buffer how many elements may wait for each taker, at least 1; one batch more may stand there
     * @param minTakers the bringing pipeline waits while fewer take; at least 1
     */
    public static <T> PartitionHub<T> create(int buffer, int minTakers, Route<? super T> route) {
        return new PartitionHub<>(buffer, minTakers, route);
    }

    /**
     * The sink to which a pipeline brings its elements; a second pipeline that begins while the first runs is refused.
     */
    public Sink<T> sink() {
        return sink("partitionHub", true);
    }

    /** The source from which pipelines take their share of the elements that are brought while they run. */
    public Source<T> source() {
        return source("partitionHub", null);
    }

    /** The number of pipelines that take at present. */
    public int takers() {
        return takerCount();
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        Batch<T> rest = batch;
        while (!rest.isEmpty()) {
            List<Taker<T>> to = new ArrayList<>();
            if (!whenRoom(() -> present().size() >= minTakers, () -> to.addAll(present()))) {
                return false;
            }
            List<Batch<T>> parts = parts(rest, to.size());
            rest = new Batch<>(0);
            for (int i = 0; i < parts.size(); i++) {
                Batch<T> part = parts.get(i);
                if (!part.isEmpty() && !give(part, to.get(i), rest)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Each taker's share. Not under the lock, as the route is the user's. */
    private List<Batch<T>> parts(Batch<T> batch, int takers) {
        List<Batch<T>> parts = new ArrayList<>();
        for (int i = 0; i < takers; i++) {
            parts.add(new Batch<>(0));
        }
        for (int i = 0; i < batch.size(); i++) {
            int to = route.takerOf(batch.get(i), takers);
            if (to == Route.NOBODY) {
                batch.ack(i);
            } else {
                parts.get(Objects.checkIndex(to, takers)).add(batch.get(i), batch.target(i), batch.token(i));
            }
        }
        return parts;
    }

    /**
     * Gives {@code part} to {@code taker}, or puts it with {@code back} if that has left. False if the hub is closed.
     */
    private boolean give(Batch<T> part, Taker<T> taker, Batch<T> back) throws InterruptedException {
        return whenRoom(() -> !present().contains(taker) || taker.inbox().elements() < buffer, () -> {
            if (present().contains(taker)) {
                taker.inbox().add(part);
            } else {
                for (int i = 0; i < part.size(); i++) {
                    back.add(part.get(i), part.target(i), part.token(i));
                }
            }
        });
    }
}
