package dev.weir.bench.workload;

import dev.weir.driver.Failures;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.LoadShape;
import dev.weir.driver.PassOptions;
import dev.weir.driver.ShareOptions;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A key of workload files: its dotted path, type, default, bounds and description. Workload files are checked against
 * the table of all keys, and the JSON schema is generated from this table. Immutable.
 *
 * @param fallback the default; null if the file must contain the key
 * @param min the smallest value of a number
 * @param max the largest value of a number
 * @param choices the permitted values; empty if any text is permitted
 */
record Key(
        String path, Type type, @Nullable String fallback, double min, double max, List<String> choices, String about) {

    enum Type {
        TEXT,
        TEXTS,
        INTEGER,
        NUMBER,
        BOOLEAN,
        /** See {@link ValueSizes}. */
        SIZES,
        /** See {@link LoadShape}. */
        LOAD,
        /** See {@link LatencyTarget}. */
        TARGET,
        /** An existing file or folder. An empty string means none. */
        PATH,
        /** A library version that matches {@link Spelling#VERSION}. An empty string means none. */
        VERSION
    }

    static final String GROUPS = "groups";

    static final String TOPICS = "topics";

    static final String CONSUMERS = "consumers";

    /** Keys of the campaign, which cannot vary. */
    static final Set<String> FIXED = Set.of("name", "about", "scenario", "drivers", "baseline", "design");

    private static final List<String> SCENARIOS = Arrays.stream(dev.weir.driver.Scenario.values())
            .map(dev.weir.driver.Scenario::label)
            .toList();

    static final Map<String, Key> ALL = Stream.of(
                    text("name", null, List.of(), "Names the campaign: letters, digits, dots and hyphens."),
                    text("about", "", List.of(), "One sentence for the report."),
                    text("scenario", null, SCENARIOS, "What the drivers do."),
                    new Key("drivers", Type.TEXTS, null, 0, 0, List.of(), "The drivers to compare, by name."),
                    text(
                            "baseline",
                            "plain",
                            List.of(),
                            "The driver that the others are compared to. Without plain: the first driver."),
                    text(
                            "design",
                            "grid",
                            Design.labels(),
                            "Points that run: all combinations of the entries of vary (grid), each entry with the first"
                                    + " value of the others (one-at-a-time), enough points that any two values of two"
                                    + " entries meet (fractional), or the points where a verdict changes (adaptive)."),
                    integer(
                            TOPICS,
                            1,
                            1,
                            100,
                            "Topics that are read together, each as in section topic; a planned rate is their total."),
                    integer("topic.partitions", 1, 1, 1000, "Partitions of each topic."),
                    integer("topic.records", 10_000_000, 1, 1_000_000_000, "Records in each topic, evenly spread."),
                    integer(
                            "topic.valueBytes",
                            100,
                            16,
                            1_000_000,
                            "Length of each value; 16 bytes of it are its numbers."),
                    text(
                            "topic.valueSpread",
                            "none",
                            List.of("none", "uniform"),
                            "Whether all values have the same length, or random lengths around topic.valueBytes."),
                    number(
                            "topic.valueRandom",
                            0,
                            0,
                            1,
                            "Share of each value that is unique and does not compress; the rest is the same in all."),
                    new Key(
                            "topic.valueSizes",
                            Type.SIZES,
                            "",
                            0,
                            0,
                            List.of(),
                            "Lengths of values with their shares, such as 100:0.9 10000:0.1, in place of topic.valueBytes."),
                    new Key(
                            "topic.valueFile",
                            Type.PATH,
                            "",
                            0,
                            0,
                            List.of(),
                            "Values from the lines of a file, or the files of a folder, over and over; 16 bytes, its numbers,"
                                    + " precede each."),
                    integer("topic.headers", 0, 0, 100, "Headers of each record."),
                    integer("topic.headerBytes", 16, 0, 10_000, "Length of each header's value."),
                    integer(
                            "topic.keys",
                            0,
                            0,
                            10_000_000,
                            "Distinct keys, evenly over the partitions of all topics; 0: records have none."),
                    number(
                            "topic.keySkew",
                            0,
                            0,
                            3,
                            "How unevenly a partition's records have its keys: Zipf's exponent; 0: evenly."),
                    integer(
                            "topic.recordsPerSecond",
                            0,
                            0,
                            1_000_000,
                            "Records sent per second, however fast they are handled. Scenario steady needs it; produce,"
                                    + " work, at-least-once, at-most-once and copy run at full speed without it; the"
                                    + " others do not have it."),
                    text(
                            "topic.arrivals",
                            "even",
                            List.of("even", "poisson"),
                            "Whether records of a planned rate are due at even intervals, or as from many senders."),
                    integer("topic.replicas", 1, 1, 3, "Replicas of each partition; the campaign starts the brokers."),
                    new Key(
                            "topic.load",
                            Type.LOAD,
                            "",
                            0,
                            0,
                            List.of(),
                            "Factors of a planned rate over time: steps such as 0s:1 30s:3, ramps such as 0s:1 60s~5,"
                                    + " and either over and over with every:90s at the end."),
                    new Key(
                            "topic.trace",
                            Type.PATH,
                            "",
                            0,
                            0,
                            List.of(),
                            "A recorded load: a file whose lines are times of arrivals in seconds, or a time and the records per"
                                    + " second from then on. It repeats when it is over; topic.recordsPerSecond, if"
                                    + " set, replaces its mean."),
                    number(
                            "topic.partitionSkew",
                            0,
                            0,
                            3,
                            "How unevenly a generator that sends to a group spreads records over partitions: Zipf's"
                                    + " exponent; 0: evenly."),
                    integer(
                            "topic.producers",
                            1,
                            1,
                            64,
                            "Producers that a generator sends with, each for its own partitions."),
                    integer("topic.batchBytes", 131_072, 0, 16_777_216, "The producer's batch.size while filling."),
                    integer(
                            "topic.transactionRecords",
                            0,
                            0,
                            1_000_000,
                            "Records of each partition in a transaction of the filling producer; 0: no transactions."),
                    number(
                            "topic.abortedShare",
                            0,
                            0,
                            0.9,
                            "Share of those transactions that are aborted; needs client.isolation.level:"
                                    + " read_committed."),
                    text(
                            "topic.compression",
                            "none",
                            List.of("none", "gzip", "snappy", "lz4", "zstd"),
                            "The producer's compression.type while filling."),
                    integer(
                            "options." + PassOptions.COMMIT_INTERVAL,
                            1000,
                            1,
                            3_600_000,
                            "Interval at which at-least-once, work and copy commit finished records."),
                    integer(
                            "options." + PassOptions.COMMIT_AHEAD,
                            1,
                            1,
                            1_000_000,
                            "Records that at-most-once commits together before it hands them on, if the library can."),
                    integer(
                            "options." + PassOptions.CONCURRENCY,
                            16,
                            1,
                            100_000,
                            "Most handlers that may run at once, if the library runs several."),
                    text(
                            "options." + PassOptions.ORDERING,
                            "partition",
                            List.of("partition", "key", "none"),
                            "Order in which handlers run; any other order is counted as out of order."),
                    text(
                            "options." + PassOptions.GUARANTEE,
                            Copying.AT_LEAST_ONCE,
                            List.of(Copying.AT_LEAST_ONCE, PassOptions.EXACTLY_ONCE),
                            "Guarantee of copy: each record at least once, or once for readers of committed records."),
                    integer(
                            "options." + PassOptions.SINK_RATE,
                            0,
                            0,
                            100_000_000,
                            "A slow sink: most consumed records per second that user code accepts; 0: no limit."),
                    integer(
                            "options." + PassOptions.IN_FLIGHT,
                            0,
                            0,
                            1_000_000,
                            "Most unacknowledged produced records, if the library counts them; 0: its default."),
                    integer(
                            "options." + ProducerWindow.BYTES,
                            0,
                            0,
                            ProducerWindow.MOST_BYTES,
                            "Most unacknowledged bytes of produced records: buffer.memory of clients, and as many"
                                    + " records, by their mean length, if the library counts those; 0: its default."),
                    integer(
                            "options." + PassOptions.TRANSACTION_RECORDS,
                            0,
                            0,
                            1_000_000,
                            "Records that produce sends in a transaction; 0: no transactions."),
                    number("options." + HandlerWork.MILLIS, 0, 0, 60_000, "How long a handler of work blocks."),
                    integer(
                            "options." + HandlerWork.ROUNDS,
                            0,
                            0,
                            1_000_000_000,
                            "How much a handler of work computes; a round is about a nanosecond."),
                    text(
                            "options." + HandlerWork.SPREAD,
                            "none",
                            List.of("none", "exponential", "bimodal", "heavy-tail", "stragglers"),
                            "Distribution of the times of handlers of work around their mean."),
                    integer(
                            "options." + HandlerWork.DOWNSTREAM,
                            0,
                            0,
                            100_000,
                            "Most handlers of work that may block at once, as on a connection pool; 0: all."),
                    number(
                            "options." + Failures.SHARE,
                            0,
                            0,
                            0.9,
                            "Share of the calls of handlers of work that fail; the same calls fail for all drivers."),
                    integer(
                            "options." + Failures.RETRY_MILLIS,
                            10,
                            0,
                            60_000,
                            "How long a driver waits before it calls a failed handler of work again."),
                    integer(
                            "options." + ShareOptions.CONSUMERS,
                            0,
                            0,
                            1000,
                            "Share consumers of drivers of the official client, among which the workers are divided;"
                                    + " 0: one for each worker."),
                    integer(
                            "options." + ShareOptions.POLL_RECORDS,
                            0,
                            0,
                            10_000,
                            "max.poll.records of these consumers; 0: the driver's value."),
                    text(
                            "options." + ShareOptions.ACQUIRE,
                            ShareOptions.OWN,
                            List.of(ShareOptions.OWN, "batch_optimized", "record_limit"),
                            "share.acquire.mode of these consumers; own: the driver's value."),
                    text(
                            "options." + ShareOptions.ACKNOWLEDGEMENT,
                            ShareOptions.OWN,
                            List.of(ShareOptions.OWN, "implicit", "explicit"),
                            "share.acknowledgement.mode of these consumers; own: the driver's value."),
                    integer(
                            "options." + ShareOptions.LOCKS,
                            0,
                            0,
                            10_000,
                            "share.partition.max.record.locks of share groups; 0: the brokers' value."),
                    integer(
                            "options." + ShareOptions.LOCK_MILLIS,
                            0,
                            0,
                            3_600_000,
                            "share.record.lock.duration.ms of share groups; 0: the brokers' value."),
                    integer(
                            GROUPS,
                            1,
                            1,
                            16,
                            "Groups that read at the same time, each with its own explore.members processes, consumers"
                                    + " and ledger."),
                    integer(
                            CONSUMERS,
                            0,
                            0,
                            1000,
                            "Consumers of a group with a generator: divided among explore.members processes if one can"
                                    + " hold several (share groups), else a process each; 0: as explore.members and"
                                    + " options.concurrency set."),
                    integer(
                            "brokers",
                            1,
                            1,
                            3,
                            "Brokers of the cluster; each partition has one replica, or topic.replicas."),
                    new Key(
                            "brokerVersion",
                            Type.VERSION,
                            "",
                            0,
                            0,
                            List.of(),
                            "Kafka release of the brokers that a campaign starts, such as 4.3.1, which Maven fetches;"
                                    + " default: the harness's release."),
                    integer("method.rounds", 10, 1, 1000, "How often each driver runs; each time in a fresh JVM."),
                    number(
                            "method.maxSeconds",
                            86_400,
                            10,
                            864_000,
                            "Longest time of the campaign: no round starts that would end later."),
                    number("method.minWarmUpSeconds", 3, 0, 600, "Shortest warm-up."),
                    number(
                            "method.maxWarmUpSeconds",
                            20,
                            0,
                            3600,
                            "Longest warm-up; then the run is measured, and flagged if it is not steady."),
                    number(
                            "method.measureSeconds",
                            5,
                            0.1,
                            3600,
                            "Shortest measured time, and longest time of a pass."),
                    number(
                            "method.settleSeconds",
                            0,
                            0,
                            600,
                            "Time after the first record of a pass that does not count, because members still join."),
                    integer("method.intervalMillis", 200, 20, 60_000, "How often figures are taken."),
                    new Key(
                            "method.live",
                            Type.BOOLEAN,
                            "false",
                            0,
                            0,
                            List.of(),
                            "Whether a steady run can be changed while it runs; it then ends by time, not by number."),
                    bool(
                            "method.freshBrokers",
                            false,
                            "Whether the brokers are restarted before each run; filled topics are kept."),
                    bool(
                            "method.series",
                            true,
                            "Whether clients, brokers and the machine are sampled every second for the charts."),
                    new Key(
                            "method.proxy",
                            Type.BOOLEAN,
                            "false",
                            0,
                            0,
                            List.of(),
                            "Whether members of a group with a generator reach the brokers through a proxy, which can"
                                    + " be slow, cut or silent."),
                    bool(
                            "method.diskFaults",
                            false,
                            "Whether the brokers that a campaign starts write to disks that can be full or slow."),
                    integer("method.heapMegabytes", 1024, 64, 65_536, "Heap of each driver."),
                    new Key(
                            "method.countFetches",
                            Type.BOOLEAN,
                            "false",
                            0,
                            0,
                            List.of(),
                            "Whether brokers count fetch requests and sent data; only for consuming scenarios."),
                    new Key(
                            "method.control",
                            Type.BOOLEAN,
                            "true",
                            0,
                            0,
                            List.of(),
                            "Whether the baseline runs a second time (A/A), to show the noise."))
            .collect(Collectors.toMap(Key::path, key -> key, (a, b) -> a, TreeMap::new));

    static {
        ExploreSettings.keys().forEach(key -> ALL.put(key.path(), key));
    }

    private static Key bool(String path, boolean fallback, String about) {
        return new Key(path, Type.BOOLEAN, Boolean.toString(fallback), 0, 0, List.of(), about);
    }

    private static Key text(String path, @Nullable String fallback, List<String> choices, String about) {
        return new Key(path, Type.TEXT, fallback, 0, 0, choices, about);
    }

    static Key integer(String path, long fallback, long min, long max, String about) {
        return new Key(path, Type.INTEGER, Long.toString(fallback), min, max, List.of(), about);
    }

    static Key number(String path, double fallback, double min, double max, String about) {
        return new Key(path, Type.NUMBER, Double.toString(fallback), min, max, List.of(), about);
    }

    /** The reason why this text is not a valid value of the key; null if it is valid. */
    @Nullable
    String objection(String text) {
        return switch (type) {
            case TEXT, TEXTS ->
                choices.isEmpty() || choices.contains(text) ? null : "must be one of " + String.join(", ", choices);
            case SIZES -> ValueSizes.objection(text);
            case LOAD -> objectionToLoad(text);
            case TARGET -> LatencyTarget.objection(text);
            case PATH -> text.isEmpty() || isReadable(text) ? null : "is not a readable file or folder";
            case VERSION -> text.isEmpty() || text.matches(Spelling.VERSION) ? null : "must be a version such as 4.3.1";
            case BOOLEAN -> text.equals("true") || text.equals("false") ? null : "must be true or false";
            case INTEGER ->
                text.matches("-?\\d{1,15}") && inBounds(Double.parseDouble(text))
                        ? null
                        : "must be a whole number from " + (long) min + " to " + (long) max;
            case NUMBER ->
                text.matches("-?\\d{1,15}(\\.\\d{1,9})?") && inBounds(Double.parseDouble(text))
                        ? null
                        : "must be a number from " + min + " to " + max;
        };
    }

    private static boolean isReadable(String path) {
        try {
            return Files.isReadable(Path.of(path));
        } catch (InvalidPathException e) { // for example because it contains a NUL character
            return false;
        }
    }

    private static @Nullable String objectionToLoad(String text) {
        try {
            var ignored = LoadShape.parse(text);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private boolean inBounds(double value) {
        return value >= min && value <= max;
    }
}
