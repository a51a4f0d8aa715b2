package dev.weir.stream.internal.parallel;

import dev.weir.stream.spi.StageMeter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The running computations of a stage, by slot. Also measures the stage's busy time. Guarded by the stage's lock. */
final class InFlight<R> {

    private final @Nullable RunningComputation<R>[] bySlot;
    private final StageMeter meter;
    private int count;
    private long sinceNanos;

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
    InFlight(int slots, StageMeter meter) {
        this.bySlot = new RunningComputation[slots];
        this.meter = meter;
    }

    int count() {
        return count;
    }

    void add(RunningComputation<R> running) {
        bySlot[running.slot()] = running;
        change(1, running.startNanos());
    }

    boolean remove(RunningComputation<R> running, long nowNanos) {
        if (bySlot[running.slot()] != running) {
            return false;
        }
        bySlot[running.slot()] = null;
        change(-1, nowNanos);
        return true;
    }

    /**
     * Removes all computations. Returns the unfinished computations, detached, so that they do not report their
     * completion.
     */
    List<RunningComputation<R>> detachAll() {
        change(-count, System.nanoTime());
        List<RunningComputation<R>> all = new ArrayList<>();
        for (int slot = 0; slot < bySlot.length; slot++) {
            RunningComputation<R> running = bySlot[slot];
            if (running != null) {
                if (running.detach()) {
                    all.add(running);
                }
                bySlot[slot] = null;
            }
        }
        return all;
    }

    private void change(int by, long nowNanos) {
        meter.busy(count * (nowNanos - sinceNanos));
        count += by;
        sinceNanos = nowNanos;
    }
}
