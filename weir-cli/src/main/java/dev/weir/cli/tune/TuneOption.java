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
            names = "--waiting",
            description = "With --tune: tune a version in which two steps wait 5 ms for an answer.")
    private boolean waiting;

    /** Returns whether to tune; refuses the other option without it. */
    public boolean isGiven() {
        if (!tune && waiting) {
            throw CliFailure.usage("--waiting goes with --tune", "");
        }
        return tune;
    }

    /**
     * The number of events for each version; refuses one out of bounds.
     *
     * @param records as {@code --records} says, or null
     */
    public int events(@Nullable Integer records) {
        int least = waiting ? MIN_WAITING_EVENTS : MIN_EVENTS;
        if (records != null && (records < least || records > MAX_EVENTS)) {
            throw CliFailure.badValue("--records", records, "%,d to %,d with --tune".formatted(least, MAX_EVENTS));
        }
        return records != null ? records : waiting ? DEFAULT_WAITING_EVENTS : DEFAULT_EVENTS;
    }

    /** Returns the generator of the events. */
    EventGenerator generator(long seed) {
        return waiting ? new EventGenerator(seed) : ComputingVersion.traffic(seed);
    }

    /** The version to begin with; its caller closes it. Refuses an environment that overrides its dispatcher badly. */
    Version first() {
        return waiting ? WaitingVersion.first(System.getenv()) : ComputingVersion.first();
    }
}
