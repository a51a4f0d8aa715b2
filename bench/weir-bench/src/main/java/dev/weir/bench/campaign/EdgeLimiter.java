package dev.weir.bench.campaign;

import dev.weir.bench.explore.Verdict;
import dev.weir.bench.figures.TrialFigures;
import dev.weir.bench.workload.LockWindow;
import dev.weir.metrics.Limiter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the component that limited a driver, from the figures of the lowest rate that failed. Stateless. */
final class EdgeLimiter {
    private static final double BUSY = 0.9;

    private EdgeLimiter() {}

    /**
     * Returns the component that limited the driver; null if no component was busy enough.
     *
     * @param edge figures of the lowest failed rate; null if none failed
     */
    static @Nullable Limiter of(Verdict verdict, @Nullable TrialFigures edge, int brokers) {
        if (verdict == Verdict.GENERATOR_BOUND) {
            return Limiter.of(
                    Limiter.Kind.ARRIVAL,
                    "generator",
                    "the system holds what the generator can send",
                    "raise explore.maxRate, or run where the generator has more processors",
                    1);
        }
        if (edge == null) {
            return null;
        }
        if (edge.handlersBusyShare() >= BUSY) {
            return Limiter.of(
                    Limiter.Kind.STAGE_WAIT,
                    "handlers",
                    String.format(
                            Locale.ROOT,
                            "%.0f %% of the handlers that may block at a time did, for %.2f ms each",
                            100 * edge.handlersBusyShare(),
                            edge.handlerMillis()),
                    "raise options.concurrency or explore.members",
                    1);
        }
        if (edge.hostBusyShare() >= BUSY) {
            return Limiter.of(
                    Limiter.Kind.MACHINE_CPU,
                    "machine",
                    String.format(Locale.ROOT, "%.0f %% of all processors were busy", 100 * edge.hostBusyShare())
                            + taken("members", edge.driverCores())
                            + taken("brokers", edge.brokerCores()),
                    "run on more processors, or look for what else runs there",
                    1);
        }
        if (edge.locksHeldShare() >= BUSY) {
            return lockWindow(edge);
        }
        if (edge.brokerCores() >= BUSY * brokers) {
            return Limiter.of(
                    Limiter.Kind.SOURCE_BROKER,
                    "brokers",
                    String.format(
                            Locale.ROOT, "brokers took %.2f processors, with %d of them", edge.brokerCores(), brokers),
                    "add brokers, or partitions that spread over them",
                    1);
        }
        return null;
    }

    private static String taken(String who, double cores) {
        return Double.isNaN(cores) ? "" : String.format(Locale.ROOT, ", %s took %.2f", who, cores);
    }

    private static Limiter lockWindow(TrialFigures edge) {
        return Limiter.of(
                Limiter.Kind.SHARE_WINDOW,
                "lock window",
                String.format(
                        Locale.ROOT,
                        "the group held %.0f %% of the locks that it may of the fullest partition, while %s",
                        100 * edge.locksHeldShare(),
                        Double.isNaN(edge.handlersBusyShare())
                                ? "records waited"
                                : String.format(
                                        Locale.ROOT, "%.0f %% of the handlers worked", 100 * edge.handlersBusyShare())),
                LockWindow.ADVICE,
                1);
    }
}
