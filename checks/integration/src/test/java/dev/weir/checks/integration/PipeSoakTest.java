package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.KafkaCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests two pipes of a group under a steady load, while one of them is restarted repeatedly. Each record must be
 * written once and in key order, and the other pipe's resource use must not grow. To run an hour for each guarantee:
 * {@code -Dweir.soak.seconds=3600}. To select one: {@code -Dweir.soak.guarantees=exactly-once}.
 */
@Tag("long")
class PipeSoakTest {

    private static final long SECONDS = Long.getLong("weir.soak.seconds", 50);

    /** The number of restarts. In an hour's run, there is one every five minutes. */
    private static final long RESTARTS = 12;

    /**
     * The time limit for a process to start, and for the session of a killed one to expire. Usually far less is needed.
     */
    private static final Duration START = Duration.ofMinutes(2);

    private static final int PER_SECOND = Integer.getInteger("weir.soak.perSecond", 3_000);
    private static final int HEAP_MEGABYTES = 128;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("guarantees")
    @Timeout(value = 100, unit = TimeUnit.MINUTES)
    void load_withRestarts_isWrittenOnce_andTheOneThatStaysUsesNoMore(String guarantee) throws Exception {
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            cluster.createTopic("in", 6);
            cluster.createTopic("out", 6);
            try (SoakLedger ledger = SoakLedger.start(cluster.bootstrapServers(), "out");
                    NumberedLoad load = NumberedLoad.start(cluster.bootstrapServers(), "in", PER_SECOND);
                    PipeProcess resident =
                            PipeProcess.startTouched(HEAP_MEGABYTES, command(cluster, guarantee, "resident"))) {
                awaitMore(ledger, resident);
                ProcessUsage usage = new ProcessUsage(resident.pid());
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
                long pause = TimeUnit.SECONDS.toNanos(Math.max(10, SECONDS / RESTARTS));
                for (int run = 0; run == 0 || System.nanoTime() < end; run++) {
                    // With transactions, a kill repeats no records.
                    boolean kill = guarantee.equals("exactly-once") && run % 2 == 0;
                    try (PipeProcess pipe =
                            PipeProcess.start(HEAP_MEGABYTES, command(cluster, guarantee, "life-" + run))) {
                        awaitMember(cluster, "life-" + run, pipe);
                        live(pipe, pause, resident, usage, ledger);
                        end(pipe, kill);
                    }
                }
                awaitMore(ledger, resident);
                long count = load.stop();
                Awaitility.await()
                        .atMost(START)
                        .until(() -> ledger.seen() == count || !ledger.isClean() || !resident.isAlive());
                assertThat(resident.isAlive()).as(resident.err()).isTrue();
                long liveHeap = usage.liveHeapMegabytes();
                resident.signal("TERM");
                assertThat(resident.exitCode(START)).as(resident.err()).isZero();
                System.out.printf(
                        "soak %s: %d s, %d records; %s, heap %d%n", guarantee, SECONDS, count, usage, liveHeap);
                ledger.assertClean(count);
                assertThat(cluster.committedOffsets("soak")).isEqualTo(cluster.endOffsets("in"));
                assertFlat(usage);
                assertThat(liveHeap).as("megabytes that live in the heap").isLessThan(HEAP_MEGABYTES / 2);
            }
        }
    }

    static List<String> guarantees() {
        return List.of(System.getProperty("weir.soak.guarantees", "at-least-once,exactly-once")
                .split(","));
    }

    private String[] command(KafkaCluster cluster, String guarantee, String name) throws IOException {
        Path config = Files.writeString(folder.resolve(name + ".properties"), "client.id=" + name + "\n");
        String args = "pipe --bootstrap-server " + cluster.bootstrapServers() + " --from in --to out --group soak"
                + " --work 1ms --concurrency 32 --connect-timeout 60s --client-config " + config + " --guarantee "
                + guarantee;
        return args.split(" ");
    }

    private static void awaitMember(KafkaCluster cluster, String name, PipeProcess pipe) {
        Awaitility.await().atMost(START).until(() -> isMember(cluster, name) || !pipe.isAlive());
        assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
    }

    private static boolean isMember(KafkaCluster cluster, String name) throws Exception {
        return cluster.admin().describeConsumerGroups(List.of("soak")).all().get().get("soak").members().stream()
                .anyMatch(member -> member.clientId().contains(name));
    }

    private static void live(
            PipeProcess pipe, long nanos, PipeProcess resident, ProcessUsage usage, SoakLedger ledger) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end || usage.looks() < 4) {
            usage.look();
            ledger.assertClean();
            assertThat(resident.isAlive()).as(resident.err()).isTrue();
            assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
            LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(1));
        }
    }

    private static void end(PipeProcess pipe, boolean kill) {
        if (kill) {
            pipe.kill();
        } else {
            pipe.signal("TERM");
            assertThat(pipe.exitCode(START)).as(pipe.err()).isZero();
        }
    }

    private static void awaitMore(SoakLedger ledger, PipeProcess pipe) {
        long before = ledger.seen();
        Awaitility.await().atMost(START).until(() -> ledger.seen() > before + PER_SECOND || !pipe.isAlive());
        assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
    }

    /**
     * Compares the lowest values of the second and the last quarter of the samples. Two more are allowed; a leak of one
     * per restart would add six in an hour.
     */
    private static void assertFlat(ProcessUsage usage) {
        for (ProcessUsage.Kind kind : List.of(ProcessUsage.Kind.THREADS, ProcessUsage.Kind.HANDLES)) {
            assertThat(usage.lowest(kind, 3))
                    .as("%s at the end, of %s", kind, usage)
                    .isLessThanOrEqualTo(usage.lowest(kind, 1) + 2);
        }
        assertThat(usage.lowest(ProcessUsage.Kind.MEGABYTES, 3))
                .as("resident megabytes at the end, of %s", usage)
                .isLessThanOrEqualTo(usage.lowest(ProcessUsage.Kind.MEGABYTES, 1) + 24)
                .isLessThanOrEqualTo(HEAP_MEGABYTES + 250L);
    }
}
