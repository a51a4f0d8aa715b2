package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Measures the cost of observing a pipeline. In each pass, an at-least-once source reads the whole topic into {@code
 * Sink.forEach} with default settings, timed from record 1,000,000 on. Each round has four arms in random order: two
 * without observers, one with a metrics scrape every second and an open console, and one that also records a profile.
 * Observed arms are compared with the geometric mean of the unobserved ones, whose difference shows the measurement
 * error. The first round is not counted.
 *
 * <p>Run: {@code checks/seeing.sh}, or {@code java -cp checks/jmh/target/benchmarks.jar dev.weir.checks.jmh.SeeingCost
 * localhost:9092 TOPIC RECORDS [PAIRS] [PASSES] [threads]}. PAIRS is the number of counted rounds, and PASSES the
 * number of passes of each arm in a round. {@code threads} also prints the processor time of each kind of thread. The
 * 95 % intervals use Student's t over the rounds' ratios.
 */
public final class SeeingCost {
    private static final long WARM = 1_000_000;
    private static final long PATIENCE_SECONDS = 120;
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** The observer of an arm. */
    private enum Arm {
        NOBODY("nobody looks"),
        NOBODY_AGAIN("nobody looks, again (A/A)"),
        SEEN("metrics scraped each second, console open"),
        PROFILED("the same, while a profile records");

        private final String words;

        Arm(String words) {
            this.words = words;
        }
    }

    /** The total cost of an arm's passes, optionally with the processor time of each kind of thread. */
    private record Cost(long nanos, long cpuNanos, Map<String, Long> threads) {
        private Cost plus(Cost other) {
            Map<String, Long> sum = new TreeMap<>(threads);
            other.threads.forEach((kind, more) -> sum.merge(kind, more, Long::sum));
            return new Cost(nanos + other.nanos, cpuNanos + other.cpuNanos, sum);
        }
    }

    private final String bootstrap;
    private final String topic;
    private final long records;
    private final boolean byThread;
    private int groups;

