package dev.weir.stream.internal.operator;

import dev.weir.stream.internal.run.Specialised;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands each element to a consumer and acknowledges it when that returns: in short runs while the consumer is quick, as
 * each acknowledgement alone would make the processor wait for its memory. Confined to the thread of its segment.
 *
 * <p>It takes elements through the {@link MapGroup} right above by itself, if there is one.
 */
final class ForEachSink<T> implements SinkLoop<T> {

    private static final Specialised<ElementLoop> LOOPS = Specialised.of(MethodHandles.lookup(), new ConsumerLoop());

    private final ElementLoop loop;
    private final Consumer<? super T> consumer;
    private final StageMeter meter;
    private final AckPace pace;

    /** What the sink took for a batch when it was last looked at alone, at least 1. */
    private long sampleNanos = 1;

    ForEachSink(Consumer<? super T> consumer, StageMeter meter, Clock clock) {
        this.loop = LOOPS.forFunction(consumer);
        this.consumer = consumer;
        this.meter = meter;
        this.pace = new AckPace(clock);
    }

    @Override
    public void run(Stage<T> upstream) throws InterruptedException {
        MapGroup<T> maps = MapGroup.rightAbove(upstream);
        Batch<T> batch;
        while ((batch = upstream.pull(Stage.NEVER)) != null) {
            if (batch.isEmpty()) {
                continue;
            }
            if (maps != null && maps.isOwed()) {
                runWith(maps, batch);
            } else {
                long start = System.nanoTime();
                pace.begin();
                int size = loop.run(batch, consumer, null, pace);
                sampleNanos = Math.max(1, System.nanoTime() - start);
                meter.in(size);
                meter.out(size);
                meter.busy(sampleNanos);
                meter.ran(sampleNanos);
            }
            batch.release();
        }
    }

    private void runWith(MapGroup<T> maps, Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        pace.begin();
        int reached = loop.run(batch, consumer, maps, pace);
        meter.ran(System.nanoTime() - start, maps.names());
        meter.in(reached);
        meter.out(reached);
        meter.busy(maps.countInSink(batch.size(), start, sampleNanos));
        maps.throwFailure();
    }

    /** What is copied for each class of consumers; see {@link Loop}. */
    private interface ElementLoop {

        /** Returns how many elements have reached the consumer. */
        <T> int run(Batch<T> batch, Consumer<? super T> consumer, @Nullable MapGroup<T> maps, AckPace pace)
                throws InterruptedException;
    }

    private static final class ConsumerLoop implements ElementLoop {

        @Override
        public <T> int run(Batch<T> batch, Consumer<? super T> consumer, @Nullable MapGroup<T> maps, AckPace pace)
                throws InterruptedException {
            int size = batch.size();
            int reached = 0;
            // What the consumer has returned from and nobody has acknowledged: from here to before `done`.
            int unacknowledged = 0;
            int done = 0;
            try {
                for (int i = 0; i < size; i++) {
                    if (batch.dropIfRevoked(i)) {
                        batch.ackAll(unacknowledged, done);
                        done = i + 1;
                        unacknowledged = done;
                        reached++;
                        continue;
                    }
                    T element;
                    try {
                        element = maps == null ? batch.get(i) : maps.through(batch.get(i));
                    } catch (MapGroup.Dropped dropped) {
                        batch.ackAll(unacknowledged, done);
                        done = i + 1;
                        unacknowledged = done;
                        if (maps.drop(dropped, batch, i)) {
                            break;
                        }
                        continue;
                    }
                    reached++;
                    consumer.accept(element);
                    done = i + 1;
                    if (pace.isDue(done - unacknowledged)) {
                        batch.ackAll(unacknowledged, done);
                        unacknowledged = done;
                    }
                }
            } finally {
                batch.ackAll(unacknowledged, done);
            }
            return reached;
        }
    }

    /**
     * How many elements are acknowledged together: each by itself where work on one takes long, so that none waits for
     * the next, and up to {@value #MOST} where it does not. Confined to one thread.
     */
    private static final class AckPace {

        static final int MOST = 16;

        /** A run that took longer was too long. */
        private static final long LONG_NANOS = TimeUnit.MICROSECONDS.toNanos(50);

        private final Clock clock;
        private int together = 1;
        private long sinceNanos;

        AckPace(Clock clock) {
            this.clock = clock;
        }

        /** Work begins. */
        void begin() {
            sinceNanos = clock.nanoTime();
        }

        /** Whether so many are to be acknowledged now; if so, the next run begins. */
        boolean isDue(int waiting) {
            if (waiting < together) {
                return false;
            }
            long now = clock.nanoTime();
            together = now - sinceNanos > LONG_NANOS ? 1 : Math.min(MOST, 2 * together);
            sinceNanos = now;
            return true;
        }
    }
}
