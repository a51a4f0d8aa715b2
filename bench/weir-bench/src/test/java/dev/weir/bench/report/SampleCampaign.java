package dev.weir.bench.report;

import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.LatencyTags;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.SimulatedLatencies;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/** The results of a simulated campaign with everything that a report shows. Equal arguments give equal results. */
final class SampleCampaign {

    private static final List<String> DRIVERS =
            List.of("plain", "plain-again", "weir", "weir-lean", "pekko", "reactor", "parallel-consumer");
    private static final Map<String, Double> SPEED = Map.of(
            "plain",
            1.0,
            "plain-again",
            1.0,
            "weir",
            0.85,
            "weir-lean",
            2.8,
            "pekko",
            0.52,
            "reactor",
            0.78,
            "parallel-consumer",
            0.03);
    static final String SECRET = "hunter2";
    private static final int SECONDS = 30;

    private final Random random = new Random(11);
    private final int rounds;
    private final List<Point> points;

    private final List<String> drivers;

    private SampleCampaign(int points, int rounds, int moreDrivers) {
        this.rounds = rounds;
        this.drivers = Stream.concat(
                        DRIVERS.stream(), IntStream.range(0, moreDrivers).mapToObj(i -> "variant-" + i))
                .toList();
        this.points = IntStream.range(0, points)
                .mapToObj(i -> new Point(
                        "p" + i,
                        "plain-consumer",
                        points == 1
                                ? Map.of()
                                : new TreeMap<>(Map.of(
                                        "partitions",
                                        Integer.toString(1 << (i % 8)),
                                        "bytes",
                                        Integer.toString(23 * (1 + i / 8))))))
                .toList();
    }

    /** Writes all but the last {@code missing} runs. */
    static ResultsFolder write(Path path, int points, int rounds, int missing) {
        return write(path, points, rounds, missing, 0);
    }

    /**
     * Writes all but the last {@code missing} runs, with additional drivers. Each additional driver is slower than the
     * previous one.
     */
    static ResultsFolder write(Path path, int points, int rounds, int missing, int moreDrivers) {
        SampleCampaign sample = new SampleCampaign(points, rounds, moreDrivers);
        ResultsFolder folder = ResultsFolder.create(path, sample.campaign());
        int left = points * rounds * sample.drivers.size() - missing;
        for (Point point : sample.points) {
            for (int round = 0; round < rounds; round++) {
                double machine = Math.exp(sample.random.nextGaussian() * 0.08);
                for (String driver : sample.drivers) {
                    if (left-- > 0) {
                        sample.append(folder, point, driver, round, machine);
                    }
                }
            }
        }
        return folder;
    }

    private Campaign campaign() {
        return new Campaign(
                "plain-consumer-20261121T021051",
                "plain-consumer",
                "scenario: plain-consumer\n# </script><script>throw 'markup'</script>\nsasl.password: " + SECRET + "\n",
                "plain",
                "plain-again",
                rounds,
                42,
                drivers.stream()
                        .map(d -> new Driver(d, "4.4.0", Map.of("fetch.min.bytes", "1", "ssl.key.password", SECRET)))
                        .toList(),
                points,
                new Environment(
                        "Temurin 25.0.1",
                        "Linux 6.1 x86_64",
                        "some processor",
                        2,
                        24L << 30,
                        Map.of("kafka-clients", "4.4.0"),
                        Map.of("broker.ssl.keystore.password", SECRET, "jvm.flags", "-Xmx1g"),
                        "abc1234",
                        1_795_227_051_000L));
    }

