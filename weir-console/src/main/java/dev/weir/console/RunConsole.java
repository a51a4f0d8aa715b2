package dev.weir.console;

import dev.weir.console.internal.http.ConsoleHandler;
import dev.weir.console.internal.state.RunLooker;
import dev.weir.metrics.http.HttpEndpoint;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page that shows benchmark runs second by second and forwards orders to the current run, served by the benchmark's
 * process. Thread-safe. {@link ConsoleServer.Builder#startForRuns} creates and starts one; {@code weir console PID}
 * finds it like a pipeline's console.
 */
public final class RunConsole implements AutoCloseable {

    /** Figure of {@link #second}: number of records due. */
    public static final String PLANNED = "planned_per_second";

    /** Figure: number of records sent. */
    public static final String SENT = "sent";

    /** Figure: number of records handled. */
    public static final String HANDLED = "handled";

    /** Figure: number of records sent and not handled at the end of the second. */
    public static final String LAG = "lag";

    /** Figure: the median latency. */
    public static final String P50_MILLIS = "p50_ms";

    /** Figure: the 99th percentile of latency. */
    public static final String P99_MILLIS = "p99_ms";

    /** Figure: number of consumers. */
    public static final String CONSUMERS = "consumers";

    /** Figure: time for which a handler blocks. */
    public static final String WORK_MILLIS = "work_ms";

    /** Figure: mean fetch time of the tested consumers over the last 30 seconds. */
    public static final String FETCH_MILLIS = "fetch_ms";

    /** Figure: mean number of records per fetch. */
    public static final String RECORDS_PER_FETCH = "records_per_fetch";

    /** Figure: median number of records per non-empty poll. */
    public static final String RECORDS_PER_POLL_P50 = "records_per_poll_p50";

    /** Figure: largest number of records in a poll. */
    public static final String RECORDS_PER_POLL_MAX = "records_per_poll_max";

    /** Figure: percentage of empty polls. */
    public static final String EMPTY_POLLS = "empty_polls_percent";

    private final HttpEndpoint http;
    private final RunLooker looker;

    /** Executes orders, on the thread of the request. */
    @FunctionalInterface
    public interface Orders {

        /**
         * Executes orders, which may take long.
         *
         * @param wanted orders with their values: {@code producerRate}, {@code work}, {@code consumers},
         *     {@code client.PROPERTY}, and the kinds of {@code weir bench modify}, such as {@code pause}
         * @return applied and refused orders by key
         */
        ControlReport order(Map<String, String> wanted) throws InterruptedException;
    }

    RunConsole(HttpEndpoint http, @Nullable String token, String name, Orders orders) {
        this.http = http;
        this.looker = new RunLooker(name, orders);
        http.start(ConsoleHandler.ofRuns(http.isLoopback(), token, looker));
        System.setProperty(ConsoleServer.ADDRESS_PROPERTY, http.uri().toString());
    }

    /** Notes the start of a run, or of a step between two runs. */
    public void doing(String what) {
        looker.doing(Objects.requireNonNull(what, "what"));
    }

    /**
     * Adds a second of the run.
     *
     * @param figures figures by the names above; unknown ones are NaN or missing
     */
    public void second(Map<String, Double> figures) {
        looker.second(Map.copyOf(Objects.requireNonNull(figures, "figures")));
    }

    /** Adds a line of text, for instance about a change or the end of a run; the page shows the last hundred. */
    public void note(String line) {
        looker.note(Objects.requireNonNull(line, "line"));
    }

    /** The address of the page on this machine. */
    public URI uri() {
        return http.uri();
    }

    /** Closes the port and all connections. The benchmark continues. */
    @Override
    public void close() {
        boolean ignored = System.getProperties()
                .remove(ConsoleServer.ADDRESS_PROPERTY, http.uri().toString());
        looker.end();
        looker.close();
        http.close();
    }

    @Override
    public String toString() {
        return "console of runs at " + uri();
    }
}
