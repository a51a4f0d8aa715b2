package dev.weir.metrics.http;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits the time that a client may take to read a response. When the limit is exceeded, the connection is closed and
 * the request's thread is interrupted. The timer starts before the handler is called. Confined to the request's thread.
 */
public final class ResponseDeadline {

    private final ScheduledExecutorService timer;
    private final Duration limit;
    private final Connection connection;
    private @Nullable Future<?> alarm;

    ResponseDeadline(ScheduledExecutorService timer, Duration limit, Connection connection) {
        this.timer = timer;
        this.limit = limit;
        this.connection = connection;
        restart();
    }

    /** Restarts the timer with the full time limit, so that the handler can write more of the response. */
    public void restart() {
        cancel();
        connection.isNow(Connection.State.WRITING);
        try {
            alarm = timer.schedule(connection::cut, limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The endpoint is being closed.
            connection.cut();
        }
    }

    /** Stops the timer while a stream of events waits for the next event. */
    public void stop() {
        cancel();
        connection.isNow(Connection.State.WORKING);
    }

    private void cancel() {
        if (alarm != null) {
            alarm.cancel(false);
            alarm = null;
        }
    }
}
