package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverCatalog;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.Workload;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests drivers that copy records from a lean consumer to a lean producer: their allocation, and a restart after {@code
 * lean-copy} was killed.
 */
@Timeout(180)
class BenchLeanCopyTest extends BenchTestBase {

    private static final String DRIVER = "lean-copy";
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final double SECONDS = 60;

    /**
     * Less than an object per record, because the smallest has 16 bytes. Requests, responses, commits and a few pooled
     * batches need memory.
     */
    private static final double ALLOWED_BYTES_PER_RECORD = 8;

    private static final String WORKLOAD = """
            name: lean-copies
            scenario: copy
            drivers: [lean-copy]
            baseline: lean-copy
            topic: {partitions: 2, records: 2000000, valueBytes: 50}
            client: {linger.ms: 5, buffer.memory: 4194304}
            options: {guarantee: at-least-once, commit.interval.millis: COMMIT, work.rounds: ROUNDS}
            method: {rounds: 1, control: false, minWarmUpSeconds: 0.1, maxWarmUpSeconds: 0.2, measureSeconds: 0.1,
              intervalMillis: 1000, heapMegabytes: 256}
            """;

    private static final DriverLauncher LAUNCHER =
            new DriverLauncher(DriverCatalog.below(Path.of(System.getProperty("weir.root"))));

    @Test
    @Tag("long")
    void copy_afterAWarmPass_allocatesNothingPerRecord() throws Exception {
        long perPartition = 500_000;
        WorkloadPoint point = point(1_000, 0);
        try (BenchCluster cluster = cluster();
                DriverProcess process = LAUNCHER.start(DRIVER, 256, folder.resolve(DRIVER + ".log"))) {
            String topic = cluster.topics().filled(point, perPartition);
            DriverSession session = new DriverSession(process, cluster, point);
            session.hello();
            session.configure(topic, perPartition);
            long leastBytes = Long.MAX_VALUE;
            for (int pass = 0; pass < 3; pass++) {
                String group = session.start(0, 60);
                Report.Passed passed = cluster.written().copied(point, topic, perPartition, group, session.passed());
                requireAll(passed, 2 * perPartition);
                leastBytes = Math.min(leastBytes, passed.usage().allocatedBytes());
            }
            assertThat((double) leastBytes / (2 * perPartition)).isLessThan(ALLOWED_BYTES_PER_RECORD);
        }
    }

    /** Unacknowledged records are not committed, so the next process copies them. */
    @Test
    @Tag("long")
    void killedAmidACopy_theNextProcessOfTheGroupCopiesTheRest_andNothingIsLost() throws Exception {
        long perPartition = 50_000;
        WorkloadPoint point = point(10, 100_000);
        try (BenchCluster cluster = cluster()) {
            String topic = cluster.topics().filled(point, perPartition);
            String group = cluster.groups().make(Map.of());
            Map<String, String> options = new TreeMap<>(point.options());
            options.put(PassOptions.OUTPUT, cluster.topics().fresh(point));
            try (DriverProcess killed = process("killed")) {
                begin(killed, cluster, point, topic, perPartition, options).start(group, 0, SECONDS);
                ConsumerLedger.await("a commit", LONG, () -> cluster.groups().lag(group, topic) < 2 * perPartition);
            }
            long left = cluster.groups().lag(group, topic);
            assertThat(left).as("what the killed process had to do still").isPositive();
            options.put(HandlerWork.ROUNDS, "0"); // The first process was slowed down, to be killed in the middle.
            try (DriverProcess process = process("next")) {
                DriverSession session = begin(process, cluster, point, topic, perPartition, options);
                session.start(group, left, SECONDS);
                Report.Passed passed = cluster.written().copied(point, topic, perPartition, group, session.passed());
                requireAll(passed, 2 * perPartition);
            }
            assertThat(cluster.groups().lag(group, topic)).isZero();
        }
    }

    private static DriverSession begin(
            DriverProcess process,
            BenchCluster cluster,
            WorkloadPoint point,
            String topic,
            long perPartition,
            Map<String, String> options)
            throws InterruptedException {
        DriverSession session = new DriverSession(process, cluster, point);
        session.hello();
        session.configure(topic, perPartition, point.scenario(), point.client(), options);
        return session;
    }

    private static void requireAll(Report.Passed passed, long records) {
        assertThat(passed.ledger().isBroken()).as("%s", passed.ledger()).isFalse();
        assertThat(passed.records()).isEqualTo(records);
    }

    private static BenchCluster cluster() throws InterruptedException {
        return BenchCluster.existing(bench.existing(), note -> {}, () -> false);
    }

    private static DriverProcess process(String name) {
        return LAUNCHER.start(DRIVER, 256, folder.resolve(name + ".log"));
    }

    private static WorkloadPoint point(int commitMillis, int rounds) {
        String yaml =
                WORKLOAD.replace("COMMIT", Integer.toString(commitMillis)).replace("ROUNDS", Integer.toString(rounds));
        return Workload.parse("copy", yaml, false).points().get(0);
    }
}
