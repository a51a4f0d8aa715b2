package dev.weir.cli.tune;

import dev.weir.cli.terminal.CliFailure;
import dev.weir.examples.asimov.EventGenerator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --tune} and what belongs to it. Filled by picocli, then read only. */
public final class TuneOption {
    private static final int MIN_EVENTS = 2_000;
    private static final int MIN_WAITING_EVENTS = 100;
    private static final int MAX_EVENTS = 500_000;
    private static final int DEFAULT_EVENTS = 150_000;
    private static final int DEFAULT_WAITING_EVENTS = 4_000;

    @Option(
            names = "--tune",
            description =
                    "Begin with a naive version of the pipeline and improve it step by step, as limiter and profile"
                            + " advise; tell for each step what limited, what was changed, and what it brought.")
    private boolean tune;

    @Option(
            names = "--events",
            paramLabel = "N",
            description = "With --tune: run N events through each version, 2,000 (100 with --waiting) to 500,000."
                    + " Default: 150,000, or 4,000 with --waiting.")
    private @Nullable Integer events;

    @Option(
            names = "--waiting",
            description = "With --tune: tune a version in which two steps wait 5 ms for an answer.")
    private boolean waiting;

    /** Whether to tune; refuses the other options without it, and a number out of bounds. */
    public boolean isGiven() {
        if (!tune && (events != null || waiting)) {
            throw CliFailure.usage((waiting ? "--waiting" : "--events") + " goes with --tune", "");
        }
        int least = waiting ? MIN_WAITING_EVENTS : MIN_EVENTS;
        if (events != null && (events < least || events > MAX_EVENTS)) {
            throw CliFailure.badValue("--events", events, "%,d to %,d".formatted(least, MAX_EVENTS));
        }
        return tune;
    }

    int events() {
        return events != null ? events : waiting ? DEFAULT_WAITING_EVENTS : DEFAULT_EVENTS;
    }

    /** Who makes the events. */
    EventGenerator generator(long seed) {
        return waiting ? new EventGenerator(seed) : ComputingVersion.traffic(seed);
    }

    /** What to begin with; its caller closes it. Refuses an environment that overrides its dispatcher badly. */
    Version first() {
        return waiting ? WaitingVersion.first(System.getenv()) : ComputingVersion.first();
    }
}
