package dev.weir.stream;

import dev.weir.stream.internal.ack.EachAcknowledgement;
import dev.weir.stream.spi.Batch;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Hands each element of one running pipeline to one of several other pipelines, called takers. Writing and reading
 * pipelines may join and leave at any time. Thread-safe; its creator closes it.
 *
 * <p>Only one pipeline at a time writes to {@link #sink}; any number of pipelines read from {@link #source}. A
 * {@link Route} chooses a taker for each element. The writing pipeline waits while the chosen taker's inbox is full,
 * and while there are fewer takers than the minimum. Elements keep their acknowledgements.
 *
 * <p>A taker that is stopped still receives the elements in its inbox. If a taker ends in any other way, these elements
 * and the elements it was processing stay unacknowledged. They are not passed to another taker. The writing pipeline
 * delivers them again after a restart. When the writing pipeline ends, the takers wait for the next one. {@link #close}
 * ends the writing pipeline immediately, without a failure, and ends the takers after they have received the elements
 * written so far.
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

    /** Chooses the taker of each element. Called only on the writing pipeline's thread. */
    @FunctionalInterface
    public interface Route<T> {

        /** The result of {@link #takerOf} that drops and acknowledges the element. */
        int NOBODY = -1;

        /**
         * Returns the index of the element's taker, or {@link #NOBODY}. Takers are numbered from 0, in the order in
         * which they joined. If the taker leaves before it receives the element, this method is called again. An
         * exception or any other number fails the writing pipeline.
         *
         * @param takers number of takers, at least the minimum
         */
        int takerOf(T element, int takers);
    }

    private PartitionHub(int buffer, int minTakers, Route<? super T> route) {
        super(buffer, null);
        if (minTakers < 1) {
            throw new IllegalArgumentException("minTakers must be at least 1: minTakers=" + minTakers);
        }
        this.minTakers = minTakers;
        this.route = Objects.requireNonNull(route, "route");
    }

    /**
     * Creates an open hub.
     *
     * @param buffer maximum number of elements queued for each taker, at least 1; the last batch added may exceed it
     * @param minTakers minimum number of takers, at least 1; the writing pipeline waits while there are fewer
     */
    public static <T> PartitionHub<T> create(int buffer, int minTakers, Route<? super T> route) {
        return new PartitionHub<>(buffer, minTakers, route);
    }

    /** The sink to which a pipeline writes its elements. Refuses a second pipeline while the first one is running. */
    public Sink<T> sink() {
        return sink("partitionHub", true);
    }

    /** The source of the takers. Each receives the elements that the route assigns to it. */
    public Source<T> source() {
        return source("partitionHub");
    }

    /** Number of pipelines that read from the hub. */
    public int takers() {
        return takerCount();
    }

    @Override
    boolean put(Batch<T> batch) throws InterruptedException {
        Batch<T> rest = batch;
        while (!rest.isEmpty()) {
            List<Taker<T>> to = new ArrayList<>();
            if (!whenRoom(() -> present().size() >= minTakers, () -> to.addAll(present()))) {
                rest.forgoFrom(0);
                return false;
            }
            List<Batch<T>> parts = parts(rest, to.size());
            rest = new Batch<>(0);
            for (int i = 0; i < parts.size(); i++) {
                Batch<T> part = parts.get(i);
                if (!part.isEmpty() && !give(part, to.get(i), rest)) {
                    List<Batch<T>> left = new ArrayList<>(parts.subList(i, parts.size()));
                    left.add(rest);
                    EachAcknowledgement.of(left, unused -> unused.forgoFrom(0));
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * Splits a batch by taker. If the route or an acknowledgement throws, abandons all elements. Call it without the
     * lock.
     */
    private List<Batch<T>> parts(Batch<T> batch, int takers) {
        List<Batch<T>> parts = new ArrayList<>();
        for (int i = 0; i < takers; i++) {
            parts.add(new Batch<>(0));
        }
        int next = 0;
        try {
            while (next < batch.size()) {
                int to = route.takerOf(batch.get(next), takers);
                if (to == Route.NOBODY) {
                    batch.ack(next++);
                } else {
                    Batch<T> part = parts.get(Objects.checkIndex(to, takers));
                    part.add(batch.get(next), batch.target(next), batch.token(next));
                    next++;
                }
            }
        } catch (RuntimeException | Error thrown) {
            try {
                batch.abandonFrom(next);
            } finally {
                EachAcknowledgement.of(parts, Batch::abandonAll);
            }
            throw thrown;
        }
        return parts;
    }

    /**
     * Adds {@code part} to the inbox of {@code taker} once there is room. If the taker has left, adds it to
     * {@code back}, which is routed again. Returns false if the hub is closed.
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
