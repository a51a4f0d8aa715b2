package dev.weir.driver;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The options of a pass. Immutable. {@link HandlerWork}, {@link Failures}, {@link SendPlan} and {@link ShareOptions}
 * define further options.
 */
public final class PassOptions {
    /** Option: {@link #commitIntervalMillis}. */
    public static final String COMMIT_INTERVAL = "commit.interval.millis";

    /** Option: {@link #commitAhead}. */
    public static final String COMMIT_AHEAD = "commit.ahead.records";

    /** Option: {@link #concurrency}. */
    public static final String CONCURRENCY = "concurrency";

    /** Option: {@link #ordering}. */
    public static final String ORDERING = "ordering";

    /** Option: {@link Pass#outputTopic}. */
    public static final String OUTPUT = "output.topic";

    /**
     * Option: the average rate that user code accepts, in records per second since the first record; 0 for no limit.
     */
    public static final String SINK_RATE = "sink.records.per.second";

    /** Option: {@link #inFlight}. */
    public static final String IN_FLIGHT = "in.flight.records";

    /** Option: {@link #transactionRecords}. */
    public static final String TRANSACTION_RECORDS = "transaction.records";

    /**
     * Option: {@code true} if members join and leave during the pass, which causes records to be repeated. The repeated
     * records do not count toward the requested number of records.
     */
    public static final String REPEATS = "repeats";

    /** Option: {@code true} if the driver's process reports the received records at the end. */
    public static final String TELLS = "tell.delivered";

    /** Option: {@code true} if intervals include the figures of clients, once a second. */
    public static final String SERIES = "series";

    /**
     * Option: the {@link GroupNumbers} file in which the members of a group note the records that they have received.
     * Without this option, they note none.
     */
    public static final String GROUP_NUMBERS = "group.numbers";

    /**
     * Option: a file in which only this pass notes its received records. The harness reads the file if the pass's
     * process is killed. Otherwise, the file is deleted at the end of the pass.
     */
    public static final String OWN_NUMBERS = "own.numbers";

    /** Option: {@link #isExactlyOnce}. */
    public static final String GUARANTEE = "guarantee";

    /** A value of {@link #GUARANTEE}. */
    public static final String EXACTLY_ONCE = "exactly-once";

    /**
     * Option: the position of the partition number in the value of a record of {@link Scenario#COPY}:
     * {@link RecordLayout#PARTITION_BEHIND_NUMBER}, or {@link RecordLayout#PARTITION_BEHIND_TIME}.
     */
    public static final String PARTITION_AT = "partition.at";

    private final Map<String, String> options;

    PassOptions(Map<String, String> options) {
        this.options = options;
    }

    /** Returns the interval at which {@link Scenario#AT_LEAST_ONCE} commits. It is the same for all drivers. */
    public long commitIntervalMillis() {
        return Long.parseLong(options.getOrDefault(COMMIT_INTERVAL, "1000"));
    }

    /**
     * Returns the number of records that {@link Scenario#AT_MOST_ONCE} may commit together before they are delivered.
     */
    public int commitAhead() {
        return integer(COMMIT_AHEAD, 1);
    }

    /**
     * Returns whether {@link Scenario#COPY} writes in transactions that include the offsets. Otherwise it writes at
     * least once.
     */
    public boolean isExactlyOnce() {
        return EXACTLY_ONCE.equals(options.get(GUARANTEE));
    }

    /** Returns the number of concurrent handlers, if the library can run several. */
    public int concurrency() {
        return integer(CONCURRENCY, 16);
    }

    /** Returns the limit for unacknowledged records, if the library has one; 0 for the library's default. */
    public int inFlight() {
        return integer(IN_FLIGHT, 0);
    }

    /** The number of records per transaction in {@link Scenario#PRODUCE}; 0 without transactions. */
    public int transactionRecords() {
        return integer(TRANSACTION_RECORDS, 0);
    }

    /** Returns the order that handlers keep, if the library offers a choice. */
    public HandlerOrder ordering() {
        return HandlerOrder.of(options);
    }

    /** Returns whether some handlers fail. */
    public boolean hasFailures() {
        return Double.parseDouble(options.getOrDefault(Failures.SHARE, "0")) > 0;
    }

    /** Returns the time to wait before a failed handler is called again. */
    public long retryMillis() {
        return Long.parseLong(options.getOrDefault(Failures.RETRY_MILLIS, "10"));
    }

    /** Returns whether a {@link SendPlan} determines when records are due. */
    boolean arePlanned() {
        return options.containsKey(SendPlan.RATE);
    }

    /** Returns the start time of the {@link SendPlan}, on the harness's clock; 0 for no plan. */
    long planStartNanos() {
        return Long.parseLong(options.getOrDefault(SendPlan.START, "0"));
    }

    /** Returns the time of a slow sink per record; 0 if the sink is not slow. */
    double sinkNanos() {
        double rate = Double.parseDouble(options.getOrDefault(SINK_RATE, "0"));
        return rate == 0 ? 0 : TimeUnit.SECONDS.toNanos(1) / rate;
    }

    int partitionAt() {
        return integer(PARTITION_AT, RecordLayout.PARTITION_BEHIND_NUMBER);
    }

    /**
     * Returns the file in which the pass notes its received records: {@link #OWN_NUMBERS}, or else
     * {@link #GROUP_NUMBERS}; null for none.
     */
    @Nullable
    Path numbers() {
        Path own = ownNumbers();
        return own == null ? file(GROUP_NUMBERS) : own;
    }

    /** Returns the file from {@link #OWN_NUMBERS}; null for none. */
    @Nullable
    Path ownNumbers() {
        return file(OWN_NUMBERS);
    }

    private @Nullable Path file(String name) {
        String file = options.get(name);
        return file == null ? null : Path.of(file);
    }

    /** Returns the output topic for a start command without one; null if there is no output. */
    @Nullable
    String output() {
        return options.get(OUTPUT);
    }

    boolean tells() {
        return Boolean.parseBoolean(options.get(TELLS));
    }

    boolean takesSeries() {
        return Boolean.parseBoolean(options.get(SERIES));
    }

    private int integer(String name, int fallback) {
        String text = options.get(name);
        return text == null ? fallback : Integer.parseInt(text);
    }
}
