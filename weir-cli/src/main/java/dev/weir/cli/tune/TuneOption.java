package dev.weir.cli.tune;

import dev.weir.command.terminal.CliFailure;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option {@code --tune} and its related options. Only picocli sets the fields. */
public final class TuneOption {
    private static final int MIN_EVENTS = 2_000;
    private static final int MAX_EVENTS = 500_000;
    private static final int DEFAULT_EVENTS = 150_000;
    private static final int DEFAULT_WAITING_EVENTS = 60_000;

    @Option(
            names = "--tune",
            description =
                    "Let a tuner improve a naive version of the pipeline while it runs, as 'weir tune' does; print"
                            + " for each step what limited it, what was changed, and the gain.")
    private boolean tune;

    @Option(
            names = "--waiting",
            description = "With --tune: tune a version in which two steps wait 5 ms for an answer.")
    private boolean waiting;

    /** Returns whether to tune. Throws if the user gave {@code --waiting} without {@code --tune}. */
    public boolean isGiven() {
        if (!tune && waiting) {
            throw CliFailure.usage("--waiting goes with --tune", "");
        }
        return tune;
    }

    /**
     * Returns the number of events in the topic. Throws if the requested number is out of bounds.
     *
     * @param records the value of {@code --records}, or null
     */
    public int events(@Nullable Integer records) {
        if (records != null && (records < MIN_EVENTS || records > MAX_EVENTS)) {
            throw CliFailure.badValue(
                    "--records", records, String.format(Locale.ROOT, "%,d to %,d with --tune", MIN_EVENTS, MAX_EVENTS));
        }
        return records != null ? records : waiting ? DEFAULT_WAITING_EVENTS : DEFAULT_EVENTS;
    }

    /**
     * Returns the pipeline to tune, which the caller must close. Throws if an environment variable that configures the
     * dispatcher is invalid.
     */
    Example example() {
        return waiting ? Example.waiting(System.getenv()) : Example.computing();
    }
}
