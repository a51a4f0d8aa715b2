package dev.weir.bench.command;

import dev.weir.bench.campaign.CampaignListener;
import dev.weir.bench.figures.PolledSizes;
import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderSender;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Phase;
import dev.weir.bench.result.Run;
import dev.weir.bench.workload.ClientProperties;
import dev.weir.command.console.ConsoleOption;
import dev.weir.command.terminal.CommandContext;
import dev.weir.console.ControlReport;
import dev.weir.console.RunConsole;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The web page for campaigns, with the same events as the terminal. The campaign's thread reports events; requests
 * arrive on the page's threads.
 */
final class BenchConsole implements AutoCloseable {
    private final @Nullable RunConsole page; // null if no page was requested
    private final ReentrantLock ordering = new ReentrantLock(); // a run accepts one command at a time
    private volatile @Nullable Path results; // of the current campaign

    /** Starts the page if it was requested, and prints the page's address before any other output. */
    BenchConsole(CommandContext weir, boolean json, ConsoleOption option) {
        RunConsole started = option.startForRuns(weir.terminal(), "weir bench", this::order);
        this.page = started;
        if (started == null) {
            return;
        }
        URI address = started.uri();
        weir.terminal().note("weir: console " + address);
        if (json) {
            weir.json().write(line -> {
                line.writeStringField("event", "started");
                line.writeNumberField("pid", ProcessHandle.current().pid());
                line.writeStringField("console", address.toString());
            });
        }
    }

    /**
     * Returns the listener for the campaign with results in {@code folder}. It passes events to the terminal and to the
     * page, if any.
     */
    CampaignListener hearing(Path folder, CampaignListener terminal) {
        results = folder;
        RunConsole shown = page;
        return shown == null ? terminal : new Both(terminal, shown);
    }

    /** Maps the names of series in the results to the names used by {@link RunConsole}. */
    private static final Map<String, String> SERIES = Map.of(
            "client: fetch ms",
            RunConsole.FETCH_MILLIS,
            "client: records per fetch",
            RunConsole.RECORDS_PER_FETCH,
            PolledSizes.P50,
            RunConsole.RECORDS_PER_POLL_P50,
            PolledSizes.MAX,
            RunConsole.RECORDS_PER_POLL_MAX,
            PolledSizes.EMPTY,
            RunConsole.EMPTY_POLLS);

    private record Both(CampaignListener terminal, RunConsole page) implements CampaignListener {
        @Override
        public void note(String line) {
            terminal.note(line);
            page.note(line);
        }

        @Override
        public void status(String doing, int runsDone, int runs, @Nullable Duration remaining) {
            terminal.status(doing, runsDone, runs, remaining);
            page.doing(runsDone + " of " + runs + " runs done, " + doing);
        }

        @Override
        public void second(Phase second, Map<String, Double> series) {
            terminal.second(second, series);
            Map<String, Double> figures = new LinkedHashMap<>();
            figures.put(RunConsole.PLANNED, second.producerRate());
            figures.put(RunConsole.SENT, (double) second.sent());
            figures.put(RunConsole.HANDLED, (double) second.records());
            figures.put(RunConsole.LAG, (double) second.lagRecords());
            figures.put(RunConsole.P50_MILLIS, second.p50Millis());
            figures.put(RunConsole.P99_MILLIS, second.p99Millis());
            figures.put(RunConsole.CONSUMERS, (double) second.consumers());
            figures.put(RunConsole.WORK_MILLIS, second.workMillis());
            SERIES.forEach((name, shown) -> {
                Double value = series.get(name);
                if (value != null) {
                    figures.put(shown, value);
                }
            });
            page.second(figures);
        }

        @Override
        public void finished(Run run, int runsDone, int runs) {
            terminal.finished(run, runsDone, runs);
            String why = run.failure() != null
                    ? ": " + run.failure()
                    : run.isValid()
                            ? String.format(
                                    Locale.ROOT, ": %,.0f/s", run.totals().recordsPerSecond())
                            : ": not quoted: "
                                    + run.flags().stream().map(Flag::text).collect(Collectors.joining(", "));
            page.note(run.key().fileName() + why);
        }
    }

    /** Sends all changed settings in one request, and each other action in its own request. */
    private ControlReport order(Map<String, String> wanted) throws InterruptedException {
        Map<String, String> set = new LinkedHashMap<>();
        Map<String, String> others = new LinkedHashMap<>();
        wanted.forEach((key, value) -> (isSettable(key) ? set : others).put(key, value));
        Map<String, String> applied = new LinkedHashMap<>();
        List<ControlReport.Refusal> refused = new ArrayList<>();
        if (!set.isEmpty()) {
            take(set, answer(Map.of("set", set)), applied, refused);
        }
        for (Map.Entry<String, String> other : others.entrySet()) {
            Map<String, String> one = Map.of(other.getKey(), other.getValue());
            take(one, answer(one), applied, refused);
        }
        return ControlReport.of(applied, refused);
    }

    private static void take(
            Map<String, String> asked,
            Answer answer,
            Map<String, String> applied,
            List<ControlReport.Refusal> refused) {
        if (answer.wasAccepted()) {
            applied.putAll(asked);
            // The answer contains the new values and the restarted members.
            applied.putAll(answer.applied());
            return;
        }
        asked.forEach(
                (key, value) -> refused.add(new ControlReport.Refusal(key, value, String.valueOf(answer.error()))));
    }

    private static boolean isSettable(String key) {
        return key.equals(Order.PRODUCER_RATE)
                || key.equals(Order.WORK)
                || key.equals(Order.CONSUMERS)
                || key.startsWith(Order.CLIENT)
                || key.startsWith(Order.GROUP);
    }

    private Answer answer(Map<String, ?> fields) throws InterruptedException {
        ordering.lockInterruptibly();
        try {
            Order order = Order.of(fields);
            ClientProperties.check(order);
            Path folder = results;
            OrderSender sender = folder == null ? null : OrderSender.to(folder);
            if (sender == null) {
                return refusal(
                        "no run that can be changed is running: scenario work, at-least-once, at-most-once or copy with"
                                + " topic.recordsPerSecond can, and steady with method.live");
            }
            Answer answer = sender.send(order);
            return answer == null ? refusal("the run ended before the order was done") : answer;
        } catch (IllegalArgumentException | UncheckedIOException e) {
            return refusal(String.valueOf(e.getMessage()));
        } finally {
            ordering.unlock();
        }
    }

    private static Answer refusal(String why) {
        return Answer.refused(why, 0, List.of());
    }

    @Override
    public void close() {
        if (page != null) {
            page.close();
        }
    }
}