    private void append(ResultsFolder folder, Point point, String driver, int round, double machine) {
        int order = folder.runs().size();
        long startMillis = 1_795_227_051_000L + order * 60_000L;
        if (driver.equals("reactor") && round == 1) {
            folder.append(
                    Run.failed(
                            point.id(),
                            driver,
                            round,
                            order,
                            1,
                            startMillis,
                            startMillis + 9,
                            "the broker closed <b>it</b>"),
                    List.of());
            return;
        }
        // These two rounds differ too much for a conclusion, so their interval is wider than any chart.
        boolean disturbed = rounds == 2 && round == 1 && driver.equals("parallel-consumer");
        List<Interval> intervals = intervals(point, driver, disturbed ? machine / 3 : machine);
        long records = intervals.stream().skip(8).mapToLong(Interval::records).sum();
        Set<Flag> flags = !driver.equals("weir-lean")
                ? Set.of()
                : round == 0 ? Set.of(Flag.GENERATOR_BOUND, Flag.NOT_STEADY) : Set.of(Flag.BROKER_BOUND);
        Totals totals = new Totals(
                records,
                records * 100,
                (SECONDS - 8) * 1_000_000_000L,
                intervals.stream().skip(8).mapToLong(Interval::cpuNanos).sum(),
                intervals.stream().skip(8).mapToLong(Interval::allocatedBytes).sum(),
                40,
                9_000,
                8_800_000_000L,
                Map.of(
                        "fetch requests",
                        900.0 + round,
                        "broker: fetch total ms",
                        0.5,
                        "broker: fetch sending ms",
                        0.3,
                        "host: busy %",
                        71.0));
        Ledger ledger = new Ledger(records, records, 0, driver.equals("pekko") ? 3 : 0, 0);
        folder.append(
                new Run(
                        point.id(),
                        driver,
                        round,
                        order,
                        1,
                        startMillis,
                        startMillis + 30_000,
                        8,
                        intervals,
                        totals,
                        ledger,
                        flags,
                        null),
                latencies(driver, startMillis, points.size() == 1 && round == 0));
    }

    private static double speed(String driver) {
        return driver.startsWith("variant-")
                ? 0.9 - 0.05 * Integer.parseInt(driver.substring("variant-".length()))
                : SPEED.getOrDefault(driver, 1.0);
    }

    private List<Interval> intervals(Point point, String driver, double machine) {
        double trend = point.dimensions().isEmpty() ? 1 : Math.pow(1.03, points.indexOf(point) % 8);
        double rate = 5e6
                * machine
                * Math.exp(random.nextGaussian() * 0.02)
                * speed(driver)
                * (driver.startsWith("weir") ? trend : 1);
        List<Interval> intervals = new ArrayList<>();
        for (int i = 0; i < SECONDS; i++) {
            long records = (long) (rate * (1 - 0.7 * Math.exp(-i / 2.0)) * (1 + 0.04 * random.nextGaussian()));
            intervals.add(new Interval(
                    i * 1_000L,
                    1_000,
                    records,
                    records * 100,
                    (long) (records * 150 / speed(driver)),
                    driver.equals("weir-lean") ? 900 : records * 500,
                    records / 1_000_000,
                    Math.max(0, 200_000_000 - i * records),
                    200_000_000 + (i % 5) * 30_000_000L,
                    8_000_000,
                    400_000_000));
        }
        return intervals;
    }

    /**
     * Returns the latencies of several thousand records. The last hundred records wait for a stall. With
     * {@code bySecond}, every second has enough records for percentiles.
     */
    private List<Histogram> latencies(String driver, long startMillis, boolean bySecond) {
        SimulatedLatencies latencies = new SimulatedLatencies();
        Random drawn = new Random(startMillis);
        double meanNanos = 8e5 / Math.sqrt(speed(driver));
        int intervals = bySecond ? SECONDS : 1;
        int each = bySecond ? 1_200 : 3_000;
        for (int i = 1; i <= intervals * each; i++) {
            long waited = Math.max(0, i - (intervals * each - 100)) * 2_000_000L;
            latencies.record(0, waited, waited + (long) (meanNanos * (0.4 - Math.log1p(-drawn.nextDouble()))));
            if (i % each == 0) {
                long lengthMillis = SECONDS * 1_000L / intervals;
                long endMillis = startMillis + i / each * lengthMillis;
                latencies.endInterval(endMillis - lengthMillis, endMillis);
            }
        }
        List<Histogram> all = new ArrayList<>(latencies.intervals());
        Histogram partition = all.getFirst().copy();
        partition.setTag(LatencyTags.responseOfPartition(3));
        all.add(partition);
        return all;
    }
}
