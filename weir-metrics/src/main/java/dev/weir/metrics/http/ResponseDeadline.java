package dev.weir.metrics.http;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives up on a client that does not read: interrupts the request's thread, which closes its connection. Runs from the
 * start of the request. Confined to the request's thread.
 */
public final class ResponseDeadline {

    private final ScheduledExecutorService timer;
    private final Duration limit;
    private final Thread request = Thread.currentThread();
    private @Nullable Future<?> alarm;

    ResponseDeadline(ScheduledExecutorService timer, Duration limit) {
        this.timer = timer;
        this.limit = limit;
        restart();
    }

    /** What is written from now on has the whole time again. */
    public void restart() {
        stop();
        alarm = timer.schedule(request::interrupt, limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Nothing is being written now: a stream of events waits for the next one. */
    public void stop() {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
    }
}
