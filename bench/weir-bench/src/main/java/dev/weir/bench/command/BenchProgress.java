package dev.weir.bench.command;

import dev.weir.bench.campaign.CampaignListener;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Run;
import dev.weir.command.terminal.Terminal;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shows the progress of a campaign on standard error. Called on the campaign's thread.
 *
 * @param prefix the campaign's number and the total number of campaigns; empty for a single campaign
 * @param others approximate duration of all campaigns that follow this one
 */
record BenchProgress(Terminal terminal, String prefix, Duration others) implements CampaignListener {

    @Override
    public void note(String line) {
        terminal.note(prefix + line);
    }

    @Override
    public void status(String doing, int runsDone, int runs, @Nullable Duration remaining) {
        terminal.status(prefix + runsDone + "/" + runs + " runs, " + doing
                + (remaining == null ? "" : ", " + inWords(remaining) + " left")
                + (others.isZero() ? "" : ", then about " + inWords(others)));
    }

    @Override
    public void second(Phase second, Map<String, Double> series) {
        terminal.status(String.format(
                Locale.ROOT,
                "%s%.0f s, planned %,.0f/s, sent %,d, handled %,d, lag %,d, p50 %s, p99 %s, %d consumers, work %.1f ms",
                prefix,
                second.toMillis() / 1e3,
                second.producerRate(),
                second.sent(),
                second.records(),
                second.lagRecords(),
                millis(second.p50Millis()),
                millis(second.p99Millis()),
                second.consumers(),
                second.workMillis()));
    }

    private static String millis(double millis) {
        return Double.isNaN(millis) ? "-" : String.format(Locale.ROOT, "%,.1f ms", millis);
    }

    private static String inWords(Duration time) {
        return time.toHours() > 0
                ? time.toHours() + " h " + time.toMinutesPart() + " min"
                : time.toMinutes() > 0
                        ? time.toMinutes() + " min " + time.toSecondsPart() + " s"
                        : time.toSeconds() + " s";
    }

    @Override
    public void finished(Run run, int runsDone, int runs) {
        String flags = run.flags().stream().map(Flag::text).collect(Collectors.joining(", "));
        if (run.failure() != null) {
            terminal.note(run.key().fileName() + ": " + run.failure());
        } else if (!run.isValid()) {
            terminal.note(run.key().fileName() + ": not quoted: " + flags);
        } else if (terminal.isLive()) {
            terminal.note(String.format(
                    Locale.ROOT,
                    "%-30s %,14.0f/s  %6.3f CPU s per million  %6.0f B per record  %s",
                    run.key().fileName(),
                    run.totals().recordsPerSecond(),
                    run.totals().cpuSecondsPerMillion(),
                    run.totals().allocatedBytesPerRecord(),
                    flags));
        }
    }
}
