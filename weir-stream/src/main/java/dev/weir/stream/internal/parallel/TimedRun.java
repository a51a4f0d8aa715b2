package dev.weir.stream.internal.parallel;

import dev.weir.stream.internal.workers.WorkerLimit;
import dev.weir.stream.spi.StageMeter;

/**
 * Measures the time that one worker spends on elements. Several quick elements are timed together. Confined to the
 * worker; {@link #account} must be called with the stage's lock held.
 */
final class TimedRun {

    private final StageMeter meter;
    private final HandlerPace pace;
    private final WorkerLimit limit;

    private long startNanos;
    private int elements;
    private int length = 1;
    private long nanos;

    TimedRun(StageMeter meter, HandlerPace pace, WorkerLimit limit) {
        this.meter = meter;
        this.pace = pace;
        this.limit = limit;
    }

    void begin() {
        if (elements == 0) {
            startNanos = System.nanoTime();
        }
    }

    void add(int worked) {
        elements += worked;
        if (elements >= length) {
            end();
        }
    }

    void end() {
        if (elements > 0) {
            nanos = System.nanoTime() - startNanos;
            meter.busy(nanos);
            meter.ran(nanos);
        }
    }

    /** Adds the measured time, if any, to the stage's averages. Called after {@link #add}, with the lock held. */
    void account(ElementTable<?> table) {
        if (nanos > 0) {
            pace.add(nanos / elements);
            limit.worked(elements, nanos, table.isFull(), startNanos + nanos);
            length = pace.runLength();
            elements = 0;
            nanos = 0;
        }
    }
}
