package dev.weir.bench.command;

import dev.weir.bench.campaign.ExploreListener;
import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Trial;
import dev.weir.bench.result.Explored;
import dev.weir.command.terminal.Terminal;
import java.util.Locale;

/** Progress of an exploration on standard error. Called on the exploration's thread. */
record ExploreProgress(Terminal terminal) implements ExploreListener {

    @Override
    public void note(String line) {
        terminal.note(line);
    }

    @Override
    public void status(String doing, double seconds) {
        // Without a status line, the terminal shows only finished trials.
        if (terminal.isLive()) {
            terminal.status(String.format(Locale.ROOT, "%.0f s, %s", seconds, doing));
        }
    }

    @Override
    public void tried(String driver, String point, int number, Trial trial) {
        Attempt attempt = trial.attempt();
        String result = switch (trial.outcome().result()) {
            case PASSED -> "passed";
            case FAILED -> "failed";
            case GENERATOR_BOUND -> "not sent";
        };
        terminal.note(String.format(
                Locale.ROOT,
                "%s at %s, trial %2d: %-10s %,12.1f/s  %-8s  %s",
                driver,
                point,
                number,
                attempt.kind().label(),
                attempt.rate(),
                result,
                trial.outcome().why()));
    }

    @Override
    public void finished(Explored explored) {
        terminal.note(explored.driver() + " at " + explored.point() + ": "
                + explored.finding().verdict());
    }
}