    private SeeingCost(String bootstrap, String topic, long records, boolean byThread) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.records = records;
        this.byThread = byThread;
    }

    /** Runs the program with the arguments described in the class comment. */
    public static void main(String[] args) throws Exception {
        long records = Long.parseLong(args[2]);
        int pairs = args.length > 3 ? Integer.parseInt(args[3]) : 20;
        int passes = args.length > 4 ? Integer.parseInt(args[4]) : 5;
        if (records <= WARM || pairs < 2 || passes < 1) {
            throw new IllegalArgumentException("RECORDS more than 1,000,000, PAIRS at least 2, PASSES at least 1");
        }
        boolean byThread = args.length > 5 && args[5].equals("threads");
        new SeeingCost(args[0], args[1], records, byThread).compare(pairs, passes);
    }

    private void compare(int pairs, int passes) throws Exception {
        round(1);
        List<Map<Arm, Cost>> all = new ArrayList<>();
        for (int pair = 0; pair < pairs; pair++) {
            all.add(round(passes));
        }
        System.out.println("| arm | million/s, mean | rate to that of nobody | processor time to that of nobody |\n"
                + "|---|--:|--:|--:|");
        for (Arm arm : Arm.values()) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %.2f | %s | %s |%n",
                    arm.words,
                    all.stream()
                            .mapToDouble(each -> (records - WARM)
                                    * passes
                                    * 1e3
                                    / cost(each, arm).nanos())
                            .average()
                            .orElse(0),
                    ratio(all, arm, true),
                    ratio(all, arm, false));
        }
        System.out.printf("%d pairs of %d passes, %,d records each%n", pairs, passes, records);
        if (byThread) {
            printThreads(all);
        }
    }

    /** Prints each kind of thread's milliseconds of processor time per second, for each arm. */
    private static void printThreads(List<Map<Arm, Cost>> all) {
        Map<Arm, Cost> sums = new EnumMap<>(Arm.class);
        all.forEach(round -> round.forEach((arm, cost) -> sums.merge(arm, cost, Cost::plus)));
        Set<String> kinds = new TreeSet<>();
        sums.values().forEach(cost -> kinds.addAll(cost.threads().keySet()));
        System.out.println("| ms/s of | nobody | A/A | seen | profiled |\n|---|--:|--:|--:|--:|");
        row("the process", sums, Cost::cpuNanos);
        kinds.forEach(kind -> row(kind, sums, cost -> cost.threads().getOrDefault(kind, 0L)));
    }

    private static void row(String name, Map<Arm, Cost> sums, ToLongFunction<Cost> nanos) {
        StringBuilder row = new StringBuilder("| " + name + " |");
        sums.values()
                .forEach(cost -> row.append(
                        String.format(Locale.ROOT, " %.2f |", nanos.applyAsLong(cost) * 1e3 / cost.nanos())));
        System.out.println(row);
    }

    private static Cost cost(Map<Arm, Cost> round, Arm arm) {
        return round.getOrDefault(arm, new Cost(0, 0, Map.of()));
    }

    /** Returns the mean and the interval of the rounds' ratios, from their logarithms. */
    private static String ratio(List<Map<Arm, Cost>> all, Arm arm, boolean ofRates) {
        if (arm == Arm.NOBODY) {
            return "1";
        }
        double[] logs = all.stream()
                .mapToDouble(round -> {
                    ToDoubleFunction<Arm> log = each -> Math.log(
                            ofRates
                                    ? 1.0 / cost(round, each).nanos()
                                    : cost(round, each).cpuNanos());
                    double base = arm == Arm.NOBODY_AGAIN
                            ? log.applyAsDouble(Arm.NOBODY)
                            : (log.applyAsDouble(Arm.NOBODY) + log.applyAsDouble(Arm.NOBODY_AGAIN)) / 2;
                    return log.applyAsDouble(arm) - base;
                })
                .toArray();
        return PairedRatio.of(logs);
    }

    private Map<Arm, Cost> round(int passes) throws Exception {
        List<Arm> order = new ArrayList<>();
        for (Arm arm : Arm.values()) {
            order.addAll(Collections.nCopies(passes, arm));
        }
        Collections.shuffle(order, new Random());
        Map<Arm, Cost> costs = new EnumMap<>(Arm.class);
        for (Arm arm : order) {
            costs.merge(arm, pass(arm), Cost::plus);
        }
        return costs;
    }

    private Cost pass(Arm arm) throws Exception {
        ConsumerSettings<byte[], byte[]> settings = ConsumerSettings.builder()
                .bootstrapServers(bootstrap)
                .groupId("seeing-cost-" + ProcessHandle.current().pid() + "-" + groups++)
                .property("auto.offset.reset", "earliest")
                .build();
        Timer timer = new Timer(records, byThread);
        try (RunningPipeline running = KafkaSource.from(settings, topic)
                .atLeastOnce()
                .to(Sink.forEach(timer::handle))
                .named("seen")
                .run()) {
            Cost cost;
            if (arm == Arm.SEEN || arm == Arm.PROFILED) {
                try (Spectators spectators = Spectators.of(running, arm == Arm.PROFILED)) {
                    cost = timer.cost();
                    spectators.check();
                }
            } else {
                cost = timer.cost();
            }
            running.cancel();
            return cost;
        }
    }

    /**
     * The pipeline's handler. It holds the first record until all observers are ready, and measures the time between
     * two given records.
     */
    private static final class Timer {
        private final long records;
        private final boolean byThread;
        private final CountDownLatch ready = new CountDownLatch(1);
        private final CountDownLatch done = new CountDownLatch(1);

        // Written by the pipeline's thread; read by another thread after {@code done}.
        private long count;
        private long bytes;
        private long warmNanos;
        private long warmCpu;
        private long endNanos;
        private long endCpu;
        private ThreadTimes warmThreads = new ThreadTimes(Map.of());
        private ThreadTimes endThreads = new ThreadTimes(Map.of());

        private Timer(long records, boolean byThread) {
            this.records = records;
            this.byThread = byThread;
        }

        private void handle(ConsumerRecord<byte[], byte[]> record) {
            if (count == 0) {
                awaitReady();
            }
            bytes += record.value().length;
            count++;
            if (count == WARM) {
                warmThreads = threads();
                warmNanos = System.nanoTime();
                warmCpu = SYSTEM.getProcessCpuTime();
            } else if (count == records) {
                endNanos = System.nanoTime();
                endCpu = SYSTEM.getProcessCpuTime();
                endThreads = threads();
                done.countDown();
            }
        }

        private ThreadTimes threads() {
            return byThread ? ThreadTimes.now() : new ThreadTimes(Map.of());
        }

        private void awaitReady() {
            try {
                ready.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException("ended before its time", e);
            }
        }

        private Cost cost() throws InterruptedException {
            ready.countDown();
            if (!done.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("not all records came");
            }
            if (bytes == 0) {
                throw new IllegalStateException("empty values");
            }
            return new Cost(endNanos - warmNanos, endCpu - warmCpu, endThreads.since(warmThreads));
        }
    }
}
