package dev.weir.bench.workload;

import dev.weir.driver.Failures;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.LoadShape;
import dev.weir.driver.PassOptions;
import dev.weir.driver.ShareOptions;
import java.nio.file.Files;
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
 * @param choices the permitted texts; any text if empty
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
        /** An existing file or folder, or an empty text for none. */
        PATH,
        /** A library version that matches {@link Spelling#VERSION}, or an empty text for none. */
        VERSION
    }

    /** The key of the number of groups that read the topics. */
    static final String GROUPS = "groups";

    /** The key of the number of topics. */
    static final String TOPICS = "topics";

    /** The key of the total number of consumers in a group. */
    static final String CONSUMERS = "consumers";

    /** Keys that cannot vary, because they belong to the campaign and not to a point. */
    static final Set<String> FIXED = Set.of("name", "about", "scenario", "drivers", "baseline", "design");

    private static final List<String> SCENARIOS = Arrays.stream(dev.weir.driver.Scenario.values())
            .map(dev.weir.driver.Scenario::label)
            .toList();

    static final Map<String, Key> ALL = Stream.of(
                    text("name", null, List.of(), "Names the campaign: letters, digits, dots and hyphens."),
                    text("about", "", List.of(), "One sentence for the report."),
                    text("scenario", null, SCENARIOS, "What the drivers do."),
                    new Key("drivers", Type.TEXTS, null, 0, 0, List.of(), "The drivers to compare, by name."),
                    text("baseline", "plain", List.of(), "The driver that the others are divided by."),
                    text(
                            "design",
                            "grid",
                            Design.labels(),
                            "Whether each entry of vary meets each of the others (grid), only the first value of the others"
                                    + " (one-at-a-time), so many of them that any two values of two entries meet (fractional),"
                                    + " or those between which a verdict changes (adaptive)."),
                    integer(
                            TOPICS,
                            1,
                            1,
                            100,
                            "Topics that are read together, all as the section topic says; a planned rate is of all of them."),
                    integer("topic.partitions", 1, 1, 1000, "Partitions of each topic."),
                    integer("topic.records", 10_000_000, 1, 1_000_000_000, "Records in each topic, evenly spread."),
                    integer(
                            "topic.valueBytes",
                            100,
                            16,
                            1_000_000,
                            "Length of each value; 16 of them are its numbers."),
                    text(
                            "topic.valueSpread",
                            "none",
                            List.of("none", "uniform"),
                            "Whether all values are as long, or of any length around topic.valueBytes."),
                    number(
                            "topic.valueRandom",
                            0,
                            0,
                            1,
                            "How much of a value is no other's, which no compression makes less; the rest is the same in all."),
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
                                    + " stand before each."),
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
                            "How many records are sent in a second, whatever becomes of them: of scenario steady, and of"
                                    + " produce, work, at-least-once, at-most-once and copy, which go as fast as they can"
                                    + " without; the others have none."),
                    text(
                            "topic.arrivals",
                            "even",
                            List.of("even", "poisson"),
                            "Whether records of a planned rate are due at even times, or as from many senders."),
                    integer("topic.replicas", 1, 1, 3, "Replicas of each partition, at brokers of the campaign's own."),
                    new Key(
                            "topic.load",
                            Type.LOAD,
                            "",
                            0,
                            0,
                            List.of(),
                            "How a planned rate changes, by factors of it: steps such as 0s:1 30s:3, ramps such as 0s:1 60s~5,"
                                    + " and either over and over with every:90s at the end."),
                    new Key(
                            "topic.trace",
                            Type.PATH,
                            "",
                            0,
                            0,
                            List.of(),
                            "A recorded load: a file whose lines are times of arrivals in seconds, or a time and the records per"
                                    + " second from then on. It begins again when it is over; topic.recordsPerSecond, if it is"
                                    + " there, is its mean instead of its own."),
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
                            "Producers that a generator sends with, each for partitions of its own."),
                    integer("topic.batchBytes", 131_072, 0, 16_777_216, "The producer's batch.size while filling."),
                    integer(
                            "topic.transactionRecords",
                            0,
                            0,
                            1_000_000,
                            "How many records of each partition a transaction of the filling producer has; 0: none are used."),
                    number(
                            "topic.abortedShare",
                            0,
                            0,
                            0.9,
                            "How many of those transactions are aborted, as a share; needs client.isolation.level:"
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
                            "How often at-least-once, work and copy commit what is finished."),
                    integer(
                            "options." + PassOptions.COMMIT_AHEAD,
                            1,
                            1,
                            1_000_000,
                            "How many records at-most-once commits together before they are handed on, where a library can."),
                    integer(
                            "options." + PassOptions.CONCURRENCY,
                            16,
                            1,
                            100_000,
                            "How many handlers may work at a time, where the library has several."),
                    text(
                            "options." + PassOptions.ORDERING,
                            "partition",
                            List.of("partition", "key", "none"),
                            "Which order handlers keep; what is counted as out of order."),
                    text(
                            "options." + PassOptions.GUARANTEE,
                            Copying.AT_LEAST_ONCE,
                            List.of(Copying.AT_LEAST_ONCE, PassOptions.EXACTLY_ONCE),
                            "What copy promises: each record at least once, or once for readers of what is committed."),
                    integer(
                            "options." + PassOptions.SINK_RATE,
                            0,
                            0,
                            100_000_000,
                            "A slow sink: user code takes no more of consumed records; 0: as many as come."),
                    integer(
                            "options." + PassOptions.IN_FLIGHT,
                            0,
                            0,
                            1_000_000,
                            "How many produced records may be unacknowledged, where a library counts them; 0: its default."),
                    integer(
                            "options." + ProducerWindow.BYTES,
                            0,
                            0,
                            ProducerWindow.MOST_BYTES,
                            "How many bytes of produced records may be unacknowledged: buffer.memory of clients, and as many"
                                    + " records, by their mean length, where a library counts those; 0: each one's default."),
                    integer(
                            "options." + PassOptions.TRANSACTION_RECORDS,
                            0,
                            0,
                            1_000_000,
                            "How many records produce sends in a transaction; 0: without transactions."),
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
                            "How much longer or shorter than their mean handlers of work take."),
                    integer(
                            "options." + HandlerWork.DOWNSTREAM,
                            0,
                            0,
                            100_000,
                            "How many handlers of work may block at a time, as on a pool of connections; 0: all."),
                    number(
                            "options." + Failures.SHARE,
                            0,
                            0,
                            0.9,
                            "How many calls of handlers of work fail, as a share; which ones is the same for all drivers."),
                    integer(
                            "options." + Failures.RETRY_MILLIS,
                            10,
                            0,
                            60_000,
                            "How long a driver waits before it calls a handler of work again that failed."),
                    integer(
                            "options." + ShareOptions.CONSUMERS,
                            0,
                            0,
                            1000,
                            "How many share consumers drivers of the official client have, among which the workers are"
                                    + " shared out; 0: one for each worker."),
                    integer(
                            "options." + ShareOptions.POLL_RECORDS,
                            0,
                            0,
                            10_000,
                            "max.poll.records of these consumers; 0: as the driver has it."),
                    text(
                            "options." + ShareOptions.ACQUIRE,
                            ShareOptions.OWN,
                            List.of(ShareOptions.OWN, "batch_optimized", "record_limit"),
                            "share.acquire.mode of these consumers; own: as the driver has it."),
                    text(
                            "options." + ShareOptions.ACKNOWLEDGEMENT,
                            ShareOptions.OWN,
                            List.of(ShareOptions.OWN, "implicit", "explicit"),
                            "share.acknowledgement.mode of these consumers; own: as the driver has it."),
                    integer(
                            "options." + ShareOptions.LOCKS,
                            0,
                            0,
                            10_000,
                            "share.partition.max.record.locks of share groups; 0: as the brokers have it."),
                    integer(
                            "options." + ShareOptions.LOCK_MILLIS,
                            0,
                            0,
                            3_600_000,
                            "share.record.lock.duration.ms of share groups; 0: as the brokers have it."),
                    integer(
                            GROUPS,
                            1,
                            1,
                            16,
                            "Groups that are sent to at the same time, each with explore.members processes, consumers and a"
                                    + " ledger of its own."),
                    integer(
                            CONSUMERS,
                            0,
                            0,
                            1000,
                            "Consumers of a group that is sent to: shared out among explore.members processes where one can"
                                    + " hold several (share groups), else a process each; 0: as explore.members and"
                                    + " options.concurrency say."),
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
                                    + " without it, that of the harness."),
                    integer("method.rounds", 10, 1, 1000, "How often each driver runs; each time in a fresh JVM."),
                    number(
                            "method.maxSeconds",
                            86_400,
                            10,
                            864_000,
                            "No further round is begun if it would end after so much time of the campaign."),
                    number("method.minWarmUpSeconds", 3, 0, 600, "The least warm-up."),
                    number("method.maxWarmUpSeconds", 20, 0, 3600, "Measured then, and flagged if not steady."),
                    number(
                            "method.measureSeconds",
                            5,
                            0.1,
                            3600,
                            "The least that is measured, and the most of a pass."),
                    number(
                            "method.settleSeconds",
                            0,
                            0,
                            600,
                            "How long after the first record of a pass nothing counts: its members join meanwhile."),
                    integer("method.intervalMillis", 200, 20, 60_000, "How often figures are taken."),
                    new Key(
                            "method.live",
                            Type.BOOLEAN,
                            "false",
                            0,
                            0,
                            List.of(),
                            "Whether a run of steady can be changed while it is running: it ends by time then, not by number."),
                    bool(
                            "method.freshBrokers",
                            false,
                            "Whether the brokers are restarted before each run, over the topics that were filled."),
                    bool(
                            "method.series",
                            true,
                            "Whether clients, brokers and the machine are asked each second for the figures of the charts."),
                    new Key(
                            "method.proxy",
                            Type.BOOLEAN,
                            "false",
                            0,
                            0,
                            List.of(),
                            "Whether members of a group that is sent to reach the brokers through a proxy, which can be slow,"
                                    + " cut or silent."),
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
                            "Whether brokers count fetch requests and what they send; only of consuming scenarios."),
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

    /** The reason why this text cannot be a value of the key; null if it can. */
    @Nullable
    String objection(String text) {
        return switch (type) {
            case TEXT, TEXTS ->
                choices.isEmpty() || choices.contains(text) ? null : "must be one of " + String.join(", ", choices);
            case SIZES -> ValueSizes.objection(text);
            case LOAD -> objectionToLoad(text);
            case TARGET -> LatencyTarget.objection(text);
            case PATH ->
                text.isEmpty() || Files.isReadable(Path.of(text)) ? null : "is no file or folder that can be read";
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
