package dev.weir.stream.internal.operator;

import dev.weir.stream.Action;
import dev.weir.stream.internal.run.FailureTransfer;
import dev.weir.stream.internal.run.SpecialisedLoop;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.FailedElement;
import dev.weir.stream.spi.PassMark;
import dev.weir.stream.spi.SinkLoop;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageMeter;
import java.lang.invoke.MethodHandles;
import org.jspecify.annotations.Nullable;

/**
 * Hands each element to an action and acknowledges it when the action returns. Confined to the stage's thread.
 *
 * <p>If a {@link MapGroup} is directly upstream, the sink calls that group's functions itself.
 */
final class ForEachSink<T> implements SinkLoop<T> {

    private static final SpecialisedLoop<ElementLoop> LOOPS =
            SpecialisedLoop.of(MethodHandles.lookup(), new ActionLoop());

    private final ElementLoop loop;
    private final Action<? super T> action;
    private final StageMeter meter;
    private final PassMark alone = new PassMark();

    /** Time that the sink needed for its last batch without the group's functions, at least 1. */
    private long sampleNanos = 1;

    ForEachSink(Action<? super T> action, StageMeter meter) {
        this.loop = LOOPS.forFunction(action);
        this.action = action;
        this.meter = meter;
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
                meter.beginPass(batch, true, start);
                int size = run(batch, null, alone);
                meter.endPass();
                sampleNanos = Math.max(1, System.nanoTime() - start);
                meter.in(size);
                meter.out(size);
                meter.busy(sampleNanos);
                meter.ran(sampleNanos);
            }
            batch.release();
        }
    }

    private int run(Batch<T> batch, @Nullable MapGroup<T> maps, PassMark mark) throws InterruptedException {
        try {
            return loop.run(batch, action, maps, mark, meter);
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception failure) {
            throw FailureTransfer.rethrow(failure);
        }
    }

    private void runWith(MapGroup<T> maps, Batch<T> batch) throws InterruptedException {
        long start = System.nanoTime();
        PassMark mark = maps.begin(batch, start, sampleNanos);
        double part = (double) sampleNanos / (sampleNanos + maps.samplesNanos());
        meter.beginPass(batch, true, start, mark, MapGroup.SINK, part);
        int reached = run(batch, maps, mark);
        meter.endPass();
        meter.ran(System.nanoTime() - start, maps.names());
        meter.in(reached);
        meter.out(reached);
        meter.busy(maps.countInSink(batch.size(), start, sampleNanos));
        maps.throwFailure();
    }

    /** Calls an action with the elements of a batch. Each action class gets its own copy; see {@link BatchLoop}. */
    private interface ElementLoop {

        /**
         * Processes a batch. Returns the number of elements that reached the sink, including dropped revoked elements.
         */
        <T> int run(
                Batch<T> batch, Action<? super T> action, @Nullable MapGroup<T> maps, PassMark mark, StageMeter meter)
                throws Exception;
    }

    private static final class ActionLoop implements ElementLoop {

        @Override
        public <T> int run(
                Batch<T> batch, Action<? super T> action, @Nullable MapGroup<T> maps, PassMark mark, StageMeter meter)
                throws Exception {
            int size = batch.size();
            int reached = 0;
            for (int i = 0; i < size; i++) {
                if (batch.dropIfRevoked(i)) {
                    reached++;
                    continue;
                }
                T element;
                try {
                    element = maps == null ? batch.get(i) : maps.through(batch.get(i));
                } catch (MapGroup.Dropped dropped) {
                    if (maps.drop(dropped, batch, i)) {
                        break;
                    }
                    meter.dropInPass(false);
                    continue;
                }
                reached++;
                mark.at(MapGroup.SINK);
                try {
                    action.accept(element);
                } catch (Exception | Error thrown) {
                    FailedElement.note(thrown, "forEach", batch.target(i), batch.token(i), batch.get(i));
                    throw thrown;
                }
                batch.ack(i);
            }
            return reached;
        }
    }
}
