package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two pipes of a group under a steady load, of which one is restarted over and over: each record is written once, in
 * the order of its key, and what the other one uses stays as it was. An hour of each guarantee: {@code
 * -Dweir.soak.seconds=3600}.
 */
@Tag("long")
class PipeSoakTest {

    private static final long SECONDS = Long.getLong("weir.soak.seconds", 70);

    /** A restart each five minutes of an hour. */
    private static final long RESTARTS = 12;

    /** For a process to start, and to outlive the session of a dead member: far longer than it takes. */
    private static final Duration START = Duration.ofMinutes(1);

    private static final int PER_SECOND = 3_000;
    private static final int HEAP_MEGABYTES = 128;

    @ParameterizedTest
    @ValueSource(strings = {"at-least-once", "exactly-once"})
    @Timeout(value = 100, unit = TimeUnit.MINUTES)
    void load_withRestarts_isWrittenOnce_andTheOneThatStaysUsesNoMore(String guarantee) throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            cluster.createTopic("in", 6);
            cluster.createTopic("out", 6);
            String[] args = ("pipe --bootstrap-server " + cluster.bootstrapServers()
                            + " --from in --to out --group soak" + " --work 1ms --concurrency 32 --guarantee "
                            + guarantee)
                    .split(" ");
            try (SoakLedger ledger = SoakLedger.start(cluster.bootstrapServers(), "out");
                    NumberedLoad load = NumberedLoad.start(cluster.bootstrapServers(), "in", PER_SECOND);
                    PipeProcess resident = PipeProcess.start(HEAP_MEGABYTES, args)) {
                awaitMore(ledger, resident);
                ProcessUsage usage = new ProcessUsage(resident.pid());
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
                long pause = TimeUnit.SECONDS.toNanos(Math.max(10, SECONDS / RESTARTS));
                for (int run = 0; System.nanoTime() < end; run++) {
                    // Only with transactions does a kill repeat nothing.
                    boolean kill = guarantee.equals("exactly-once") && run % 2 == 0;
                    restarted(args, Math.min(end, System.nanoTime() + pause), kill, resident, usage);
                }
                awaitMore(ledger, resident);
                long count = load.stop();
                Awaitility.await()
                        .atMost(START)
                        .until(() -> ledger.seen() == count || !ledger.isClean() || !resident.isAlive());
                resident.signal("TERM");
                assertThat(resident.exitCode(START)).as(resident.err()).isZero();
                System.out.printf("soak %s: %d s, %d records; %s%n", guarantee, SECONDS, count, usage);
                ledger.assertClean(count);
                assertThat(cluster.committedOffsets("soak")).isEqualTo(cluster.endOffsets("in"));
                assertFlat(usage);
            }
        }
    }

    /** One life of the pipe that is restarted. */
    private static void restarted(
            String[] args, long endNanos, boolean kill, PipeProcess resident, ProcessUsage usage) {
        try (PipeProcess pipe = PipeProcess.start(HEAP_MEGABYTES, args)) {
            while (System.nanoTime() < endNanos) {
                usage.look();
                assertThat(resident.isAlive()).as(resident.err()).isTrue();
                assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
                LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
            }
            if (kill) {
                pipe.kill();
            } else {
                pipe.signal("TERM");
                assertThat(pipe.exitCode(START)).as(pipe.err()).isZero();
            }
        }
    }

    private static void awaitMore(SoakLedger ledger, PipeProcess pipe) {
        long before = ledger.seen();
        Awaitility.await().atMost(START).until(() -> ledger.seen() > before + PER_SECOND || !pipe.isAlive());
        assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
    }

    /** The last quarter beside the second: by then all that is made once has been made. */
    private static void assertFlat(ProcessUsage usage) {
        for (ProcessUsage.Kind kind : List.of(ProcessUsage.Kind.THREADS, ProcessUsage.Kind.HANDLES)) {
            assertThat(usage.highest(kind, 3))
                    .as("%s at the end, of %s", kind, usage)
                    .isLessThanOrEqualTo(usage.highest(kind, 1) + 10);
        }
        assertThat(usage.highest(ProcessUsage.Kind.MEGABYTES, 3))
                .as("resident megabytes at the end, of %s", usage)
                .isLessThanOrEqualTo(usage.highest(ProcessUsage.Kind.MEGABYTES, 1) + 40)
                .isLessThanOrEqualTo(HEAP_MEGABYTES + 250L);
    }
}
