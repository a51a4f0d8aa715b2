package dev.weir.checks.jmh;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Runs passes of several arms in one process. The passes of a round are in random order and only seconds apart, so all
 * arms see the same state of the machine. The baseline runs twice in each round. The other arms are compared with the
 * geometric mean of both baseline passes. The ratio of these passes shows the measurement error. The first rounds are
 * not counted. The 95 % intervals use Student's t over the rounds.
 *
 * <p>Also prints the processor time of this process and of the rest of the machine (usually the broker and the kernel),
 * and the idle share of the cores. If the idle share is almost zero, the cores limit the rate.
 */
final class PairedRounds {
    private static final int WARM_ROUNDS = 4;

    /** The index of the first arm after the baseline and its repetition. */
    private static final int FIRST_OTHER = 2;

    private static final double NANOS_PER_TICK = 1e7;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** An arm: its name, and a pass that writes to a new topic. */
    record Arm(String name, Pass pass) {}

    /** One run of an arm. Returns its cost. */
    @FunctionalInterface
    interface Pass {
        Cost run(String topic) throws Exception;
    }

    /**
     * A snapshot of used resources, or the difference between two: wall-clock time, processor time of this process and
     * of the whole machine, and allocated bytes. The machine's time is NaN if it is unknown.
     */
    record Cost(double nanos, double cpuNanos, double machineNanos, double bytes) {
        static Cost now() {
            return new Cost(
                    System.nanoTime(),
                    SYSTEM.getProcessCpuTime(),
                    machineCpuNanos(),
                    THREADS.getTotalThreadAllocatedBytes());
        }

        Cost since(Cost start) {
            return new Cost(
                    nanos - start.nanos,
                    cpuNanos - start.cpuNanos,
                    machineNanos - start.machineNanos,
                    bytes - start.bytes);
        }

        double restNanos() {
            return machineNanos - cpuNanos;
        }

        double idleShare() {
            return 1 - machineNanos / (nanos * SYSTEM.getAvailableProcessors());
        }

        /** Returns the machine's processor time on Linux, in steps of 10 ms, without idle time and waits for a disk. */
        private static double machineCpuNanos() {
            try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
                long[] ticks = Stream.of(lines.findFirst().orElse("").split("\\s+"))
                        .skip(1)
                        .mapToLong(Long::parseLong)
                        .toArray();
                long idle = ticks[3] + ticks[4];
                return (LongStream.of(ticks).limit(8).sum() - idle) * NANOS_PER_TICK;
            } catch (IOException | RuntimeException unknown) {
                return Double.NaN;
            }
        }
    }

    private final String bootstrap;
    private final int partitions;
    private final long records;
    private final List<Arm> arms;

    /**
     * Prepares rounds of a baseline and other arms.
     *
     * @param partitions the number of partitions of each output topic
     * @param records the number of records per pass
     */
    PairedRounds(String bootstrap, int partitions, long records, Arm baseline, Arm... others) {
        this.bootstrap = bootstrap;
        this.partitions = partitions;
        this.records = records;
        this.arms = new ArrayList<>(List.of(baseline, new Arm(baseline.name() + " again (A/A)", baseline.pass())));
        this.arms.addAll(List.of(others));
    }

    void compare(int rounds) throws Exception {
        List<Cost[]> all = new ArrayList<>();
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
            for (int round = 0; round < WARM_ROUNDS + rounds; round++) {
                Cost[] costs = round(admin);
                if (round >= WARM_ROUNDS) {
                    all.add(costs);
                }
                System.err.println((round - WARM_ROUNDS) + " "
                        + Arrays.stream(costs)
                                .map(cost -> String.format(Locale.ROOT, "%.0f k/s", records * 1e6 / cost.nanos()))
                                .toList());
            }
        }
        System.out.println(
                "| arm | records/s, median | ratio | CPU us/record, median | ratio | rest of machine us/record |"
                        + " idle % | B/record |\n|---|--:|--:|--:|--:|--:|--:|--:|");
        for (int arm = 0; arm < arms.size(); arm++) {
            System.out.printf(
                    Locale.ROOT,
                    "| %s | %,.0f | %s | %.3f | %s | %.3f | %.0f | %.1f |%n",
                    arms.get(arm).name(),
                    records * 1e9 / median(all, arm, Cost::nanos),
                    ratio(all, arm, cost -> 1 / cost.nanos()),
                    median(all, arm, Cost::cpuNanos) / records / 1e3,
                    ratio(all, arm, Cost::cpuNanos),
                    median(all, arm, Cost::restNanos) / records / 1e3,
                    100 * median(all, arm, Cost::idleShare),
                    median(all, arm, Cost::bytes) / records);
        }
        for (int arm = FIRST_OTHER; arm < arms.size(); arm++) {
            for (int base = FIRST_OTHER; base < arm; base++) {
                System.out.printf(
                        "%s to %s: rate %s, CPU %s%n",
                        arms.get(arm).name(),
                        arms.get(base).name(),
                        ratio(all, arm, base, cost -> 1 / cost.nanos()),
                        ratio(all, arm, base, Cost::cpuNanos));
            }
        }
        System.out.printf("%d rounds, %,d records a pass, %d partitions%n", rounds, records, partitions);
    }

    private Cost[] round(Admin admin) throws Exception {
        List<Integer> order = new ArrayList<>();
        for (int arm = 0; arm < arms.size(); arm++) {
            order.add(arm);
        }
        Collections.shuffle(order);
        Cost[] costs = new Cost[arms.size()];
        for (int arm : order) {
            String topic = "rounds-" + System.nanoTime();
            admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
                    .all()
                    .get();
            begin(topic);
            costs[arm] = arms.get(arm).pass().run(topic);
            admin.deleteTopics(List.of(topic)).all().get();
        }
        return costs;
    }

    /**
     * Writes a record to each partition and waits for its acknowledgement. A broker may refuse the first batch for a
     * new topic.
     */
    private void begin(String topic) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int partition = 0; partition < partitions; partition++) {
                producer.send(new ProducerRecord<>(topic, partition, null, new byte[0]))
                        .get();
            }
        }
    }

    private static double median(List<Cost[]> all, int arm, ToDoubleFunction<Cost> of) {
        double[] sorted = all.stream()
                .mapToDouble(round -> of.applyAsDouble(round[arm]))
                .sorted()
                .toArray();
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }

    private static String ratio(List<Cost[]> all, int arm, ToDoubleFunction<Cost> of) {
        if (arm == 0) {
            return "1";
        }
        return PairedRatio.of(all.stream()
                .mapToDouble(round -> {
                    double first = Math.log(of.applyAsDouble(round[0]));
                    double base = arm == 1 ? first : (first + Math.log(of.applyAsDouble(round[1]))) / 2;
                    return Math.log(of.applyAsDouble(round[arm])) - base;
                })
                .toArray());
    }

    private static String ratio(List<Cost[]> all, int arm, int base, ToDoubleFunction<Cost> of) {
        return PairedRatio.of(all.stream()
                .mapToDouble(round -> Math.log(of.applyAsDouble(round[arm]) / of.applyAsDouble(round[base])))
                .toArray());
    }
}
