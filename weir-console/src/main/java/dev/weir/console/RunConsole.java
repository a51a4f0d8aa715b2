package dev.weir.console;

import dev.weir.console.internal.http.ConsoleHandler;
import dev.weir.console.internal.state.RunLooker;
import dev.weir.metrics.http.HttpEndpoint;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A page that shows the runs of a benchmark second by second and takes orders to the one that goes on, served by the
 * process that runs them. Thread-safe. {@link ConsoleServer.Builder#startForRuns} makes one, which listens, and is
 * found by {@code weir console PID}, as a pipeline's console is.
 */
public final class RunConsole implements AutoCloseable {

    /** Figure of {@link #second}: how many records were due in it. */
    public static final String PLANNED = "planned_per_second";

    /** Figure: how many were sent in it. */
    public static final String SENT = "sent";

    /** Figure: how many were handled in it. */
    public static final String HANDLED = "handled";

    /** Figure: how many were sent and not handled at its end. */
    public static final String LAG = "lag";

    /** Figure: the median of their latencies. */
    public static final String P50_MILLIS = "p50_ms";

    /** Figure: the 99th percentile. */
    public static final String P99_MILLIS = "p99_ms";

    /** Figure: how many consumers there are. */
    public static final String CONSUMERS = "consumers";

    /** Figure: how long a handler blocks. */
    public static final String WORK_MILLIS = "work_ms";

    /** Figure: how long a fetch of the consumers under test takes, by the mean over their last 30 seconds. */
    public static final String FETCH_MILLIS = "fetch_ms";

    /** Figure: how many records a fetch brought, by the mean of the second. */
    public static final String RECORDS_PER_FETCH = "records_per_fetch";

    /** Figure: the median number of records of the polls that returned any. */
    public static final String RECORDS_PER_POLL_P50 = "records_per_poll_p50";

    /** Figure: the most records that a poll returned. */
    public static final String RECORDS_PER_POLL_MAX = "records_per_poll_max";

    /** Figure: how many of a hundred polls returned nothing. */
    public static final String EMPTY_POLLS = "empty_polls_percent";

    private final HttpEndpoint http;
    private final RunLooker looker;

    /** Does what is ordered, on the thread of the request. */
    @FunctionalInterface
    public interface Orders {

        /**
         * Does it, however long it takes.
         *
         * @param wanted orders with their values: {@code producerRate}, {@code work}, {@code consumers},
         *     {@code client.PROPERTY}, and the kinds of {@code weir bench modify}, such as {@code pause}
         * @return what was done, or why not, by key
         */
        ControlReport order(Map<String, String> wanted) throws InterruptedException;
    }

    RunConsole(HttpEndpoint http, @Nullable String token, String name, Orders orders) {
        this.http = http;
        this.looker = new RunLooker(name, orders);
        http.start(ConsoleHandler.ofRuns(http.isLoopback(), token, looker));
        System.setProperty(ConsoleServer.ADDRESS_PROPERTY, http.uri().toString());
    }

    /** Another run begins, or something between two of them. */
    public void doing(String what) {
        looker.doing(Objects.requireNonNull(what, "what"));
    }

    /**
     * A second of the run.
     *
     * @param figures by the names above; what is not known is not a number, or missing
     */
    public void second(Map<String, Double> figures) {
        looker.second(Map.copyOf(Objects.requireNonNull(figures, "figures")));
    }

    /** A line for people, such as a change of the run or the end of it; the page shows the last hundred. */
    public void note(String line) {
        looker.note(Objects.requireNonNull(line, "line"));
    }

    /** The address of the page on this machine. */
    public URI uri() {
        return http.uri();
    }

    /** Closes the port and all connections. What is run goes on. */
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
