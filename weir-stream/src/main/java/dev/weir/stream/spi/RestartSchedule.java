package dev.weir.stream.spi;

import dev.weir.stream.RestartSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether and when a stream may restart, based on its recent restarts. Its memory use is bounded. Not
 * thread-safe: the owner guards it with a lock or confines it to one thread.
 */
public final class RestartSchedule {

    /** Number of restarts to remember if they are unlimited. */
    private static final int REMEMBERED = 64;

    private final RestartSettings settings;

    /** Times of the restarts during the last period, oldest first. */
    final ArrayDeque<Long> restarts = new ArrayDeque<>();

    /** Creates a schedule without past restarts. */
    public RestartSchedule(RestartSettings settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
    }

    /**
     * Returns the delay before the restart after a failure, and counts that restart. Returns null if the JVM cannot
     * continue ({@link Thrown#isFatal}) or {@link RestartSettings#maxRestarts} is reached.
     *
     * @param nowNanos current time of a {@link Clock} or of {@link System#nanoTime}; all calls must use the same clock
     */
    public @Nullable Duration afterFailure(Throwable failure, long nowNanos) {
        return Thrown.isFatal(failure) ? null : next(nowNanos);
    }

    /**
     * Returns the delay before the restart after a normal end, and counts that restart. Returns null if
     * {@link RestartSettings#onCompletion} is false or {@link RestartSettings#maxRestarts} is reached.
     *
     * @param nowNanos current time of the same clock as for {@link #afterFailure}
     */
    public @Nullable Duration afterCompletion(long nowNanos) {
        return settings.onCompletion() ? next(nowNanos) : null;
    }

    private @Nullable Duration next(long nowNanos) {
        long withinNanos = settings.within().toNanos();
        while (!restarts.isEmpty() && nowNanos - restarts.getFirst() >= withinNanos) {
            restarts.removeFirst();
        }
        if (restarts.size() >= settings.maxRestarts()) {
            return null;
        }
        if (settings.maxRestarts() == RestartSettings.UNLIMITED && restarts.size() == REMEMBERED) {
            restarts.removeFirst();
        }
        restarts.addLast(nowNanos);
        return settings.backoff().after(restarts.size(), nowNanos);
    }
}
