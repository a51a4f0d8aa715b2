package dev.weir.bench.campaign;

import dev.weir.bench.explore.Verdict;
import dev.weir.bench.figures.TrialFigures;
import dev.weir.bench.result.Explored;
import dev.weir.bench.workload.LockWindow;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Names the party that held a rate back, by the figures of the lowest rate that was not held. Stateless. */
final class EdgeLimiter {
    private static final double BUSY = 0.9;

    private EdgeLimiter() {}

    /**
     * The limiter; null if nobody was busy enough to be named.
     *
     * @param edge of the lowest rate that failed; null if none did
     */
    static Explored.@Nullable Limiter of(Verdict verdict, @Nullable TrialFigures edge, int brokers) {
        if (verdict == Verdict.GENERATOR_BOUND) {
            return new Explored.Limiter(
                    "arrival",
                    "generator",
                    "the system holds what the generator can send",
                    "raise explore.maxRate, or run where the generator has more processors",
                    1);
        }
        if (edge == null) {
            return null;
        }
        if (edge.handlersBusyShare() >= BUSY) {
            return new Explored.Limiter(
                    "stage-wait",
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
            return new Explored.Limiter(
                    "machine-cpu",
                    "machine",
                    String.format(
                            Locale.ROOT,
                            "%.0f %% of all processors were busy, members took %.2f and brokers %.2f of them",
                            100 * edge.hostBusyShare(),
                            edge.driverCores(),
                            edge.brokerCores()),
                    "run on more processors, or look for what else runs there",
                    1);
        }
        if (edge.locksHeldShare() >= BUSY) {
            return lockWindow(edge);
        }
        if (edge.brokerCores() >= BUSY * brokers) {
            return new Explored.Limiter(
                    "source-broker",
                    "brokers",
                    String.format(
                            Locale.ROOT, "brokers took %.2f processors, with %d of them", edge.brokerCores(), brokers),
                    "add brokers, or partitions that spread over them",
                    1);
        }
        return null;
    }

    private static Explored.Limiter lockWindow(TrialFigures edge) {
        return new Explored.Limiter(
                "share-window",
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
