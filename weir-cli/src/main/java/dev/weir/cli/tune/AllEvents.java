package dev.weir.cli.tune;

import dev.weir.command.terminal.CliFailure;
import dev.weir.command.terminal.Progress;
import dev.weir.command.terminal.Shutdown;
import dev.weir.stream.RunningPipeline;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits until a pipeline has processed all of its events. Stateless. */
final class AllEvents {

    private static final long TICK_MILLIS = 20;

    /** The longest time without progress. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private AllEvents() {}

    /** Returns true after {@code count} acknowledged outputs, or false if the command is stopped first. */
    static boolean areThrough(RunningPipeline running, long count, Shutdown shutdown, Progress progress, String what)
            throws InterruptedException {
        long lastMoved = -1;
        long movedNanos = System.nanoTime();
        while (!shutdown.isRequested()) {
            long acknowledged = running.stages().getLast().elementsOut();
            if (acknowledged >= count) {
                return true;
            }
            long now = System.nanoTime();
            if (acknowledged != lastMoved) {
                lastMoved = acknowledged;
                movedNanos = now;
            } else if (now - movedNanos > PATIENCE.toNanos()) {
                throw CliFailure.work(
                        String.format(
                                Locale.ROOT,
                                "nothing moved for %d s after %,d of %,d events",
                                PATIENCE.toSeconds(),
                                acknowledged,
                                count),
                        "Run it again with --log-file FILE and look there.");
            }
            progress.update(() -> String.format(Locale.ROOT, "%s: %,d of %,d events", what, acknowledged, count));
            awaitTick(running);
        }
        return false;
    }

    private static void awaitTick(RunningPipeline running) throws InterruptedException {
        try {
            running.completion().get(TICK_MILLIS, TimeUnit.MILLISECONDS);
            throw CliFailure.work("the pipeline ended before all events were through", "");
        } catch (ExecutionException failed) {
            throw CliFailure.work("the pipeline failed: " + failed.getCause(), "", failed);
        } catch (TimeoutException ignored) {
            // The pipeline is still running.
        }
    }
}
