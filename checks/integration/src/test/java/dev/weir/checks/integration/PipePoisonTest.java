package dev.weir.checks.integration;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.deadletter.DeadLetterRecord;
import dev.weir.testkit.KafkaCluster;
import dev.weir.testkit.Records;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests records that cannot be written, under load, while runs are ended and killed. Checks the whole output. To run
 * longer: {@code -Dweir.poison.seconds=300}.
 */
class PipePoisonTest {

    private static final int PER_SECOND = 20_000;
    private static final int KEYS = 1_000;

    /** One in this many records has no key, so the compacted topic refuses it. */
    private static final int POISON_EVERY = 7_001;

    private static final long LONG_SECONDS = Long.getLong("weir.poison.seconds", 9);

    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @TempDir
    private Path folder;

    private static boolean isPoison(long number) {
        return number % POISON_EVERY == POISON_EVERY / 2;
    }

    @Test
    @Tag("long")
    @Timeout(600)
    void poison_underLoadWithAKillAndARestart_becomesTheLetter_andTheRestIsWrittenInOrder() throws Exception {
        endAndKill(3, 2);
    }

    @Test
    @Tag("long")
    @Timeout(3600)
    void poison_underLoadWithRestartsAndKills_becomesTheLetter_andTheRestIsWrittenInOrder() throws Exception {
        endAndKill(LONG_SECONDS, 4);
    }

    /** Ends several runs early, alternately by a kill and by SIGTERM. The last run continues to the end. */
    private void endAndKill(long seconds, int runs) throws Exception {
        long count = seconds * PER_SECOND;
        try (KafkaCluster cluster = KafkaCluster.builder().forked().start()) {
            cluster.createTopic("in", 6);
            cluster.createTopic("out", 6, Map.of("cleanup.policy", "compact"));
            cluster.createTopic("dead", 1);
            Path config = folder.resolve("client.properties");
            // The successor of a static member takes over immediately.
            Files.writeString(config, "group.instance.id=pipe-1\n");
            AtomicReference<Throwable> failure = new AtomicReference<>();
            Thread load = Thread.ofPlatform().start(() -> produce(cluster.bootstrapServers(), count, failure));
            for (int run = 1; run <= runs; run++) {
                long until = count * run / (runs + 1);
                boolean ended = false;
                while (!ended) {
                    ended = runUntil(cluster, config, until, run % 2 == 1, PATIENCE.plusSeconds(seconds));
                }
            }
            load.join();
            assertThat(failure.get()).isNull();
            String summary = WeirCommand.output(args(cluster, config, "--json", "--until-end"));

            assertThat(summary).contains("\"drained\":true", "\"dead_letters_cut\":0");
            assertThat(cluster.committedOffsets("pipe")).isEqualTo(cluster.endOffsets("in"));
            assertOutput(read(cluster, "out"), count);
            assertDeadLetters(read(cluster, "dead"), read(cluster, "in"), count);
        }
    }

    /**
     * Runs the pipe and stops it in the middle of its work.
     *
     * @return false if the run did not begin, because a busy machine may not reach a broker within 10 s
     */
    private static boolean runUntil(KafkaCluster cluster, Path config, long until, boolean kill, Duration patience) {
        try (PipeProcess pipe = PipeProcess.start(args(cluster, config, "--json"))) {
            Awaitility.await()
                    .atMost(patience)
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> written(cluster) >= until || !pipe.isAlive());
            if (!pipe.isAlive() && pipe.err().contains("no broker answers")) {
                return false;
            }
            assertThat(pipe.isAlive()).as(pipe.err()).isTrue();
            if (kill) {
                pipe.kill();
            } else {
                pipe.signal("TERM");
                assertThat(pipe.exitCode(Duration.ofMinutes(1))).as(pipe.err()).isZero();
            }
            return true;
        }
    }

    private static String[] args(KafkaCluster cluster, Path config, String... more) {
        String fixed = "pipe --bootstrap-server " + cluster.bootstrapServers()
                + " --from in --to out --group pipe --dead-letter dead --concurrency 64 --client-config " + config;
        return Stream.concat(Arrays.stream(fixed.split(" ")), Arrays.stream(more))
                .toArray(String[]::new);
    }

    /** Writes at a steady rate, and catches up after a delay. */
    private static void produce(String bootstrapServers, long count, AtomicReference<Throwable> failure) {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", bootstrapServers),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            long start = System.nanoTime();
            for (long n = 0; n < count && failure.get() == null; n++) {
                long due = start + n * 1_000_000_000L / PER_SECOND;
                while (n % 100 == 0 && System.nanoTime() < due) {
                    LockSupport.parkNanos(due - System.nanoTime());
                }
                byte[] key = isPoison(n) ? null : Long.toString(n % KEYS).getBytes(US_ASCII);
                var ignored = producer.send(
                        new ProducerRecord<>(
                                "in",
                                (int) (n % KEYS % 6),
                                key,
                                Long.toString(n).getBytes(US_ASCII)),
                        (metadata, refused) -> failure.compareAndSet(null, refused));
            }
        } catch (RuntimeException thrown) {
            failure.set(thrown);
        }
    }

    private static long written(KafkaCluster cluster) {
        return cluster.endOffsets("out").values().stream()
                .mapToLong(Long::longValue)
                .sum();
    }

    private static List<ConsumerRecord<byte[], byte[]>> read(KafkaCluster cluster, String topic) {
        return Records.readAll(cluster.bootstrapServers(), topic, IsolationLevel.READ_UNCOMMITTED);
    }

    /**
     * Checks that all good records are written. Each key's records are first written in order, and its last record is
     * its latest.
     */
    private static void assertOutput(List<ConsumerRecord<byte[], byte[]>> output, long count) {
        Set<Long> seen = new HashSet<>();
        Map<Long, Long> lastFirst = new HashMap<>();
        Map<Long, Long> last = new HashMap<>();
        for (long number : Records.numbers(output)) {
            assertThat(isPoison(number)).as("%s", number).isFalse();
            last.put(number % KEYS, number);
            if (seen.add(number)) {
                Long before = lastFirst.put(number % KEYS, number);
                assertThat(before == null || before < number)
                        .as("%s first written behind %s", number, before)
                        .isTrue();
            }
        }
        assertThat(seen).hasSize((int)
                LongStream.range(0, count).filter(n -> !isPoison(n)).count());
        assertThat(last).isEqualTo(lastFirst);
    }

    private static void assertDeadLetters(
            List<ConsumerRecord<byte[], byte[]>> deadLetters, List<ConsumerRecord<byte[], byte[]>> input, long count) {
        assertThat(Set.copyOf(Records.numbers(deadLetters)))
                .isEqualTo(LongStream.range(0, count)
                        .filter(PipePoisonTest::isPoison)
                        .boxed()
                        .collect(Collectors.toSet()));
        Map<String, Long> places = new HashMap<>();
        for (ConsumerRecord<byte[], byte[]> record : input) {
            if (record.key() == null) {
                places.put(
                        record.partition() + "@" + record.offset(),
                        Records.numbers(List.of(record)).getFirst());
            }
        }
        assertThat(deadLetters).allSatisfy(each -> {
            DeadLetterRecord deadLetter = DeadLetterRecord.read(each);
            assertThat(places.get(deadLetter.partition() + "@" + deadLetter.offset()))
                    .isEqualTo(Records.numbers(List.of(each)).getFirst());
            assertThat(deadLetter.isWhole()).isTrue();
        });
    }
}
