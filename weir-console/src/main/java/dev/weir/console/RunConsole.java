package dev.weir.console;

import dev.weir.console.internal.http.ConsoleHandler;
import dev.weir.console.internal.state.RunLooker;
import dev.weir.metrics.http.HttpEndpoint;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page that shows benchmark runs second by second, and forwards commands to the current run. The benchmark's process
 * serves the page. {@code weir console PID} finds the page in the same way as a pipeline's console. Thread-safe.
 * Created by {@link ConsoleServer.Builder#startForRuns}.
 */
public final class RunConsole implements AutoCloseable {

    /** Metric of {@link #second}: the number of records due. */
    public static final String PLANNED = "planned_per_second";

    /** Metric: the number of records sent. */
    public static final String SENT = "sent";

    /** Metric: the number of records handled. */
    public static final String HANDLED = "handled";

    /** Metric: the number of records that were sent but not handled by the end of the second. */
    public static final String LAG = "lag";

    /** Metric: the median latency. */
    public static final String P50_MILLIS = "p50_ms";

    /** Metric: the 99th percentile of the latency. */
    public static final String P99_MILLIS = "p99_ms";

    /** Metric: the number of consumers. */
    public static final String CONSUMERS = "consumers";

    /** Metric: the time that the handler blocks to simulate work. */
    public static final String WORK_MILLIS = "work_ms";

    /** Metric: the mean fetch time of the tested consumers over the last 30 seconds. */
    public static final String FETCH_MILLIS = "fetch_ms";

    /** Metric: the mean number of records per fetch. */
    public static final String RECORDS_PER_FETCH = "records_per_fetch";

    /** Metric: the median number of records per non-empty poll. */
    public static final String RECORDS_PER_POLL_P50 = "records_per_poll_p50";

    /** Metric: the largest number of records in a poll. */
    public static final String RECORDS_PER_POLL_MAX = "records_per_poll_max";

    /** Metric: the percentage of empty polls. */
    public static final String EMPTY_POLLS = "empty_polls_percent";

    private final HttpEndpoint http;
    private final RunLooker looker;

    /**
     * Executes commands that users send from the page or with {@code weir console --set}. Called on the thread that
     * handles the user's request.
     */
    @FunctionalInterface
    public interface Orders {

        /**
         * Executes commands. This may take a long time.
         *
         * @param wanted the commands with their values. The commands are {@code producerRate}, {@code work},
         *     {@code consumers}, {@code client.PROPERTY}, and the kinds of changes that {@code weir bench modify}
         *     accepts, such as {@code pause}
         * @return the applied and refused commands by key
         */
        ControlReport order(Map<String, String> wanted) throws InterruptedException;
    }

    RunConsole(HttpEndpoint http, @Nullable String token, String name, Orders orders) {
        this.http = http;
        this.looker = new RunLooker(name, orders);
        http.start(ConsoleHandler.ofRuns(http.isLoopback(), token, looker));
        OpenConsoles.add(http.uri());
    }

    /** Reports the start of a run, or of a step between two runs. */
    public void doing(String what) {
        looker.doing(Objects.requireNonNull(what, "what"));
    }

    /**
     * Adds the metrics of one second of the current run.
     *
     * @param figures the metrics by name, using the constants of this class; unknown metrics are NaN or missing
     */
    public void second(Map<String, Double> figures) {
        looker.second(Map.copyOf(Objects.requireNonNull(figures, "figures")));
    }

    /** Adds a line of text, for example about a change or the end of a run. The page shows the last hundred lines. */
    public void note(String line) {
        looker.note(Objects.requireNonNull(line, "line"));
    }

    /** The page's address on this machine. */
    public URI uri() {
        return http.uri();
    }

    /** Closes the port and all connections. The benchmark continues. */
    @Override
    public void close() {
        OpenConsoles.remove(http.uri());
        looker.end();
        looker.close();
        http.close();
    }

    @Override
    public String toString() {
        return "console of runs at " + uri();
    }
}
